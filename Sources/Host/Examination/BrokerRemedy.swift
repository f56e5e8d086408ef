import Core

// What failed at the broker, and what to do about it.

extension Examined {
  static func failed(
    _ fault: MQTTFault, _ call: BrokerCall, _ settings: CourierSettings, _ place: String, _ meanwhile: @escaping () -> Void
  ) -> Examined {
    let words = words(fault)
    var isForbidden = words.rest(after: "the broker refuses us: ") != nil
    var remedy = remedy(words, settings.broker) ?? (call.isUnanswered ? unanswered(settings, meanwhile) : "")
    // Some brokers end the connection of whoever writes what they forbid.
    if remedy.isEmpty, !isForbidden {
      switch call.answer {
      case .none, .takesNoneAsLong: break
      case .connected: (isForbidden, remedy) = (true, ", after we wrote to \(String(settings.topics.check)): " + needs(settings))
      case .mayWrite, .wroteUnseen, .mayNotWrite: (isForbidden, remedy) = (true, ", after we made a claim: its " + needsOfClaims(settings))
      }
    }
    let command = remedyCommand(words, settings.broker)
    return Examined("broker", .bad(isForbidden ? .forbidden : .unavailable), "\(place): \(words)\(remedy)", command: command)
  }

  /// libmosquitto's sentences end, ours go on.
  private static func words(_ fault: MQTTFault) -> String {
    let bytes = Array(fault.said.utf8)
    return bytes.last == UInt8(ascii: ".") ? String(decoding: bytes.dropLast(), as: UTF8.self) : fault.said
  }

  static func needs(_ settings: CourierSettings) -> String {
    let base = String(settings.topics.base)
    return "its access list must allow write \(base)/#, and read \(base)/check for this check"
  }

  static func needsOfClaims(_ settings: CourierSettings) -> String {
    let site = String(settings.topics.site)
    return "access list must allow write \(site)/claim/+/+/\(String(settings.name)) and read \(site)/claim/#"
  }

  private static let keepsNothing =
    ": this broker keeps no retained messages, and the gateway needs them: at a mosquitto set retain_available true, or take another broker"

  private static let takesNoQoS = ": the gateway needs QoS 1: at a mosquitto set max_qos 2, or take another broker"

  /// It took the connection and greets nobody, as some do with whom they do not understand: another call finds out whether it would greet
  /// MQTT 3.1.1 or, if that is what we spoke, whoever has no will; a third, whether it takes one that it need not retain.
  private static func unanswered(_ settings: CourierSettings, _ meanwhile: @escaping () -> Void) -> String {
    let isOld = settings.broker.version == .v311
    var other = settings
    other.broker.version = .v311
    if greets(other, hasWill: !isOld, meanwhile) {
      guard isOld else { return ": it speaks only MQTT 3.1.1: set [mqtt] version = 4" }
      other.simulated = true
      return greets(other, hasWill: true, meanwhile) ? keepsNothing : takesNoQoS
    }
    let tried = isOld ? "" : ", nor does it speak MQTT 3.1.1"
    return tried + (settings.broker.usesTLS ? ": " : ": it may want TLS there: set tls_ca; or ") + "this is a port for websockets or AMQP"
  }

  private static func greets(_ settings: CourierSettings, hasWill: Bool, _ meanwhile: @escaping () -> Void) -> Bool {
    let call = BrokerCall(settings, until: Clock.now() + .seconds(2), meanwhile)
    call.hasWill = hasWill
    return call.isAnswered()
  }

  private static func remedyCommand(_ words: String, _ broker: BrokerSettings) -> String? {
    guard holds(words, "onnection refused"), isHere(String(broker.host)) else { return nil }
    let isInstalled = FileSystem.exists(Path("/usr/sbin/mosquitto"))
    return isInstalled ? "systemctl enable --now mosquitto" : "apt-get install -y mosquitto mosquitto-clients"
  }

  static func isHere(_ host: String) -> Bool { same(host, "localhost") || same(host, "::1") || host.rest(after: "127.") != nil }

  /// What to do about it, where the cause is known.
  private static func remedy(_ words: String, _ broker: BrokerSettings) -> String? {
    if holds(words, "ot authori") || holds(words, "ad user name") || holds(words, "ad username") || holds(words, "ad User Name") {
      if !broker.username.isEmpty { return ": set the right username and password_file; at a mosquitto: mosquitto_passwd FILE NAME" }
      return ": set username and password_file; or let anybody in, for a first try: allow_anonymous true in mosquitto's configuration"
    }
    if holds(words, "onnection refused") {
      guard isHere(String(broker.host)) else {
        return
          ": no broker listens there: start it; a mosquitto listens to its own machine only, until its configuration says listener 1883"
      }
      return ": no broker runs here: apt install mosquitto, or systemctl start mosquitto"
    }
    if holds(words, "cannot be resolved") { return ": write its address in [mqtt] host, or look whether this machine has a name server" }
    if let remedy = tlsRemedy(words, broker) { return remedy }
    if holds(words, "protocol version") || holds(words, "Protocol Version") { return ": set [mqtt] version = 4" }
    if holds(words, "Retain not supported") { return keepsNothing }
    return holds(words, "QoS not supported") ? takesNoQoS : nil
  }

  private static func tlsRemedy(_ words: String, _ broker: BrokerSettings) -> String? {
    guard broker.usesTLS else { return nil }
    if holds(words, "host name verification") { return ": write in [mqtt] host the name or address that its certificate has" }
    if holds(words, "certificate verify failed") {
      return ": another authority than tls_ca signed its certificate, or it has expired, or this machine's clock is wrong (date)"
    }
    if holds(words, "unexpected eof") || holds(words, "wrong version number") {
      return ": it does not speak TLS at this port: set the port at which it does (8883 as a rule), or take tls_ca out"
    }
    if holds(words, "alert protocol version") || holds(words, "unsupported protocol") { return ": it must speak TLS 1.2 or newer" }
    // The second where its alert came too early for OpenSSL to keep.
    guard holds(words, "alert") || same(words, "Protocol error") else { return nil }
    let pair = ": it refuses our certificate, or wants one: set tls_cert and tls_key to a pair that its authority signed"
    return holds(words, "handshake failure") ? pair + "; or it wants a pre-shared key there, which the gateway does not speak" : pair
  }
}
