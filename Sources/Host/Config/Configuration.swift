package import Core

/// A configuration in force: `core` for the machine, `host` for everything around it.
// Frozen, so that the executable may take `core` out of it.
@frozen package struct Configuration: ~Copyable {
  package var core = Settings()
  package var host = HostSettings()
  package var warnings: [Finding] = []
  /// What no device can ever bring about with these settings.
  package var futile: [Finding] = []
  /// Where each of `core.services` is first named.
  var servicePlaces: [Position] = []

  /// All errors and warnings, in the order of the file.
  package struct Refusal: Error {
    package let findings: [Finding]
  }

  @export(interface) package init(reading source: ConfigurationText) throws(Refusal) {
    let reading = Findings(source)
    reading.isConfiguration = true
    if let node = Document.read(reading).root {
      var root = Section(node, "", reading)
      read(&root)
      root.close()
    }
    let findings = reading.sorted()
    if findings.contains(where: { $0.severity == .error }) { throw Refusal(findings: findings) }
    warnings = findings
    futile = inOrder(reading.futile)
    host.unreadCredentials = reading.unreadCredentials
  }

  /// The defaults.
  init() {}

  mutating func read(_ root: inout Section) {
    var hasPurpose = false
    root.table("gateway") { hasPurpose = readGateway(&$0) }
    if !hasPurpose {
      let place = root.place(of: ["gateway"])
      root.fault(at: place, "gateway: purpose is missing: it is what people were told about being detected")
    }
    readRadios(&root)
    // Before the selectors that name keys and app ids; radios before their triggers.
    root.table("key") { readKeys(&$0) }
    root.table("peer") { readPeer(&$0) }
    root.table("calibration") { readCalibration(&$0) }
    root.table("average") { readAverage(&$0) }
    root.table("zones") { readZones(&$0) }
    root.table("ranging") { readRanging(&$0) }
    let names = readDeviceNames(&root)
    readRegions(&root)
    let triggers = readTriggers(&root)
    orderServices()
    readTransmissions(&root)
    checkTransmitters(&root)
    readSite(&root, triggers)
    readBroker(&root)
    if !root.reading.files.contains(where: { same($0.key, "id_file") }) { host.idFile = host.standardIDFile }
    keepFilesApart(root.reading)
    noteFutile(root)
    noteHold(root)
    noteNames(names)
  }

  private mutating func readGateway(_ section: inout Section) -> Bool {
    section.read("name", &core.gateway.name)
    section.refuse(core.gateway.name, if: ["claim", "peer"], "what the gateways of a site share has topics under that word")
    section.refuseWordsOfLikelihood(core.gateway.name)
    section.read("site", &core.gateway.site)
    section.read("devices", &core.gateway.devices, Limits.devicesLeast...Limits.devicesMost)
    section.read("authorization", &core.gateway.authorization, oneOf: Self.authorizations)
    guard section.node["purpose"] != nil else {
      _ = section.value("purpose")
      return false
    }
    guard let purpose = section.string("purpose") else { return true }
    if purpose.bytes.allSatisfy({ $0 <= 0x20 }) {
      section.fault("purpose", "must not be empty: write what people were told about being detected")
    }
    if purpose.utf8.count > Sentence.capacity { section.fault("purpose", "is longer than \(Sentence.capacity) bytes") }
    core.gateway.purpose = Sentence(purpose)
    return true
  }

  package static var authorizations: [(word: String, choice: Authorization)] {
    [("always", .always), ("when-in-use", .whenInUse), ("denied", .denied)]
  }
}
