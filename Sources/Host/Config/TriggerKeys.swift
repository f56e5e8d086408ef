import CTOML
import Core

// [[device]], [[region]] and [[trigger]]: which devices, and where.

extension Configuration {
  /// Returns their tables.
  mutating func readDeviceNames(_ root: inout Section) -> [Section] {
    var sections: [Section] = []
    root.tables("device", atMost: DeviceNameList.capacity) { section in
      var device = DeviceName()
      device.name = section.name()
      for index in core.deviceNames.indices where core.deviceNames[index].name == device.name && !device.name.isEmpty {
        section.fault("name", "is taken by device \(index + 1)")
      }
      device.match = readMatch(&section)
      _ = core.deviceNames.append(device)
      sections.append(section)
    }
    return sections
  }

  mutating func readRegions(_ root: inout Section) {
    root.tables("region", atMost: PerRegion<RegionSettings>.capacity) { section in
      var region = RegionSettings()
      region.name = section.name()
      for index in core.regions.indices where core.regions[index].name == region.name && !region.name.isEmpty {
        section.fault("name", "is taken by region \(index + 1)")
      }
      region.match = readMatch(&section)
      section.read("minimum_dbm", &region.minimum, -127...20)
      warn(ofLevel: region.minimum, "minimum_dbm", section)
      readExit(&section, &region.exit)
      _ = core.regions.append(region)
    }
  }

  private func readExit(_ section: inout Section, _ exit: inout RegionSettings.ExitRule) {
    guard let node = section.node["exit_s"], node.kind == TOML_STRING else {
      var silence = Interval.zero
      section.read("exit_s", seconds: &silence, 0.5...86_400)
      if silence > .zero { exit = .after(silence) }
      return
    }
    _ = section.value("exit_s")
    if !same(node.text, "auto") { section.fault("exit_s", "(\"\(printable(node.text))\") must be \"auto\" or a number of seconds") }
  }

  /// Returns their tables.
  mutating func readTriggers(_ root: inout Section) -> [Section] {
    var sections: [Section] = []
    root.tables("trigger", atMost: PerTrigger<TriggerSettings>.capacity) { section in
      var trigger = TriggerSettings()
      let faults = section.reading.count
      trigger.name = section.name()
      for index in core.triggers.indices where core.triggers[index].name == trigger.name && !trigger.name.isEmpty {
        section.fault("name", "is taken by trigger \(index + 1)")
      }
      trigger.match = readMatch(&section)
      readRadio(&section, &trigger)
      section.read("at_m", &trigger.point)
      readDistances(&section, &trigger)
      section.read("dwell_s", seconds: &trigger.dwell, 0...600)
      // A moment of evidence at least: without any, neither distance nor motion would be asked for.
      trigger.dwell = max(trigger.dwell, .milliseconds(1))
      section.read("min_samples", &trigger.minimumSamples, 1...1_000)
      section.read("min_rate_hz", &trigger.minimumRate, 0...100)
      section.read("refractory_s", seconds: &trigger.refractory, 0...86_400)
      // Nobody who was served at one pump is served at the next before he could be served at the same.
      trigger.groupRefractory = trigger.refractory
      section.read("group_refractory_s", seconds: &trigger.groupRefractory, 0...86_400)
      section.read("expires_s", seconds: &trigger.expires, 1...86_400)
      section.read("group", &trigger.group)
      section.read("margin_db", &trigger.margin, 0...40)
      section.read("settle_s", seconds: &trigger.settle, 0...60)
      if section.reading.count == faults { warn(of: trigger, section) }
      noteFutile(trigger, section)
      _ = core.triggers.append(trigger)
      sections.append(section)
    }
    warnOfOverlaps(sections)
    warnOfNearPlaces(sections)
    return sections
  }

  private func readRadio(_ section: inout Section, _ trigger: inout TriggerSettings) {
    guard let name = section.string("radio") else { return }
    var names: [String] = []
    for index in core.radios.indices {
      names.append(String(core.radios[index].name))
      if same(names[index], name) { trigger.radio = Int8(index) }
    }
    // A radio whose name was refused may be the one.
    guard trigger.radio == nil, !names.contains(where: { $0.utf8.isEmpty }) else { return }
    section.fault(
      "radio", "(\"\(printable(name))\") is the name of no [[radio]]; there is " + listed(names.map { "\"\($0)\"" }, with: "and"))
  }

  private func readDistances(_ section: inout Section, _ trigger: inout TriggerSettings) {
    let standard = TriggerSettings()
    let faults = section.reading.count
    section.read("arm_m", &trigger.arm, 0.1...200)
    section.read("fire_m", &trigger.fire, 0.1...100)
    section.read("leave_m", &trigger.leave, 0.1...200)
    guard section.reading.count == faults else { return }
    let fire = section.quoted("fire_m", else: standard.fire.value)
    if trigger.arm < trigger.fire {
      let arm = section.quoted("arm_m", else: standard.arm.value)
      section.fault(at: section.place(of: ["arm_m", "fire_m"]), "\(arm) must not be less than \(fire)")
    }
    if trigger.leave <= trigger.fire {
      let leave = section.quoted("leave_m", else: standard.leave.value)
      section.fault(at: section.place(of: ["leave_m", "fire_m"]), "\(leave) must be greater than \(fire)")
    }
  }

