import Core

/// How much may be said in each gateway's name: a busy forecourt's claims, but no flood.
struct Talkers {
  private struct Talker {
    var name: Name
    var pace = TokenBucket(burst: 100, pace: .milliseconds(10))
    let since: Instant
    var heard: Instant

    func isSettled(at now: Instant) -> Bool { heard - since >= Talkers.settled && now - heard <= Talkers.patience }
  }

  /// The gateways of the largest site.
  private static let most = 64
  /// Somebody who has talked for so long keeps its place; who has not, is displaced by the next.
  private static let settled = Interval.seconds(10)
  private static let patience = Interval.seconds(60)

  private var talkers: [Talker] = []

  mutating func mayTalk(_ name: RawSpan, at now: Instant) -> Bool {
    guard name.byteCount > 0, name.byteCount <= Name.capacity else { return false }
    guard let place = place(of: name, at: now) else { return false }
    talkers[place].heard = now
    return talkers[place].pace.take(at: now)
  }

  private mutating func place(of name: RawSpan, at now: Instant) -> Int? {
    for index in talkers.indices where talkers[index].name.bytes.equals(name) { return index }
    let newcomer = Talker(name: Name(name), since: now, heard: now)
    guard talkers.count == Self.most else {
      talkers.append(newcomer)
      return talkers.count - 1
    }
    var oldest: Int?
    for index in talkers.indices where !talkers[index].isSettled(at: now) {
      if oldest.map({ talkers[index].heard < talkers[$0].heard }) ?? true { oldest = index }
    }
    if let oldest { talkers[oldest] = newcomer }
    return oldest
  }
}
