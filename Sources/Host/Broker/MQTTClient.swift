import CLinux
import CMosquitto
import Core

/// A client of libmosquitto. Each connection gets a new handle, so that nothing of libmosquitto's own queue survives: what must survive
/// waits in the outbox. All that is unsafe about libmosquitto stays here and in MQTTNews.
///
/// Used by one thread at a time: the courier's, or the dialer's while it connects (see Dialer).
@safe final class MQTTClient: @unchecked Sendable {
  var handle: OpaquePointer?
  private var properties: OpaquePointer?
  private(set) var settings = BrokerSettings()
  /// "application/json", for every publication of an MQTT 5 session.
  private var jsonType: OpaquePointer?
  var news = MQTTNews()
  var inFlight = InFlight()
  /// When the broker last sent a message or an acknowledgement.
  var heard = Instant.zero
  private(set) var isReading = false
  private(set) var isGathering = false
  let receive: Receive

  /// Topic, payload, whether the broker retained it, and the time until it expires, if its sender set one.
  typealias Receive = (_ topic: RawSpan, _ payload: RawSpan, _ isRetained: Bool, _ left: Interval?) -> Void

  init(_ receive: @escaping Receive) {
    self.receive = receive
    mosquitto_lib_init()
    // SAFETY: the list of properties is ours, from here to `deinit`.
    unsafe mosquitto_property_add_string(&jsonType, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json")
  }

  deinit {
    discard()
    // SAFETY: as above.
    unsafe mosquitto_property_free_all(&jsonType)
  }

  // -- A connection's life ------------------------------------------------------------------------------------------------

  struct Greeting {
    var identifier: Text<128>
    /// nil: no will.
    var will: Message?
    var isWillRetained = true
  }

  /// How long the broker keeps our session: an older command must not be carried out. MQTT 3 has no such limit (RabbitMQ's is a day), so
  /// there we ask for a clean session; always, because RabbitMQ refuses a client that changes between the two.
  static let sessionKept = Interval.seconds(60)

  func prepare(_ settings: BrokerSettings, _ greeting: Greeting) throws(MQTTFault) {
    discard()
    self.settings = settings
    // SAFETY: libmosquitto copies every text; `self` outlives the handle, which `discard` destroys.
    unsafe handle = greeting.identifier.withCString {
      unsafe mosquitto_new($0, settings.version == .v311, Unmanaged.passUnretained(self).toOpaque())
    }
    guard unsafe handle != nil else { throw MQTTFault("libmosquitto has no memory for a client") }
    unsafe mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, settings.version.rawValue)
    // SAFETY: the handle is there.
    unsafe mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    unsafe mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, CInt(InFlight.capacity))
    unsafe listen(on: handle!)
    try identify(greeting)
    try secure()
  }

  private func identify(_ greeting: Greeting) throws(MQTTFault) {
    // SAFETY: libmosquitto copies name, password, topic, payload, and the properties it is given later.
    if !settings.username.isEmpty {
      try check(
        unsafe settings.username.withCString { name in
          unsafe settings.password.withCString { password in
            unsafe mosquitto_username_pw_set(handle, name, settings.password.isEmpty ? nil : password)
          }
        })
    }
    // SAFETY: as above.
    if let will = greeting.will {
      try check(
        unsafe will.topic.withCString { topic in
          unsafe will.payload.bytes.withUnsafeBytes {
            unsafe mosquitto_will_set(handle, topic, CInt($0.count), $0.baseAddress, 1, greeting.isWillRetained)
          }
        })
    }
    // SAFETY: what an earlier connection left.
    unsafe mosquitto_property_free_all(&properties)
    if settings.version == .v5 {
      // SAFETY: the list is ours until `discard`.
      let kept = UInt32(Self.sessionKept.seconds)
      unsafe mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), kept)
      // A longer packet than any request never reaches our memory.
      unsafe mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), 4_096)
    }
  }

  /// The dialer's thread: resolves the name and connects, which may take minutes. CONNECT and CONNACK follow later.
  func dial() -> MQTTFault? {
    // SAFETY: `prepare` has made the handle, and the courier keeps its hands off until this call is over.
    let code = unsafe settings.host.withCString {
      unsafe mosquitto_connect_bind_v5(handle, $0, CInt(settings.port), CInt(settings.keepalive.seconds), nil, properties)
    }
    let refusal = linux_errno()
    return code == MOSQ_ERR_SUCCESS.rawValue ? nil : fault(code, errno: refusal)
  }

  /// Drops the connection without DISCONNECT, and all that was not acknowledged.
  func discard() {
    news = MQTTNews()
    inFlight.removeAll()
    // SAFETY: nobody else has the handle or the properties, and neither is used after this.
    guard let handle = unsafe handle else { return }
    isGathering = false
    unsafe mosquitto_destroy(handle)
    unsafe self.handle = nil
    unsafe mosquitto_property_free_all(&properties)
  }

  // SAFETY: here and below the handle is there: the courier calls only while it talks.
  func sayGoodbye() { unsafe mosquitto_disconnect_v5(handle, 0, nil) }

  // -- While connected ----------------------------------------------------------------------------------------------------

  // SAFETY: here and below as above.
  var descriptor: CInt { unsafe handle == nil ? -1 : mosquitto_socket(handle) }
  var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

  func read() throws(MQTTFault) {
    isReading = true
    defer { isReading = false }
    mosquitto_bound_memory(Self.mostRead)
    // SAFETY: as above.
    let code = unsafe mosquitto_loop_read(handle, 1)
    let tooLong = mosquitto_bound_memory(0)
    if tooLong > 0 {
      var fault = MQTTFault("the broker sends a message of \(tooLong) bytes on a topic that we read")
      fault.isOfContent = true
      throw fault
    }
    try check(code)
    try audit()
  }

  /// libmosquitto reports no error for a broker's DISCONNECT, nor always for an unanswered ping: it only has no socket any more.
  func audit() throws(MQTTFault) {
    if descriptor < 0 { throw fault(MOSQ_ERR_CONN_LOST.rawValue, errno: 0) }
  }

  /// We read nothing longer than a few hundred bytes; OpenSSL needs some memory, too. libmosquitto allocates whatever length a packet
  /// claims, in MQTT 3 and 5, and has no limit to set.
  private static let mostRead = 262_144

  // SAFETY: as above.
  func write() throws(MQTTFault) { try check(unsafe mosquitto_loop_write(handle, 1)) }
  /// Keepalive: call it at least four times in its interval.
  func tick() throws(MQTTFault) { try check(unsafe mosquitto_loop_misc(handle)) }

  /// Bounds what the kernel holds unsent: messages of the moment would arrive stale.
  func limitUnsent(to bytes: CInt) { set(TCP_NOTSENT_LOWAT, bytes) }

  /// A line that has died without a word is lost after so long, not after two keepalives: a fire would have expired by then.
  func limitUnacknowledged(to limit: Interval) { set(TCP_USER_TIMEOUT, CInt(limit.seconds * 1_000)) }

  private func set(_ option: CInt, _ value: CInt) {
    var value = value
    // SAFETY: the options are ints, and so is what they are given.
    unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), option, &value, 4)
  }

  /// Until `release` the kernel gathers what is written: a segment for each message would double the cost.
  func gather() {
    guard !isGathering, descriptor >= 0 else { return }
    isGathering = true
    cork(1)
  }

  /// Sends what was gathered.
  func release() {
    guard isGathering else { return }
    isGathering = false
    cork(0)
  }

  private func cork(_ isClosed: CInt) { set(TCP_CORK, isClosed) }

  /// QoS 0.
  func publish(_ topic: Topic, _ payload: RawSpan) throws(MQTTFault) {
    news.unwritten += 1
    // SAFETY: the properties are ours, and copied.
    do {
      try unsafe inFlight.doubt(publish(topic, payload, qos: 0, isRetained: false, type))
    } catch {
      news.unwritten -= 1
      throw error
    }
  }

  /// QoS 1: the acknowledgement names `publication`. The caller has checked that there is room in flight.
  func publish(
    _ topic: Topic, _ payload: RawSpan, isRetained: Bool, lasting seconds: UInt32?, as publication: Publication, at now: Instant
  ) throws(MQTTFault) {
    var expiring: OpaquePointer?
    // SAFETY: the list is this call's own; libmosquitto copies it.
    defer { unsafe mosquitto_property_free_all(&expiring) }
    if let seconds, settings.version == .v5 {
      // Not a copy of `jsonType`: of a copied list this libmosquitto sends the first property only.
      unsafe mosquitto_property_add_string(&expiring, CInt(MQTT_PROP_CONTENT_TYPE.rawValue), "application/json")
      unsafe mosquitto_property_add_int32(&expiring, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), seconds)
    }
    // In MQTT 3 a retained message never expires.
    let isKept = isRetained && (seconds == nil || settings.version == .v5)
    // SAFETY: as above.
    try unsafe inFlight.add(publish(topic, payload, qos: 1, isRetained: isKept, expiring ?? type), publication, at: now)
  }

  // SAFETY: only handed on.
  private var type: OpaquePointer? { unsafe settings.version == .v5 ? jsonType : nil }

  private func publish(
    _ topic: Topic, _ payload: RawSpan, qos: CInt, isRetained: Bool, _ properties: OpaquePointer?
  ) throws(MQTTFault) -> Int32 {
    var identifier: Int32 = 0
    // SAFETY: libmosquitto copies topic, payload and properties before it returns.
    let code = unsafe topic.withCString { topic in
      unsafe payload.withUnsafeBytes {
        unsafe mosquitto_publish_v5(handle, &identifier, topic, CInt($0.count), $0.baseAddress, qos, isRetained, properties)
      }
    }
    try check(code)
    return identifier
  }

  func subscribe(_ topic: Topic, qos: Int, wantsRetained: Bool, wantsOwn: Bool = false) throws(MQTTFault) {
    // MQTT 3 has no such options: there the intake drops retained messages and our own. Nor can it know that one is retained which comes while
    // we are connected, as from a bridge, which sends what is retained again whenever its line returns.
    let unretained = MQTT_SUB_OPT_SEND_RETAIN_NEVER.rawValue | MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue
    let wishes = (wantsOwn ? 0 : MQTT_SUB_OPT_NO_LOCAL.rawValue) | (wantsRetained ? 0 : unretained)
    let options = settings.version == .v5 ? CInt(wishes) : 0
    // SAFETY: the topic is copied.
    try check(unsafe topic.withCString { unsafe mosquitto_subscribe_v5(handle, nil, $0, CInt(qos), options, nil) })
  }

  func unsubscribe(_ topic: Topic) throws(MQTTFault) {
    // SAFETY: the topic is copied.
    try check(unsafe topic.withCString { unsafe mosquitto_unsubscribe(handle, nil, $0) })
  }

  func check(_ code: CInt) throws(MQTTFault) {
    if code != MOSQ_ERR_SUCCESS.rawValue { throw fault(code, errno: linux_errno()) }
  }

  /// Mostly limits that a broker states in CONNACK.
  private static let faultsOfMessages = [
    MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_RETAIN_NOT_SUPPORTED, MOSQ_ERR_MALFORMED_UTF8,
  ].map { $0.rawValue }

  private func fault(_ code: CInt, errno: CInt) -> MQTTFault {
    if let told = news.refusal { return told }
    var fault = MQTTFault(words(code, errno))
    fault.isOfMessage = Self.faultsOfMessages.contains(code)
    let complaint = String(news.complaint)
    if !complaint.isEmpty, settings.key.isEmpty || !holds(complaint, String(settings.key)) { fault.said += " " + complaint }
    return fault
  }

  private func words(_ code: CInt, _ errno: CInt) -> String {
    if code == MOSQ_ERR_ERRNO.rawValue { return systemWords(errno) }
    // libmosquitto has no words for it.
    if code == MOSQ_ERR_KEEPALIVE.rawValue { return "the broker does not answer" }
    if code == MOSQ_ERR_EAI.rawValue { return "the name cannot be resolved" }
    // SAFETY: it answers every number with a literal.
    return unsafe String(cString: mosquitto_strerror(code))
  }
}
