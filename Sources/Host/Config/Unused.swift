import Core

// Tables for devices that never have an effect: another has these devices already, or nothing looks for them. `check` says so.

extension Configuration {
  /// A table of devices that an earlier one of its kind has already, as a pasted one may be. `sections` are the tables, with the `matches` of
  /// each.
  func noteCovered(_ sections: [Section], _ matches: [Slice], _ header: StaticString, _ effect: StaticString) {
    guard sections.count == matches.count else { return }
    for index in sections.indices {
      for other in 0..<index where isCovered(matches[index], by: matches[other]) {
        let (section, first) = (sections[index], sections[other].place(of: ["match"]).line)
        section.reading.recordFutile(
          at: section.place(of: ["match"]), section.title,
          "match: the [[\(header)]] of line \(first) matches all these devices, and the first holds: \(effect)")
        break
      }
    }
  }

  private func isCovered(_ match: Slice, by other: Slice) -> Bool {
    selectors: for mine in match.range {
      for others in other.range where core.selectors[others].covers(core.selectors[mine]) { continue selectors }
      return false
    }
    return true
  }

  /// When everything is read: names that are never shown, or only to a person who scans. `sections` are their tables.
  func noteNames(_ sections: [Section]) {
    var names: [Slice] = []
    for index in core.deviceNames.indices { names.append(core.deviceNames[index].match) }
    noteCovered(sections, names, "device", "this name is never shown")
    var sought: [Slice] = []
    for index in core.regions.indices { sought.append(core.regions[index].match) }
    for index in core.triggers.indices { sought.append(core.triggers[index].match) }
    for index in core.calibration.devices.indices { sought.append(core.calibration.devices[index].match) }
    // Where nothing is looked for at all, that is all there is to say.
    guard case .ignore = core.publish.unknown, !sought.isEmpty, sections.count == names.count else { return }
    for index in names.indices where !isSought(names[index], sought) {
      let section = sections[index]
      section.reading.recordFutile(
        at: section.place(of: ["match"]), section.title,
        "match: no region, trigger or calibration matches these devices: nothing is published of them, and the name stands only in scan and "
          + "explain. Let one match them, or take this table out")
    }
  }

  /// Whether a device that is published under a name's id may be looked for. It may have other ids, but none of a kind that goes before: that
  /// one would be published.
  private func isSought(_ name: Slice, _ sought: [Slice]) -> Bool {
    for mine in name.range {
      for match in sought {
        for other in match.range {
          let (one, another) = (core.selectors[mine], core.selectors[other])
          if one.overlaps(another) { return true }
          if let kind = one.kind, let otherKind = another.kind, otherKind.rawValue > kind.rawValue { return true }
        }
      }
    }
    return false
  }
}
