import CLinux
import CMosquitto
import Core

/// Why there is no connection, or why one message cannot be sent.
struct MQTTFault: Error {
  /// Not a text in place, as in StoreFault.
  var said: String
  /// Only this message cannot be sent; the connection is fine.
  var isOfMessage = false
  /// The broker sent a message that is too long.
  var isOfContent = false
  /// The broker gave the connection to another client with our identifier.
  var isTakeover = false

  init(_ said: String) { self.said = said }
}

/// What libmosquitto's callbacks reported, for the courier to act on after the call.
struct MQTTNews {
  struct Acknowledgement: BitwiseCopyable {
    var identifier: Int32 = 0
    /// MQTT 5, 2.4: from 0x80 on the broker refused it.
    var reason: Int32 = 0
  }

  enum Greeted: BitwiseCopyable { case not, fresh, resumed }

  var greeted = Greeted.not
  /// MQTT 5, 3.2.2.3.14: what the broker wants instead of ours. libmosquitto keeps it.
  var keepalive: Interval?
  var refusal: MQTTFault?
  /// The error that libmosquitto logged while connecting: OpenSSL's messages appear only there.
  var complaint = Sentence()
  /// QoS 0 packets that the socket has not accepted yet.
  var unwritten = 0
  var acknowledged = Bounded<256, Acknowledgement>(filledWith: Acknowledgement())
  var subscriptionsRefused = 0
  /// Messages and acknowledgements that were read.
  var arrived = 0
}

extension MQTTClient {
  /// Called by libmosquitto within our own calls, on the same thread.
  func listen(on handle: OpaquePointer) {
    // SAFETY: here and below: `at` says why the client is there; what libmosquitto lends is read before the call ends.
    unsafe mosquitto_connect_v5_callback_set(handle) { handle, context, reason, flags, properties in
      // SAFETY: a list without it leaves `number` alone.
      var number: UInt16 = 0
      let kept = unsafe mosquitto_property_read_int16(properties, CInt(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &number, false)
      if unsafe kept != nil, number > 0 { unsafe MQTTClient.at(context).news.keepalive = .seconds(Double(number)) }
      // SAFETY: as above.
      let quota = unsafe mosquitto_property_read_int16(properties, CInt(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &number, false)
      if unsafe quota != nil { unsafe MQTTClient.at(context).inFlight.most = Int(number) }
      unsafe MQTTClient.at(context).greeted(reason, isResumed: flags & 1 != 0)
      // libmosquitto formats log lines for every packet, even if nobody reads them.
      unsafe mosquitto_log_callback_set(handle, nil)
    }
    // SAFETY: as above.
    unsafe mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in unsafe MQTTClient.at(context).dismissed(reason) }
    unsafe mosquitto_publish_v5_callback_set(handle) { _, context, identifier, reason, _ in
      unsafe MQTTClient.at(context).acknowledged(identifier, reason)
    }
    // SAFETY: as above.
    unsafe mosquitto_subscribe_v5_callback_set(handle) { _, context, _, count, granted, _ in
      // SAFETY: libmosquitto gives `count` answers.
      for index in 0..<Int(count) where unsafe granted![index] >= 0x80 { unsafe MQTTClient.at(context).news.subscriptionsRefused += 1 }
    }
    unsafe mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
      // SAFETY: the message is libmosquitto's until the call ends; the topic ends with a zero, the payload has its length.
      let message = unsafe message!.pointee
      let topic = unsafe RawSpan(_unsafeStart: message.topic, byteCount: strlen(message.topic))
      let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      // SAFETY: as above; a list without it leaves `seconds` alone.
      var seconds: UInt32 = 0
      let expires = unsafe mosquitto_property_read_int32(properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false)
      let left = unsafe expires == nil ? nil : Interval.seconds(Double(seconds))
      let client = unsafe MQTTClient.at(context)
      client.news.arrived += 1
      unsafe client.receive(topic, payload.bytes, message.retain, left)
    }
    // SAFETY: as above; the words end with a zero.
    unsafe mosquitto_log_callback_set(handle) { _, context, level, words in
      guard level == MOSQ_LOG_ERR else { return }
      let client = unsafe MQTTClient.at(context)
      // The first is the cause; later ones are its consequences in other layers.
      guard client.news.complaint.isEmpty else { return }
      unsafe client.news.complaint.append(cString: words)
    }
  }

  private static func at(_ opaque: UnsafeMutableRawPointer?) -> MQTTClient {
    // SAFETY: `prepare` gave libmosquitto this client, which destroys the handle before it goes itself.
    unsafe Unmanaged<MQTTClient>.fromOpaque(opaque!).takeUnretainedValue()
  }

  private func greeted(_ reason: CInt, isResumed: Bool) {
    guard reason != 0 else {
      news.greeted = isResumed ? .resumed : .fresh
      return
    }
    // SAFETY: both answer every number with a literal.
    let why = unsafe String(cString: reason >= 0x80 ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason))
    news.refusal = MQTTFault("the broker refuses us: " + why)
  }

  private func dismissed(_ reason: CInt) {
    guard reason >= 0x80 else { return }
    // SAFETY: it answers every number with a literal.
    var words = unsafe "the broker ended the connection: " + String(cString: mosquitto_reason_string(reason))
    let isTakeover = reason == MQTT_RC_SESSION_TAKEN_OVER.rawValue
    if isTakeover { words += "; is there another gateway of the same site and name?" }
    news.refusal = MQTTFault(words)
    news.refusal?.isTakeover = isTakeover
  }

  /// While we read: the broker's acknowledgement. Else: the socket has accepted a QoS 0 packet, which is only counted.
  private func acknowledged(_ identifier: CInt, _ reason: CInt) {
    if isReading, inFlight.holds(identifier) {
      news.arrived += 1
      _ = news.acknowledged.append(MQTTNews.Acknowledgement(identifier: identifier, reason: reason))
    } else {
      news.unwritten = max(news.unwritten - 1, 0)
    }
  }
}
