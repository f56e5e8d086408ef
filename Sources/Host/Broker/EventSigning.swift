import Core

/// Signs each event before it is stored, and says when that cannot be done.
struct EventSigning {
  private let counters: CourierCounters
  private let log: CourierLog
  private var key: Text<512>
  private var signer: EventSigner?
  /// The topic of an event that went unsigned for want of room.
  private var cramped: UInt64?

  init(_ settings: CourierSettings, _ counters: CourierCounters, log: @escaping CourierLog) {
    self.counters = counters
    self.log = log
    key = settings.signingKey
    readKey()
  }

  mutating func reload(_ settings: CourierSettings) {
    // Its names may be shorter now.
    forgive()
    guard key != settings.signingKey else { return }
    key = settings.signingKey
    readKey()
  }

  private mutating func readKey() {
    signer = key.isEmpty ? nil : EventSigner(key)
    let isBad = signer == nil && !key.isEmpty
    if isBad { log(.error, Sentence("signing_key_file holds no Ed25519 key (openssl genpkey -algorithm ed25519); events go unsigned")) }
    counters.set(.unsigned, isBad)
  }

  /// Where long names leave no room for topic and signature, the device's name goes without saying, and then most of the evidence: whoever
  /// verifies believes nothing unsigned.
  mutating func sign(_ message: inout Message) {
    guard let signer else { return }
    let before = message.payload
    var isSigned = signer.sign(&message.payload, of: message.topic)
    if !isSigned {
      message.payload.leaveOutName()
      isSigned = signer.sign(&message.payload, of: message.topic)
    }
    if !isSigned {
      message.payload.shortenEvidence()
      isSigned = signer.sign(&message.payload, of: message.topic)
    }
    if isSigned {
      if cramped == message.topic.hash { forgive() }
      return
    }
    message.payload = before
    cramped = message.topic.hash
    guard !counters.troubles.contains(.cramped) else { return }
    counters.set(.cramped, true)
    var words = Sentence("an event has no room for its signature, and goes unsigned: shorten the names on ")
    words.append(message.topic)
    log(.error, words)
  }

  private mutating func forgive() {
    cramped = nil
    counters.set(.cramped, false)
  }
}

extension Payload {
  /// An event's, which follows its id.
  fileprivate mutating func leaveOutName() {
    let member = Text<16>(",\"name\":\"")
    guard let start = bytes.place(of: member.bytes) else { return }
    var end = start + member.count
    while end < count, self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
    cut(start, min(end + 1, count))
  }

  /// Leaves its first member, the average, and its last one, if that is the reason.
  fileprivate mutating func shortenEvidence() {
    let (member, reason, mark) = (Text<16>(",\"evidence\":{"), Text<16>(",\"reason\":"), Text<16>(",\"simulated\":"))
    guard let start = bytes.place(of: member.bytes) else { return }
    // Behind its bracket: only the mark of a rehearsal follows it.
    let end = bytes.place(of: mark.bytes, from: start) ?? count - 1
    var first = start + member.count
    while first < end, self[first] != UInt8(ascii: ",") { first += 1 }
    guard first < end else { return }
    cut(first, bytes.place(of: reason.bytes, from: first) ?? end - 1)
  }

  private mutating func cut(_ start: Int, _ end: Int) {
    var rest = Payload()
    rest.append(bytes.extracting(0..<start))
    rest.append(bytes.extracting(end..<count))
    self = rest
  }
}

extension RawSpan {
  /// Where these bytes first begin. In JSON a quotation mark within a text has a backslash before it, so what begins with a comma and one is no
  /// part of a text.
  fileprivate func place(of part: RawSpan, from start: Int = 0) -> Int? {
    var index = start
    while index + part.byteCount <= byteCount {
      if extracting(index..<index + part.byteCount).equals(part) { return index }
      index += 1
    }
    return nil
  }
}
