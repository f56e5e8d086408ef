import Foundation
import Synchronization

/// A broker that answers as a test wants, and keeps what it was told: MQTT 3.1.1 and 5, on a port of its own, one client after another.
package final class ModelBroker: @unchecked Sendable {
  package struct Greeting {
    package var version: UInt8 = 0
    package var isClean = false
    package var keepalive = 0
    package var identifier = ""
    package var willTopic: String?
    package var willPayload = ""
    package var willFlags: UInt8 = 0
    package var username: String?
    package var password: String?
    /// Properties as they came.
    package var properties: [UInt8] = []
  }

  package struct Publication {
    package var topic: String
    package var payload: String
    package var qos: Int
    package var isRetained: Bool
    package var isAgain: Bool
    package var properties: [UInt8]
  }

  /// What has come, in order.
  package struct Record {
    package var greetings: [Greeting] = []
    package var published: [Publication] = []
    /// Filters with their options.
    package var subscribed: [String: UInt8] = [:]
    package var unsubscribed: [String] = []
    package var pings = 0
    package var goodbyes = 0
    package var ends = 0
  }

  package struct Answers {
    /// The reason and whether a session goes on; nil: no answer.
    package var greeting: (reason: UInt8, isResumed: Bool)? = (0, false)
    /// Whoever has another password is refused; nil: everybody comes in.
    package var password: String?
    /// Of a PUBACK, by topic; nil: none.
    package var publication: @Sendable (String) -> UInt8? = { _ in 0 }
    package var subscription: @Sendable (String) -> UInt8 = { _ in 1 }
    package var pings = true
    /// Whether it ends the connection instead of an answer, by topic.
    package var ends: @Sendable (String) -> Bool = { _ in false }
    /// MQTT 5: whether its goodbye comes together with the answer, by topic.
    package var leaves: @Sendable (String) -> Bool = { _ in false }
    /// Like RabbitMQ 3: it ends the connection of whoever speaks MQTT 5.
    package var isOld = false
    /// Like mosquitto in MQTT 3: it ends the connection of whoever has a will that it must retain.
    package var retains = true
    /// Like mosquitto in MQTT 3 with max_qos 0: it ends the connection of whoever has a will of QoS 1.
    package var takesQoS1 = true
    /// MQTT 5: what it wants instead of the client's.
    package var keepalive: UInt16?
    /// MQTT 5: how many publications it takes at once.
    package var receiveMaximum: UInt16?
    /// MQTT 5: the longest packet that it takes.
    package var longest: UInt16?
  }

  package let port: UInt16
  private let door: CInt
  private let state = Mutex((record: Record(), answers: Answers(), line: CInt(-1), version: UInt8(5)))

  package init() {
    let door = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = UInt16(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (bound, named) = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { (bind(door, $0, size), getsockname(door, $0, &size)) }
    }
    precondition(bound == 0 && named == 0 && listen(door, 8) == 0)
    (self.door, port) = (door, UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while case let line = accept(door, nil, nil), line >= 0 { talk(line) }
    }
  }

  /// Nobody can connect any more.
  package func close() {
    shutdown(door, Int32(SHUT_RDWR))
    drop()
  }

  package var isTalking: Bool { state.withLock { $0.line >= 0 } }
  package var record: Record { state.withLock { $0.record } }
  package func forget() { state.withLock { $0.record = Record() } }
  package func answer(_ change: @Sendable (inout Answers) -> Void) { state.withLock { change(&$0.answers) } }

  /// Ends the connection without a word.
  package func drop() { state.withLock { if $0.line >= 0 { shutdown($0.line, Int32(SHUT_RDWR)) } } }

  package func send(_ bytes: [UInt8]) {
    state.withLock { state in _ = bytes.withUnsafeBytes { Glibc.send(state.line, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }
  }

  /// MQTT 5: a message at QoS 0, with properties.
  package func publish(_ topic: String, _ payload: String, isRetained: Bool = false, properties: [UInt8] = []) {
    send(packet(0x30 | (isRetained ? 1 : 0), text(topic) + [UInt8(properties.count)] + properties + Array(payload.utf8)))
  }

  /// MQTT 5.
  package func dismiss(_ reason: UInt8) { send([0xE0, 1, reason]) }

  // MARK: One connection

  private func talk(_ line: CInt) {
    state.withLock { $0.line = line }
    while let (kind, body) = packet(from: line) {
      receive(kind, body)
      if kind >> 4 == 14 { break }
    }
    state.withLock {
      $0.line = -1
      $0.record.ends += 1
    }
    Glibc.close(line)
  }

  private func packet(from line: CInt) -> (UInt8, [UInt8])? {
    func take(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      var filled = 0
      while filled < count {
        let read = bytes.withUnsafeMutableBytes { recv(line, $0.baseAddress! + filled, count - filled, 0) }
        guard read > 0 else { return nil }
        filled += read
      }
      return bytes
    }
    guard let kind = take(1)?[0] else { return nil }
    if kind == 0x16 {
      // A TLS greeting is no MQTT: its random bytes are read, not understood.
      while take(1) != nil {}
      return nil
    }
    var (count, shift) = (0, 0)
    while let digit = take(1)?[0] {
      count |= Int(digit & 0x7F) << shift
      shift += 7
      if digit < 0x80 { return take(count).map { (kind, $0) } }
    }
    return nil
  }

  private func receive(_ kind: UInt8, _ body: [UInt8]) {
    var bytes = Bytes(body)
    switch kind >> 4 {
    case 1: greet(&bytes)
    case 3: take(kind, &bytes)
    case 8: subscribe(&bytes)
    case 10: unsubscribe(&bytes)
    case 12:
      let isAnswered = state.withLock { state in
        state.record.pings += 1
        return state.answers.pings
      }
      if isAnswered { send([0xD0, 0]) }
    case 14: state.withLock { $0.record.goodbyes += 1 }
    default: break
    }
  }

  private func greet(_ bytes: inout Bytes) {
    var greeting = Greeting()
    _ = bytes.text()
    greeting.version = bytes.byte()
    let flags = bytes.byte()
    greeting.isClean = flags & 2 != 0
    greeting.keepalive = bytes.short()
    if greeting.version == 5 { greeting.properties = bytes.properties() }
    greeting.identifier = bytes.text()
    if flags & 4 != 0 {
      if greeting.version == 5 { _ = bytes.properties() }
      greeting.willTopic = bytes.text()
      greeting.willPayload = bytes.text()
      greeting.willFlags = flags & 0x38
    }
    if flags & 0x80 != 0 { greeting.username = bytes.text() }
    if flags & 0x40 != 0 { greeting.password = bytes.text() }
    let (answer, longest, keepalive, most) = state.withLock { state in
      state.record.greetings.append(greeting)
      state.version = greeting.version
      let isWelcome = state.answers.password == nil || state.answers.password == greeting.password
      let answers = state.answers
      return (isWelcome ? answers.greeting : (0x86, false), answers.longest, answers.keepalive, answers.receiveMaximum)
    }
    let isEnded = state.withLock { state in
      let (answers, will) = (state.answers, greeting.willFlags)
      let isWillUnwelcome = !answers.retains && will & 0x20 != 0 || !answers.takesQoS1 && will & 0x18 != 0
      let isEnded = answers.isOld && greeting.version == 5 || isWillUnwelcome
      if isEnded { shutdown(state.line, Int32(SHUT_RDWR)) }
      return isEnded
    }
    guard !isEnded, let answer else { return }
    var properties = (longest.map { [0x27, 0, 0] + short(Int($0)) } ?? []) + (keepalive.map { [0x13] + short(Int($0)) } ?? [])
    if let most { properties += [0x21] + short(Int(most)) }
    send(packet(0x20, [answer.isResumed ? 1 : 0, answer.reason] + (greeting.version == 5 ? [UInt8(properties.count)] + properties : [])))
  }

  private func take(_ kind: UInt8, _ bytes: inout Bytes) {
    let qos = Int(kind >> 1 & 3)
    let version = state.withLock { $0.version }
    let topic = bytes.text()
    let identifier = qos > 0 ? bytes.short() : 0
    let properties = version == 5 ? bytes.properties() : []
    let publication = Publication(
      topic: topic, payload: bytes.rest(), qos: qos, isRetained: kind & 1 != 0, isAgain: kind & 8 != 0, properties: properties)
    let (answer, isOver): (UInt8?, Bool) = state.withLock { state in
      state.record.published.append(publication)
      if state.answers.ends(topic) {
        shutdown(state.line, Int32(SHUT_RDWR))
        return (nil, true)
      }
      return (state.answers.publication(topic), state.answers.leaves(topic))
    }
    guard qos > 0, let answer else { return }
    send(packet(0x40, short(identifier) + (version == 5 ? [answer, 0] : [])) + (isOver ? [0xE0, 1, 0x8B] : []))
  }

  private func subscribe(_ bytes: inout Bytes) {
    let version = state.withLock { $0.version }
    let identifier = bytes.short()
    if version == 5 { _ = bytes.properties() }
    var answers: [UInt8] = []
    while !bytes.isEmpty {
      let (filter, options) = (bytes.text(), bytes.byte())
      answers.append(
        state.withLock { state in
          state.record.subscribed[filter] = options
          return state.answers.subscription(filter)
        })
    }
    send(packet(0x90, short(identifier) + (version == 5 ? [0] : []) + answers))
  }

  private func unsubscribe(_ bytes: inout Bytes) {
    let identifier = bytes.short()
    let version = state.withLock { $0.version }
    if version == 5 { _ = bytes.properties() }
    var answers: [UInt8] = []
    while !bytes.isEmpty {
      let filter = bytes.text()
      state.withLock { $0.record.unsubscribed.append(filter) }
      answers.append(0)
    }
    send(packet(0xB0, short(identifier) + (version == 5 ? [0] + answers : [])))
  }

  private func short(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
  private func text(_ words: String) -> [UInt8] { short(words.utf8.count) + Array(words.utf8) }

  private func packet(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    var (length, left): ([UInt8], Int) = ([], body.count)
    repeat {
      length.append(UInt8(left % 128) | (left > 127 ? 0x80 : 0))
      left /= 128
    } while left > 0
    return [kind] + length + body
  }
}

/// A packet's bytes, taken from the front.
private struct Bytes {
  private var left: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { left = bytes[...] }

  var isEmpty: Bool { left.isEmpty }
  mutating func byte() -> UInt8 { left.popFirst() ?? 0 }
  mutating func short() -> Int { Int(byte()) << 8 | Int(byte()) }

  mutating func take(_ count: Int) -> [UInt8] {
    let taken = left.prefix(count)
    left = left.dropFirst(count)
    return Array(taken)
  }

  mutating func text() -> String { String(decoding: take(short()), as: UTF8.self) }
  /// Shorter than 128 bytes.
  mutating func properties() -> [UInt8] { take(Int(byte())) }
  mutating func rest() -> String { String(decoding: take(left.count), as: UTF8.self) }
}
