import Core

// [mqtt], [publish], [outbox], [command], [home_assistant], [privacy], [security], [log]: where messages go.

extension Configuration {
  mutating func readBroker(_ root: inout Section) {
    root.table("mqtt") { readMQTT(&$0) }
    root.table("publish") { section in
      section.read("interval_s", seconds: &core.publish.interval, 0.1...86_400)
      section.read("skip_m", &core.publish.skip, 0...100)
      section.read("telemetry_s", seconds: &core.publish.telemetry, 1...86_400)
      host.metricsFile = section.path("metrics_file")
    }
    root.table("outbox") { section in
      if let path = section.path("path") { host.outbox.path = Path(path) }
      section.read("max_events", &host.outbox.maxEvents, 100...10_000_000)
      if let seconds = section.number("max_age_s", 60...315_360_000, whole: true) { host.outbox.maxAge = .seconds(seconds) }
    }
    root.table("command") { $0.read("enabled", &core.publish.commands) }
    root.table("home_assistant") { $0.read("discovery", &core.publish.homeAssistant) }
    root.table("privacy") { section in
      section.read("unknown", &core.publish.unknown, oneOf: [("ignore", .ignore), ("hash", .hash), ("publish", .publish)])
      if let file = section.path("salt_file") { host.saltFile = file }
    }
    root.table("security") { section in
      host.signingKey = section.secret("signing_key_file", neededBy: .whole)
      if let key = host.signingKey, !EventSigner.canRead(key) {
        section.fault("signing_key_file", "holds no Ed25519 key: make one with openssl genpkey -algorithm ed25519")
      }
      readSiteKeys(&section)
    }
    root.table("log") { section in
      section.read("level", &host.log.level, oneOf: [("error", .error), ("warning", .warning), ("info", .info), ("debug", .debug)])
      section.read("format", &host.log.format, oneOf: [("text", .text), ("json", .json)])
    }
  }

  private mutating func readMQTT(_ section: inout Section) {
    if let name = section.string("host") {
      if name.bytes.contains(UInt8(ascii: "@")) {
        // Never repeat what stands before the @: it may be a password.
        section.fault("host", "must be only a name or an address: the login belongs in username and password_file")
      } else if name.utf8.isEmpty || name.bytes.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "/") }) {
        section.fault("host", "(\"\(printable(name))\") must be a name or an address, without a scheme")
      } else if let inner = name.rest(after: "["), let end = inner.utf8.lastIndex(of: UInt8(ascii: "]")) {
        let port = String(inner[inner.utf8.index(after: end)...]).rest(after: ":").map { " and port = " + printable($0) } ?? ""
        section.fault("host", "has an address in brackets: write host = \"\(printable(String(inner[..<end])))\"" + port)
      } else if let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), colon == name.utf8.lastIndex(of: UInt8(ascii: ":")) {
        let (host, port) = (String(name[..<colon]), String(name[name.utf8.index(after: colon)...]))
        section.fault("host", "has the port in it: write host = \"\(printable(host))\" and port = \(printable(port))")
      }
      section.mustFit("host", name.utf8.count, Text<253>.capacity)
      host.broker.host = Text(name)
    }
    readTLS(&section)
    if section.node["tls_ca"] != nil { host.broker.port = BrokerSettings.securePort }
    if let port = section.number("port", 1...65_535, whole: true) { host.broker.port = UInt16(port) }
    if let version = section.number("version", -1e15...1e15, whole: true) {
      if version != 4 && version != 5 { section.fault("version", "(\(String(number: version))) must be 5 or 4") }
      host.broker.version = version == 4 ? .v311 : .v5
    }
    section.read("prefix", &core.publish.prefix)
    if !core.publish.prefix.isEmpty, core.publish.prefix[0] == UInt8(ascii: "$") {
      section.fault("prefix", "must not begin with $: such topics belong to the broker")
    }
    // Below five seconds libmosquitto refuses.
    if let seconds = section.number("keepalive_s", 5...65_535, whole: true) { host.broker.keepalive = .seconds(seconds) }
    readPassword(&section)
    if section.node["tls_ca"] == nil { warnOfPlainText(section) }
  }

  private func warnOfPlainText(_ section: Section) {
    if section.node["password_file"] != nil, !Examined.isHere(String(host.broker.host)) {
      section.warning("password_file", "goes out in clear: set tls_ca")
    }
    if host.broker.port == BrokerSettings.securePort { section.warning("port", "(8883) is for TLS, which only tls_ca switches on") }
  }

  private mutating func readPassword(_ section: inout Section) {
    if let name = section.string("username") {
      if name.utf8.isEmpty || name.bytes.contains(0) { section.fault("username", "must not be empty") }
      section.mustFit("username", name.utf8.count, Text<64>.capacity)
      host.broker.username = Text(name)
    }
    if let bytes = section.secret("password_file", neededBy: .whole) {
      var password = bytes
      while password.last == 0x0A || password.last == 0x0D { password.removeLast() }
      if password.isEmpty { section.fault("password_file", "holds no password") }
      section.mustFit("password_file", password.count, Text<255>.capacity)
      if password.contains(0) { section.fault("password_file", "holds a zero byte; a password is text") }
      for byte in password { host.broker.password.append(byte: byte) }
    }
    if section.node["username"] != nil && section.node["password_file"] == nil {
      let words = "username has no password_file beside it: a broker that wants a name wants a password, too"
      section.reading.recordFutile(at: section.place(of: ["username"]), section.title, words)
    }
    if section.node["password_file"] != nil && section.node["username"] == nil {
      section.fault("password_file", "needs a username beside it")
    }
  }

  private mutating func readTLS(_ section: inout Section) {
    let authority = section.readable("tls_ca")
    let certificate = section.readable("tls_cert")
    let key = section.confidential("tls_key")
    var isInsecure = false
    section.read("tls_insecure", &isInsecure)
    let node = section.node
    let has = { (key: String) in node[key] != nil }
    if has("tls_cert") != has("tls_key") {
      section.fault(at: section.place(of: ["tls_cert", "tls_key"]), "tls_cert and tls_key must be given together")
    }
    if !has("tls_ca") && (has("tls_cert") || isInsecure) {
      section.fault(
        at: section.place(of: ["tls_cert", "tls_insecure"]), "without tls_ca there is no TLS at all; name the authority's certificate")
    }
    if isInsecure && has("tls_ca") {
      section.warning("tls_insecure", "lets anybody with a certificate of the same authority pose as the broker")
    }
    guard let authority else { return }
    host.broker.authorities = Path(authority)
    host.broker.certificate = Path(certificate ?? "")
    host.broker.key = Path(key ?? "")
    host.broker.isInsecure = isInsecure
  }
}
