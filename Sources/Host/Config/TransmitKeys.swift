import Core

// [[transmit]]: the beacons that this gateway's own radio sends.

extension Configuration {
  mutating func readTransmissions(_ root: inout Section) {
    root.tables("transmit", atMost: TransmitList.capacity, namedBy: "kind") { section in
      var transmission = TransmitSettings()
      transmission.measuredPower = core.calibration.measuredPower
      let faults = section.reading.count
      section.read("kind", &transmission.kind, oneOf: Self.kinds)
      let kindIsKnown = section.reading.count == faults
      readContent(&section, &transmission, kindIsKnown)
      if let power = section.number("tx_power_dbm", -127...20, whole: true) { transmission.txPower = Int8(power) }
      section.read("measured_power_dbm", &transmission.measuredPower, Self.powers)
      section.read("interval_ms", milliseconds: &transmission.interval, 20...10_240)
      if section.reading.count == faults { warn(of: transmission, section) }
      warn(ofMeasured: transmission.measuredPower, section)
      _ = core.transmissions.append(transmission)
    }
  }

  /// Our own triggers ignore it, but our regions do not, and a neighbour's triggers are mostly like ours.
  private func warn(of transmission: TransmitSettings, _ section: Section) {
    guard let identity = transmission.identity else { return }
    var names: [String] = []
    for index in core.triggers.indices where core.isMatched(identity, by: core.triggers[index].match) {
      names.append("trigger \"\(printable(String(core.triggers[index].name)))\"")
    }
    for index in core.regions.indices where core.isMatched(identity, by: core.regions[index].match) {
      names.append("region \"\(printable(String(core.regions[index].name)))\"")
    }
    guard !names.isEmpty else { return }
    let words =
      "is matched by \(firstThree(names)). This gateway's triggers ignore its own beacon; its regions, "
      + "and all other gateways that match it, take it for a customer's. Send another id, or match fewer"
    section.reading.record(.warning, at: section.place(of: ["kind"]), section.title, words)
  }

  /// On a shared adapter the kernel owns connections and advertising sets.
  mutating func checkTransmitters(_ root: inout Section) {
    for (index, adapter) in host.adapters.enumerated() {
      guard case .hci(_, .raw) = adapter else { continue }
      let remedy = "in mode \"user\"; radio \(index + 1) is shared (mode = \"raw\")"
      if core.peer.identify { root.fault(at: root.place(of: ["peer"]), "peer: identify needs an adapter \(remedy)") }
      guard index == 0 else { continue }
      if core.peer.serve { root.fault(at: root.place(of: ["peer"]), "peer: serve needs an adapter \(remedy)") }
      if !core.transmissions.isEmpty { root.fault(at: root.place(of: ["transmit"]), "transmit needs an adapter \(remedy)") }
    }
  }

  private static var kinds: [(word: String, choice: TransmitSettings.Kind)] {
    [("ibeacon", .iBeacon), ("altbeacon", .altBeacon), ("eddystone-uid", .eddystoneUID), ("eddystone-url", .eddystoneURL)]
  }

  private func readContent(_ section: inout Section, _ transmission: inout TransmitSettings, _ kindIsKnown: Bool) {
    let uuid = section.uuid("uuid")
    var major = 0
    var minor = 0
    var company = Int(transmission.company)
    section.read("major", &major, 0...0xFFFF)
    section.read("minor", &minor, 0...0xFFFF)
    section.read("company", &company, 0...0xFFFF)
    let id = section.hex("id", 20)
    let namespace = section.hex("namespace", 10)
    let instance = section.hex("instance", 6)
    let url = section.url("url")
    transmission.company = UInt16(company)
    if uuid == .watchSetup { section.fault("uuid", "is the Apple Watch's, which raises a pop-up on phones and must never be sent") }
    guard kindIsKnown else { return }
    switch transmission.kind {
    case .iBeacon:
      section.needs(["uuid"], mayHave: ["major", "minor"])
      for place in 0..<16 { transmission.content.append(byte: uuid?.byte(place) ?? 0) }
      for number in [major, minor] {
        transmission.content.append(byte: UInt8(number >> 8))
        transmission.content.append(byte: UInt8(number & 0xFF))
      }
    case .altBeacon:
      section.needs(["id"], mayHave: ["company"])
      transmission.content.append(id)
    case .eddystoneUID:
      section.needs(["namespace", "instance"], mayHave: [])
      transmission.content.append(namespace)
      transmission.content.append(instance)
    case .eddystoneURL:
      section.needs(["url"], mayHave: [])
      transmission.content.append(url)
    }
  }
}

extension Text {
  fileprivate mutating func append(_ bytes: [UInt8]) {
    for byte in bytes { append(byte: byte) }
  }
}

extension Section {
  /// Of the keys that only some kinds of beacons have: which must be here, and which may.
  fileprivate func needs(_ needed: [String], mayHave optional: [String]) {
    for key in needed where node[key] == nil { fault(at: node.at, "\(key) is missing") }
    for key in ["uuid", "major", "minor", "id", "company", "namespace", "instance", "url"] where node[key] != nil {
      if needed.contains(where: { same($0, key) }) || optional.contains(where: { same($0, key) }) { continue }
      fault(key, "does not belong to this kind; it has " + listed(needed + optional, with: "and"))
    }
  }

  fileprivate mutating func hex(_ key: String, _ count: Int) -> [UInt8] {
    guard let text = string(key) else { return [] }
    if let bytes = hexBytes(text.bytes), bytes.count == count { return bytes }
    fault(key, "(\"\(printable(text))\") must be \(2 * count) hexadecimal digits")
    return []
  }

  fileprivate mutating func url(_ key: String) -> [UInt8] {
    guard let text = string(key) else { return [] }
    guard let bytes = eddystoneURL(text) else {
      fault(key, "(\"\(printable(text))\") must begin with http:// or https:// and have only printable ASCII characters")
      return []
    }
    if bytes.count > 18 { fault(key, "(\"\(printable(text))\") has \(bytes.count - 1) bytes when encoded; an advert has room for 17") }
    return bytes
  }
}
