import Core

// Two triggers that serve the same people at the same place say everything twice, unless a group lets them compete.

extension Selector {
  /// Whether somebody may be matched by both. Of different kinds that cannot be known from here, and is not supposed.
  func overlaps(_ other: Selector) -> Bool {
    guard let kind, let otherKind = other.kind else { return true }
    guard kind == otherKind else { return false }
    let (mine, others) = (Int(prefix.length), Int(other.prefix.length))
    for index in 0..<min(mine, others) where prefix.bytes[index] != other.prefix.bytes[index] { return false }
    return !(isWhole && others > mine) && !(other.isWhole && mine > others)
  }
}

extension Configuration {
  /// `sections` are the triggers' tables, one for each.
  func warnOfTwice(_ sections: [Section]) {
    guard sections.count == core.triggers.count, sections.first.map({ !$0.reading.isRefused }) ?? false else { return }
    var typo = [Int?](repeating: nil, count: sections.count)
    for index in core.triggers.indices {
      typo[index] = meant(index)
      guard let other = typo[index] else { continue }
      let (group, meant) = (String(core.triggers[index].group), String(core.triggers[other].group))
      let words =
        "(\"\(printable(group))\") has no other trigger here; did you mean \"\(printable(meant))\"? Only triggers of one group compete"
      sections[index].warning("group", words)
    }
    for index in core.triggers.indices {
      var names: [String] = []
      for other in 0..<index where fireTogether(index, other) && typo[index] != other && typo[other] != index {
        names.append("\"\(printable(String(core.triggers[other].name)))\"")
      }
      guard !names.isEmpty else { continue }
      let rest = names.count > 3 ? ["\(names.count - 3) more"] : []
      let words =
        "finds whom trigger \(listed(Array(names.prefix(3)) + rest, with: "and")) finds, as near, and no common group lets them compete: "
        + "whoever comes fires each. Give them one group, or distances (fire_m) that differ by half"
      sections[index].warning("match", words)
    }
  }

  /// Whether one visit may fire both: the same people, within circles that levels cannot tell apart. A greeting from afar and a door
  /// at hand are two things; the same circle at two radios is not, for nobody knows here how far apart they stand.
  private func fireTogether(_ a: Int, _ b: Int) -> Bool {
    let (one, other) = (core.triggers[a], core.triggers[b])
    if one.group == other.group && !one.group.isEmpty { return false }
    let path = PathLoss(core.calibration)
    guard (path.loss(at: one.fire) - path.loss(at: other.fire)).value.magnitude < Physics.wandering else { return false }
    for mine in one.match.range {
      for others in other.match.range where core.selectors[mine].overlaps(core.selectors[others]) { return true }
    }
    return false
  }

  /// For a trigger that is alone in its group: one of a group whose name may have been meant. Names that differ by a number or in their
  /// last letter only, such as row-a and row-b, are different on purpose.
  private func meant(_ index: Int) -> Int? {
    let group = core.triggers[index].group
    guard group.count >= 3 else { return nil }
    var known: [String] = []
    var places: [Int] = []
    for other in core.triggers.indices where other != index {
      let name = core.triggers[other].group
      if name == group { return nil }
      if name.count < 3 || isCounted(name, group) { continue }
      known.append(String(name))
      places.append(other)
    }
    guard let word = suggestion(for: String(group), among: known) else { return nil }
    // Of two that are alone, each may be the one that was meant: the later is told.
    let other = places[known.firstIndex { same($0, word) }!]
    return isAlone(other) && other > index ? nil : other
  }

  private func isAlone(_ index: Int) -> Bool {
    var count = 0
    for other in core.triggers.indices where core.triggers[other].group == core.triggers[index].group { count += 1 }
    return count == 1
  }

  private func isCounted(_ a: Name, _ b: Name) -> Bool {
    if same(letters(a), letters(b)) { return true }
    guard a.count == b.count else { return false }
    for index in 0..<a.count - 1 where a[index] != b[index] { return false }
    return true
  }

  private func letters(_ name: Name) -> String {
    var letters: [UInt8] = []
    for index in 0..<name.count where !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= name[index]) { letters.append(name[index]) }
    return String(decoding: letters, as: UTF8.self)
  }
}
