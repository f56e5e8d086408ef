import Core

// Two triggers that match the same devices at the same place publish everything twice, unless they compete in a group.

extension Selector {
  /// Whether one device can match both. Between different kinds nobody can tell from here, so the answer is no.
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
  func warnOfOverlaps(_ sections: [Section]) {
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
    noteStalemates(sections)
    for index in core.triggers.indices {
      var names: [String] = []
      for other in 0..<index where bothFire(index, other) && typo[index] != other && typo[other] != index {
        names.append("\"\(printable(String(core.triggers[other].name)))\"")
      }
      guard !names.isEmpty else { continue }
      let words =
        "matches the same devices as trigger \(firstThree(names)), as near, and they compete in no group: "
        + "each arrival fires all of them. Give them one group, or distances (fire_m) that differ by half"
      sections[index].warning("match", words)
    }
  }

  /// Whether one visit may fire both: the same devices, within circles that levels cannot tell apart. A greeting from afar and a door
  /// at hand differ; the same circle at two radios does not, because nothing says how far apart the radios stand.
  private func bothFire(_ a: Int, _ b: Int) -> Bool {
    let (one, other) = (core.triggers[a], core.triggers[b])
    if one.group == other.group && !one.group.isEmpty { return false }
    let path = PathLoss(core.calibration)
    guard (path.loss(at: one.fire) - path.loss(at: other.fire)).value.magnitude < PhysicsWarnings.wandering else { return false }
    return haveCommonDevices(one, other)
  }

  func haveCommonDevices(_ one: TriggerSettings, _ other: TriggerSettings) -> Bool {
    for mine in one.match.range {
      for others in other.match.range where core.selectors[mine].overlaps(core.selectors[others]) { return true }
    }
    return false
  }

  /// Two triggers of one group at one radio receive a device alike: neither leads. So do two of which one names no radio, wherever it goes
  /// by the other's. At places of their own (at_m) all radios may tell.
  private func noteStalemates(_ sections: [Section]) {
    for index in core.triggers.indices {
      let one = core.triggers[index]
      guard !one.group.isEmpty, one.margin.value > 0 else { continue }
      for other in 0..<index {
        let rival = core.triggers[other]
        let radios = (onlyRadio(of: one), onlyRadio(of: rival))
        let areNamed = radios.0 != nil && radios.1 != nil
        guard rival.group == one.group, rival.margin.value > 0, point(of: index) == point(of: other), !areNamed || radios.0 == radios.1,
          haveCommonDevices(one, rival)
        else { continue }
        let place = areNamed ? "the same radio" : "what may be the same radio"
        let words =
          "(\"\(printable(String(one.group)))\") has trigger \"\(printable(String(rival.name)))\" at \(place): both receive a device alike, "
          + "neither leads by margin_db, and nobody is served. Give each a radio of its own, or no common group"
        sections[index].reading.recordFutile(at: sections[index].place(of: ["group"]), sections[index].title, "group " + words)
        break
      }
    }
  }

  /// nil: at each moment the one that receives the device best.
  private func onlyRadio(of trigger: TriggerSettings) -> Int8? { trigger.radio ?? (core.radios.count > 1 ? nil : 0) }

  /// For a trigger that is alone in its group: a trigger of the group that was probably meant. Names that differ only by a number or in
  /// their last letter, such as row-a and row-b, differ on purpose.
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
    // Of two that are alone, either may be the typo: the later one gets the warning.
    let other = places[known.firstIndex { same($0, word) }!]
    return isAlone(other) && other > index ? nil : other
  }

  /// Whether no other trigger of this gateway is in its group.
  func isAlone(_ index: Int) -> Bool {
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