  /// A `match` list, appended to the list of all selectors.
  mutating func readMatch(_ section: inout Section) -> Slice {
    guard let selectors = section.strings("match") else {
      if section.node["match"] == nil { section.fault(at: section.node.at, "match is missing") }
      return Slice()
    }
    if selectors.isEmpty { section.fault("match", "must name at least one selector; \"*\" matches every device") }
    let start = core.selectors.count
    for node in selectors { read(node, section) }
    return Slice(start: UInt16(start), count: UInt16(core.selectors.count - start))
  }

  private mutating func read(_ node: Node, _ section: Section) {
    let written = Text<160>(node.text)
    do throws(Unreadable) {
      let selector = try Selector(written: written.bytes)
      if let words = doubt(about: selector) { section.fault(at: node.at, "match: \"\(withoutKey(node.text))\": \(words)") }
      if selector.kind == .peer && !core.peer.identify {
        let words = "match: \"\(printable(node.text))\" matches no device until a gateway asks phones: [peer] identify = true"
        section.reading.record(.warning, at: node.at, section.title, words)
      }
      if core.selectors.append(selector) != nil {
        section.fault(at: node.at, "match: there are more than \(SelectorList.capacity) selectors in all")
      }
      noteFutile(selector, node, section)
      if let service = selector.service { listenFor(service, at: node.at, section) }
    } catch {
      var words = written.overflowed ? "is longer than any selector can be" : error.words
      var aliases: [String] = []
      for index in core.keys.indices where core.keys[index].kind.resolves(.irk) { aliases.append(String(core.keys[index].alias)) }
      if let meant = selectorMeant(by: node.text, aliases: aliases) { words = "is no selector: write \"\(withoutKey(meant))\"" }
      section.fault(at: node.at, "match: \"\(withoutKey(node.text))\" " + words)
    }
  }

  mutating func listenFor(_ service: ServiceUUID, at position: Position, _ section: Section) {
    for index in core.services.indices where core.services[index] == service {
      return servicePlaces[index] = min(servicePlaces[index], position)
    }
    servicePlaces.append(position)
    if core.services.append(service) != nil {
      section.fault(at: position, "there are more than \(ServiceList.capacity) different service UUIDs in all")
    }
  }

  /// As the file has them: a device that offers several is known by the first.
  mutating func orderServices() {
    let order = core.services.indices.sorted { servicePlaces[$0] < servicePlaces[$1] }
    let services = core.services
    for (place, index) in order.enumerated() { core.services[place] = services[index] }
  }

  /// An alias without a key would silently match nothing.
  private func doubt(about selector: Selector) -> String? {
    guard selector.isWhole, let kind = selector.kind, kind == .irk || kind == .eid else { return nil }
    var aliases: [String] = []
    for index in core.keys.indices where core.keys[index].kind.resolves(kind) {
      let alias = core.keys[index].alias
      // A key whose alias was refused may be the one.
      if alias.isEmpty || alias.bytes.equals(Name(selector.prefix).bytes) { return nil }
      aliases.append(String(alias))
    }
    let table = kind == .irk ? "[[key.irk]]" : "[[key.eid]]"
    guard let meant = suggestion(for: String(Name(selector.prefix)), among: aliases) else { return "no \(table) has this alias" }
    return "no \(table) has this alias; did you mean \"\(meant)\"?"
  }
}

extension Name {
  /// The raw bytes of an identity: an alias.
  fileprivate init(_ alias: Identity) {
    self.init()
    for index in 0..<Int(alias.length) { append(byte: alias.bytes[index]) }
  }
}

extension Unreadable {
  var words: String {
    switch self {
    case .empty: "is empty; \"*\" matches every device"
    case .kind: "must begin with irk: peer: eid: ibeacon: altbeacon: eddystone: service: name: or address:, or be \"*\""
    case .uuid: "has no UUID where one belongs (8-4-4-4-12 hexadecimal digits; of a service also 4 or 8)"
    case .number: "has no number from 0 to 65535 where one belongs"
    case .hex: "has too few hexadecimal digits, or something else among them"
    case .address: "has no address where one belongs (six pairs of hexadecimal digits with colons between)"
    case .alias: "has no alias of at most \(Name.capacity) bytes"
    case .name: "is no name selector; write \"name:NAME@*\" or \"name:NAME*@*\""
    case .nameTooLong: "has a name longer than \(Identity.mostNameBytes) bytes; write its beginning and *@*"
    case .ending: "does not end where an identity ends; a * stands in place of whole parts"
    }
  }
}
