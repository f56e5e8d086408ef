/// Another gateway of the site, as its retained `status` tells.
package struct Neighbour: BitwiseCopyable, Sendable {
  package var name = Name()
  /// Which of its runs: a claim that is left over from another one is refused.
  package var boot = Text<16>()
  package var groups = Bounded<8, Name>(filledWith: Name())
  /// It did not say which: it may compete in all.
  package var competesEverywhere = false
  package var isOnline = false
  package var simulated = false

  package init() {}

  package func competes(in group: Name) -> Bool { isOnline && concerns(group) }

  package func isAway(from group: Name) -> Bool { !isOnline && concerns(group) }

  private func concerns(_ group: Name) -> Bool {
    if competesEverywhere { return true }
    for index in groups.indices where groups[index] == group { return true }
    return false
  }

  /// `pumps/doors`, or `*`.
  package mutating func compete(in list: RawSpan) {
    var start = 0
    for index in 0...list.byteCount where index == list.byteCount || list[index] == UInt8(ascii: "/") {
      let group = Name(list.extracting(start..<index))
      if group == Name("*") || groups.append(group) != nil { competesEverywhere = true }
      start = index + 1
    }
  }
}
