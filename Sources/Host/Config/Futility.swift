import Core

// What no device can ever bring about with these settings, or only by chance. `check` says so; a command that only reads the file for
// something else does not.

extension Configuration {
  /// When everything is read.
  func noteFutile(_ root: Section) {
    let gateway = core.gateway
    let place = root.node["gateway"]?["authorization"]?.keyAt ?? root.place(of: ["gateway"])
    let note = { (words: String) in root.reading.recordFutile(at: place, "gateway", words) }
    switch gateway.authorization {
    case .denied: note("authorization = \"denied\" keeps the radios off: no device is received, nothing fires. Set \"always\"")
    case .whenInUse:
      if core.triggers.count + core.regions.count > 0 {
        note("authorization = \"when-in-use\" monitors no region and no trigger: none of them does anything. Set \"always\"")
      }
      if !core.publish.commands { note("authorization = \"when-in-use\" waits for the command `ranging`: set [command] enabled = true") }
    case .always: break
    }
    if core.triggers.count + core.regions.count == 0, case .ignore = core.publish.unknown {
      note("there is no [[trigger]] and no [[region]]: no device is looked for, and nothing is published of any")
    }
  }

  /// Nobody else receives a phone that advertises no more while it is connected.
  func noteHold(_ root: Section) {
    guard core.peer.identify, core.peer.hold, let place = root.node["peer"]?["hold"]?.keyAt else { return }
    var isHeardElsewhere = core.radios.count > 1
    for index in core.triggers.indices where !core.triggers[index].group.isEmpty { isHeardElsewhere = true }
    guard isHeardElsewhere else { return }
    root.reading.recordFutile(
      at: place, "peer",
      "hold keeps a phone at the radio that connects first, wherever it goes: if it advertises no more meanwhile, no other radio or gateway "
        + "hears it, and its pump does not fire. Leave hold out where several may hear it")
  }

  func noteFutile(_ trigger: TriggerSettings, _ section: Section) {
    var most: Float = 0
    for index in core.radios.indices where trigger.radio == nil || Int(trigger.radio!) == index {
      most = max(most, Float(core.radios[index].window.seconds / core.radios[index].interval.seconds / PhysicsWarnings.quickest.seconds))
    }
    let part = "with the radio's window_ms and interval_ms, ten adverts a second are at most \(decimal(most)) samples a second"
    if trigger.minimumRate > most {
      section.reading.recordFutile(
        at: section.place(of: ["min_rate_hz"]), section.title, "min_rate_hz (\(decimal(trigger.minimumRate))) is never reached: \(part)")
    }
    // A minute is as long as anybody waits.
    if Float(trigger.minimumSamples) > most * 60 {
      section.reading.recordFutile(
        at: section.place(of: ["min_samples"]), section.title,
        "min_samples (\(trigger.minimumSamples)) takes more than a minute beside the trigger: \(part)")
    }
  }

  /// An address that rotates, a name with a star inside, `irk:*` without any key, and `service:*`.
  func noteFutile(_ selector: Selector, _ node: Node, _ section: Section) {
    let place = node.at
    // Core 6.0, Vol 6, Part B, 1.3.2.2: a resolvable private address begins with the bits 01. A public one may do so, too.
    if selector.isWhole, selector.prefix.isBoundToAddress, selector.prefix.bytes[Int(selector.prefix.length) - 6] >> 6 == 0b01 {
      section.reading.recordFutile(
        at: place, section.title,
        "match: an address that begins with 4 to 7 is a phone's for a quarter of an hour, unless a maker gave it to a beacon for good: "
          + "forecourt setup finds what stays")
    }
    let text = Array(node.text.utf8)
    if selector.kind == .name, zip(text, text.dropFirst()).contains(where: { $0 == UInt8(ascii: "*") && $1 != UInt8(ascii: "@") }) {
      section.reading.recordFutile(at: place, section.title, "match: a * before a name's end is a letter of it: if it is meant, write %2A")
    }
    if selector.kind == .name, !asksForResponses {
      section.reading.recordFutile(
        at: place, section.title,
        "match: many devices tell their name only in a scan response, and scan = \"passive\" asks none for it: set \"active\", unless "
          + "forecourt scan shows this name")
    }
    if selector.kind == .service, selector.service == nil {
      section.reading.recordFutile(
        at: place, section.title, "match: without its UUID a service is only heard where another selector, or [peer], names it")
    }
    guard !selector.isWhole, let kind = selector.kind, kind == .irk || kind == .eid else { return }
    for index in core.keys.indices where core.keys[index].kind.resolves(kind) { return }
    let name = kind == .irk ? "irk" : "eid"
    section.reading.recordFutile(at: place, section.title, "match: \"\(name):*\" matches no device: there is no [[key.\(name)]]")
  }

  /// Whether any radio does.
  private var asksForResponses: Bool {
    for index in core.radios.indices where core.radios[index].activeScan { return true }
    return false
  }
}

private func decimal(_ value: Float) -> String {
  var text = Text<32>()
  text.append(number: value, places: 1)
  return String(text)
}
