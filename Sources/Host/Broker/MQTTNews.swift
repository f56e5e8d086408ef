import CLinux
import CMosquitto
import Core

/// Why there is no connection, in words.
struct MQTTFault: Error {
  var said = Sentence()
  /// The connection is as good as before: one message is not to be sent on it.
  var isOfMessage = false
  /// What the broker sent was too long to be taken.
  var isOfContent = false

  init(_ words: StaticString) { said.append(words) }

  init(_ words: StaticString, _ path: Path, errno: CInt) {
    said.append(words)
    said.append(" ")
    said.append(path)
    said.append(": ")
    // SAFETY: strerror answers every number with a terminated text.
    unsafe said.append(cString: strerror(errno))
  }
}

/// What libmosquitto reported during its last calls, for the courier to act on afterwards.
struct MQTTNews {
  struct Acknowledgement: BitwiseCopyable {
    var identifier: Int32 = 0
    /// MQTT 5, 2.4: from 0x80 on the broker refused it.
    var reason: Int32 = 0
  }

  enum Greeted: BitwiseCopyable { case not, fresh, resumed }

  var greeted = Greeted.not
  var refusal: MQTTFault?
  /// What libmosquitto's log said went wrong while connecting: OpenSSL's words come only there.
  var complaint = Sentence()
  /// QoS 0 packets that the socket has not taken yet.
  var unwritten = 0
  var acknowledged = Bounded<256, Acknowledgement>(filledWith: Acknowledgement())
  var subscriptionsRefused = 0
}

extension MQTTClient {
  /// Called by libmosquitto within our own calls, on the same thread.
  func listen(on client: OpaquePointer) {
    // SAFETY: here and below: `at` says why the link is there; what libmosquitto lends is read before the call ends.
    unsafe mosquitto_connect_v5_callback_set(client) { client, link, reason, flags, _ in
      unsafe MQTTClient.at(link).greeted(reason, isResumed: flags & 1 != 0)
      // The log is formatted for every packet, even when nobody reads it.
      unsafe mosquitto_log_callback_set(client, nil)
    }
    // SAFETY: as above.
    unsafe mosquitto_disconnect_v5_callback_set(client) { _, link, reason, _ in unsafe MQTTClient.at(link).dismissed(reason) }
    unsafe mosquitto_publish_v5_callback_set(client) { _, link, identifier, reason, _ in
      unsafe MQTTClient.at(link).acknowledged(identifier, reason)
    }
    // SAFETY: as above.
    unsafe mosquitto_subscribe_v5_callback_set(client) { _, link, _, count, granted, _ in
      // SAFETY: libmosquitto gives `count` answers.
      for index in 0..<Int(count) where unsafe granted![index] >= 0x80 { unsafe MQTTClient.at(link).news.subscriptionsRefused += 1 }
    }
    unsafe mosquitto_message_v5_callback_set(client) { _, link, message, properties in
      // SAFETY: the message is libmosquitto's until the call ends; the topic ends with a zero, the payload has its length.
      let message = unsafe message!.pointee
      let topic = unsafe RawSpan(_unsafeStart: message.topic, byteCount: strlen(message.topic))
      let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      // SAFETY: as above; a list without it leaves `seconds` alone.
      var seconds: UInt32 = 0
      let expires = unsafe mosquitto_property_read_int32(properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false)
      let left = unsafe expires == nil ? nil : Interval.seconds(Double(seconds))
      unsafe MQTTClient.at(link).receive(topic, payload.bytes, message.retain, left)
    }
    // SAFETY: as above; the words end with a zero.
    unsafe mosquitto_log_callback_set(client) { _, link, level, words in
      guard level == MOSQ_LOG_ERR else { return }
      let link = unsafe MQTTClient.at(link)
      // The first is the cause; what follows are its consequences in other layers.
      guard link.news.complaint.isEmpty else { return }
      unsafe link.news.complaint.append(cString: words)
    }
  }

  private static func at(_ opaque: UnsafeMutableRawPointer?) -> MQTTClient {
    // SAFETY: `prepare` gave the client its link, which destroys the client before it goes itself.
    unsafe Unmanaged<MQTTClient>.fromOpaque(opaque!).takeUnretainedValue()
  }

  private func greeted(_ reason: CInt, isResumed: Bool) {
    guard reason != 0 else {
      news.greeted = isResumed ? .resumed : .fresh
      return
    }
    var fault = MQTTFault("the broker refuses us: ")
    // SAFETY: both answer every number with a literal.
    unsafe fault.said.append(cString: reason >= 0x80 ? mosquitto_reason_string(reason) : mosquitto_connack_string(reason))
    news.refusal = fault
  }

  private func dismissed(_ reason: CInt) {
    guard reason >= 0x80 else { return }
    var fault = MQTTFault("the broker ended the connection: ")
    // SAFETY: it answers every number with a literal.
    unsafe fault.said.append(cString: mosquitto_reason_string(reason))
    if reason == MQTT_RC_SESSION_TAKEN_OVER.rawValue { fault.said.append("; is there another gateway of the same site and name?") }
    news.refusal = fault
  }

  /// While we read, the broker's acknowledgements; else QoS 0 packets that the socket has taken, of which nobody keeps a list.
  private func acknowledged(_ identifier: CInt, _ reason: CInt) {
    if isReading, inFlight.holds(identifier) {
      _ = news.acknowledged.append(MQTTNews.Acknowledgement(identifier: identifier, reason: reason))
    } else {
      news.unwritten = max(news.unwritten - 1, 0)
    }
  }
}
