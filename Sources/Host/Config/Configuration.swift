package import Core

/// A configuration in force: what Core is lent, and what the rim keeps.
// Frozen, so that the executable may take `core` out of it.
@frozen package struct Configuration: ~Copyable {
  package var core = Settings()
  package var host = HostSettings()
  package var warnings: [Finding] = []

  /// Everything that is wrong, in the order of the file; warnings among it.
  package struct Refusal: Error {
    package let findings: [Finding]
  }

  @export(interface) package init(reading source: ConfigurationText) throws(Refusal) {
    let reading = Findings(source)
    let document = Document(reading: source.text)
    if let (at, words) = document.error { reading.note(.error, at: at, "", Self.plain(words)) }
    if let node = document.root {
      var root = Section(node, "", reading)
      read(&root)
      root.close()
    }
    let findings = reading.sorted()
    if findings.contains(where: { $0.severity == .error }) { throw Refusal(findings: findings) }
    warnings = findings
  }

  private mutating func read(_ root: inout Section) {
    var purposeIsSaid = false
    root.table("gateway") { purposeIsSaid = readGateway(&$0) }
    if !purposeIsSaid {
      let place = root.place(of: ["gateway"])
      root.fault(at: place, "gateway: purpose is missing: it is the sentence that the people who are heard were told")
    }
    readRadios(&root)
    // Keys before whatever matches them, radios before the triggers that stand at them.
    root.table("key") { readKeys(&$0) }
    root.table("calibration") { readCalibration(&$0) }
    root.table("average") { readAverage(&$0) }
    root.table("zones") { readZones(&$0) }
    root.table("ranging") { readRanging(&$0) }
    root.table("peer") { readPeer(&$0) }
    readRegions(&root)
    readTriggers(&root)
    readTransmissions(&root)
    checkVoices(&root)
    readSite(&root)
    readBroker(&root)
  }

  private mutating func readGateway(_ section: inout Section) -> Bool {
    section.read("name", &core.gateway.name)
    for word in ["claim", "peer"] where core.gateway.name == Name(word) {
      section.fault("name", "must not be \"\(word)\": what the gateways of a site share has topics under that word")
    }
    section.read("site", &core.gateway.site)
    section.read("devices", &core.gateway.devices, Limits.devicesLeast...Limits.devicesMost)
    section.read("authorization", &core.gateway.authorization, oneOf: Self.authorizations)
    guard section.node["purpose"] != nil else {
      _ = section.value("purpose")
      return false
    }
    guard let purpose = section.string("purpose") else { return true }
    if purpose.utf8.allSatisfy({ $0 <= 0x20 }) {
      section.fault("purpose", "must not be empty: say what the people who are heard were told")
    }
    if purpose.utf8.count > Sentence.capacity { section.fault("purpose", "is longer than \(Sentence.capacity) bytes") }
    core.gateway.purpose = Sentence(purpose)
    return true
  }

  package static var authorizations: [(word: String, choice: Authorization)] {
    [("always", .always), ("when-in-use", .whenInUse), ("denied", .denied)]
  }

  /// toml++ names the place twice; once is enough.
  private static func plain(_ words: String) -> String {
    // `'0x00…' is not representable in 64 bits`: a key without its quotation marks. No line that goes to a journal tells it.
    let bytes = Array(words.utf8)
    let quote = UInt8(ascii: "'")
    var told = words
    if let first = bytes.firstIndex(of: quote), let last = bytes.lastIndex(of: quote), last - first > 8 {
      let quoted = bytes[(first + 1)..<last]
      if quoted.allSatisfy({ hexDigit($0) != nil || "xXoO_+-.eE".utf8.contains($0) }) {
        told = String(decoding: bytes[...first] + Array("…".utf8) + bytes[last...], as: UTF8.self)
      }
    }
    if let rest = told.rest(after: "Error while parsing ") { return "syntax error in " + rest }
    return "syntax error: " + told
  }
}
