import Core

// [[key.irk]], [[key.eid]], [peer]: keys that resolve rotating addresses, and asking phones for their ids.

extension Configuration {
  mutating func readKeys(_ section: inout Section) {
    section.tables("irk", atMost: KeyList.capacity, namedBy: "alias") { readKey(&$0, .irk) }
    section.tables("eid", atMost: KeyList.capacity, namedBy: "alias") { table in
      // With a guess no id would ever be resolved.
      for key in ["exponent", "clock"] where table.node[key] == nil { table.fault(at: table.node.at, "\(key) is missing") }
      var exponent = 0
      var clock = 0.0
      table.read("exponent", &exponent, 0...15)
      if let number = table.number("clock", 0...Double(UInt32.max), whole: true) { clock = number }
      readKey(&table, .eid(exponent: UInt8(exponent), clock: UInt32(clock)))
    }
  }

  private mutating func readKey(_ section: inout Section, _ kind: KeySettings.Kind) {
    var key = KeySettings()
    key.kind = kind
    key.alias = section.name("alias")
    for index in core.keys.indices where core.keys[index].alias == key.alias && !key.alias.isEmpty {
      if case .irk = kind, core.keys[index].kind.resolves(.irk) { section.fault("alias", "is taken by another key") }
      if case .eid = kind, core.keys[index].kind.resolves(.eid) { section.fault("alias", "is taken by another key") }
    }
    if let bytes = keyBytes(&section) {
      for place in 0..<16 { key.key[place] = bytes[place] }
      for index in core.keys.indices where core.keys[index].key == key.key && core.keys[index].kind.resolves(.irk) == kind.resolves(.irk) {
        // Its device would be known by the first alias alone.
        let known = String(core.keys[index].alias)
        section.warning("alias", "is a second name for the key of \"\(known)\": its device is only known as \(known)")
        break
      }
    }
    if core.keys.append(key) != nil { section.fault(at: section.node.at, "there are more than \(KeyList.capacity) keys in all") }
  }

  private func keyBytes(_ section: inout Section) -> [UInt8]? {
    let inline = section.string("key")
    if inline != nil { section.mustBePrivate(because: "key") }
    let file = section.secret("key_file", neededBy: .hearing)
    let hasFile = section.node["key_file"] != nil
    if section.node["key"] != nil && hasFile { section.fault("key_file", "and key cannot both be given") }
    if section.node["key"] == nil && !hasFile { section.fault(at: section.node.at, "key_file (or key) is missing") }
    let bytes: [UInt8]?
    if let inline {
      bytes = hexBytes(inline.bytes)
    } else if let file {
      bytes = file.count == 16 ? file : hexBytes(file)
    } else {
      return nil
    }
    let isKey = bytes?.count == 16
    if isKey, let bytes, !isPlaceholder(bytes) { return bytes }
    // Never the key itself: journals keep this line.
    let words = isKey ? "is no secret: its bytes are all equal" : "must hold 16 bytes: 32 hexadecimal digits"
    section.fault(inline == nil ? "key_file" : "key", words)
    return nil
  }

  mutating func readPeer(_ section: inout Section) {
    section.read("identify", &core.peer.identify)
    section.read("serve", &core.peer.serve)
    section.read("hold", &core.peer.hold)
    if core.peer.hold, !core.peer.identify { section.warning("hold", "does nothing without identify") }
    if let file = section.path("id_file") { host.idFile = file }
    if let service = section.uuid("service") {
      core.peer.service = service
      if service.overflowPosition == ServiceUUID.forbiddenPosition {
        section.fault("service", "has overflow position 69, which raises a pop-up on phones and must never be set; choose another UUID")
      }
    }
    if let text = section.string("id_prefix") {
      if let prefix = Self.idPrefix(text) {
        core.peer.idPrefix = prefix
      } else {
        section.fault("id_prefix", "(\"\(printable(text))\") must be the first 24 digits of a UUID: xxxxxxxx-xxxx-xxxx-xxxx-xxxx")
      }
    }
    if core.peer.identify { listenFor(core.peer.service, at: section.place(of: ["service", "identify"]), section) }
  }

  /// The four missing bytes are the id.
  private static func idPrefix(_ text: String) -> ServiceUUID? {
    guard text.utf8.count == 28 else { return nil }
    return try? ServiceUUID(written: Text<36>(text + "00000000").bytes)
  }
}

extension ServiceUUID {
  /// The Apple Watch's set-up, 9AA4730F-B25C-4CC3-B821-C931559FC196, stands at this position.
  static let forbiddenPosition: UInt8 = 69
  static let watchSetup = ServiceUUID(0x9AA4_730F_B25C_4CC3, 0xB821_C931_559F_C196)
}

extension Section {
  mutating func uuid(_ key: String) -> ServiceUUID? {
    guard let text = string(key) else { return nil }
    do throws(Unreadable) {
      return try ServiceUUID(written: Text<40>(text).bytes)
    } catch {
      fault(key, "(\"\(printable(text))\") is no UUID (8-4-4-4-12 hexadecimal digits)")
      return nil
    }
  }
}
