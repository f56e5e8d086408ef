/// A published `fire` or `enter` of an earlier run whose end was never published. The outbox keeps it and hands it over at the start.
package struct Unfinished: BitwiseCopyable, Sendable {
  /// Where its start was published.
  package var topic = Topic()
  /// As published.
  package var id = Text<128>()
  /// On this run's clock.
  package var since = Instant.zero
  /// The device's level at the command that began it; nil for any other visit.
  package var vouchedLevel: Decibels?
  /// It is of another start of the machine: of an earlier run, also if nobody knows when it began, and `since` is now.
  package var isOfOtherStart = false

  package init(topic: Topic, id: Text<128>, since: Instant, vouchedLevel: Decibels? = nil) {
    self.topic = topic
    self.id = id
    self.since = since
    self.vouchedLevel = vouchedLevel
  }

  package enum Place: BitwiseCopyable { case region, trigger }

  /// `PREFIX/SITE/GATEWAY/region/NAME/event` or `…/trigger/NAME`.
  var place: (Place, name: Name)? {
    var slashes = 0
    var start = 0
    while start < topic.count, slashes < 3 {
      if topic[start] == UInt8(ascii: "/") { slashes += 1 }
      start += 1
    }
    let (region, trigger, event) = (Text<8>("region/"), Text<8>("trigger/"), Text<8>("/event"))
    let rest = topic.bytes.extracting(start..<topic.count)
    if rest.begins(trigger.bytes) { return (.trigger, Name(rest.extracting(trigger.count..<rest.byteCount))) }
    guard rest.begins(region.bytes), rest.byteCount > region.count + event.count else { return nil }
    return (.region, Name(rest.extracting(region.count..<rest.byteCount - event.count)))
  }
}

extension RawSpan {
  fileprivate func begins(_ part: RawSpan) -> Bool { byteCount >= part.byteCount && extracting(first: part.byteCount).equals(part) }
}

/// The state of a region or trigger, which the broker retains until it is cleared.
package struct RetainedState: Equatable, BitwiseCopyable {
  package let place: Unfinished.Place
  package let name: Name

  package init(of place: Unfinished.Place, _ name: Name) { (self.place, self.name) = (place, name) }
}
