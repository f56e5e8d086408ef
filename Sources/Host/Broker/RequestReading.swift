import Core

/// Why a request is refused, as its reply says it.
struct Refused: Error {
  let words: StaticString
  init(_ words: StaticString) { self.words = words }
}

extension Refused {
  init(_ refusal: JSONObject.Refusal) {
    switch refusal {
    case .tooLarge: self.init("longer than 1024 bytes")
    case .tooDeep: self.init("nested too deeply")
    case .notUTF8: self.init("not UTF-8")
    case .malformed: self.init("malformed JSON")
    case .notAnObject: self.init("not a JSON object")
    case .member(let name): self.init(Self.wrong(name))
    case .missing(let name): self.init(Self.missing(name))
    case .unknownMember: self.init("unknown member")
    case .repeatedMember: self.init("a member comes twice")
    }
  }

  private static func missing(_ name: StaticString) -> StaticString {
    switch Name(name) {
    case Name("id"): "id: is missing"
    case Name("trigger"): "trigger: is missing"
    default: wrong(name)
    }
  }

  /// Replies consist of literals: they never repeat what a stranger wrote.
  private static func wrong(_ name: StaticString) -> StaticString {
    switch Name(name) {
    case Name("seconds"): "seconds: a number within the bounds that config.toml names"
    case Name("request"): "request: a text of at most 64 bytes"
    case Name("gateway"): "gateway: the name of a neighbour"
    case Name("region"), Name("trigger"): "not the name of a region or trigger"
    case Name("id"): "id: not an identity"
    case Name("authorization"): "authorization: always, when-in-use or denied"
    case Name("action"): "action: start or stop"
    case Name("distance_m"): "distance_m: a number from 0.1 to 20"
    default: "a member is missing, of another type, or outside its bounds"
    }
  }
}

extension RemoteCommand.Kind {
  init?(named name: RawSpan) {
    let all = Self.all
    for index in all.indices where Text<16>(all[index].name).bytes.equals(name) {
      self = all[index]
      return
    }
    return nil
  }
}

extension RemoteCommand {
  /// Also sets the ticket's request id, so that even a refusal names it. An empty payload is an empty object; a bare word stands for the
  /// main member.
  init(_ kind: Kind, _ payload: RawSpan, _ ticket: inout Ticket) throws(Refused) {
    if let word = CommandWord(payload) {
      self = try Self.bare(kind, word)
      return
    }
    do throws(JSONObject.Refusal) {
      let empty = Text<2>("{}")
      let object = try payload.byteCount == 0 ? JSONObject(empty.bytes) : JSONObject(payload)
      if let request: Text<64> = try object.text("request") { ticket.request = request }
      try object.knowsOnly { Self.knows($0, kind) }
      self = try Self.read(kind, object)
    } catch { throw Refused(error) }
  }

  private static func knows(_ name: Text<32>, _ kind: Kind) -> Bool {
    let members: StaticString =
      switch kind {
      case .ranging: " request action seconds region "
      case .calibrate: " request id distance_m seconds "
      case .trigger: " request trigger id "
      case .authorization: " request authorization "
      case .capture: " request seconds "
      case .forgetNeighbour: " request gateway "
      case .reload, .ping: " request "
      }
    var wanted = Text<34>(" ")
    wanted.append(name)
    wanted.append(" ")
    return Text<64>(members).bytes.finds(wanted.bytes)
  }

  private static func read(_ kind: Kind, _ object: borrowing JSONObject) throws(JSONObject.Refusal) -> RemoteCommand {
    switch kind {
    case .ping: return .ping
    case .reload: return .reload
    case .capture: return .capture(.seconds(try object.number("seconds", 1...3_600) ?? 60))
    case .authorization:
      guard let word: CommandWord = try object.text("authorization"), let value = Authorization(word) else {
        throw .member("authorization")
      }
      return .authorization(value)
    case .forgetNeighbour: return .forgetNeighbour(try object.name("gateway"))
    case .trigger: return .trigger(try object.name("trigger"), try object.identity("id"))
    case .calibrate:
      let distance = try object.number("distance_m", 0.1...20) ?? 1
      return .calibrate(
        try object.identity("id"), at: Meters(Float(distance)), during: .seconds(try object.number("seconds", 1...300) ?? 10))
    case .ranging: return try ranging(object)
    }
  }

  private static func ranging(_ object: borrowing JSONObject) throws(JSONObject.Refusal) -> RemoteCommand {
    let seconds = try object.number("seconds", 1...86_400)
    let action: CommandWord? = try object.text("action")
    let region: Name? = try object.text("region")
    switch (action, seconds) {
    case (CommandWord("stop")?, nil): return .ranging(.stop, region: region ?? Name())
    case (CommandWord("start")?, nil): return .ranging(.start, region: region ?? Name())
    case (nil, let seconds?), (CommandWord("start")?, let seconds?): return .ranging(.during(.seconds(seconds)), region: region ?? Name())
    default: throw .member("action")
    }
  }

  private static func bare(_ kind: Kind, _ word: CommandWord) throws(Refused) -> RemoteCommand {
    switch kind {
    case .ranging where word == CommandWord("start"): return .ranging(.start, region: Name())
    case .ranging where word == CommandWord("stop"): return .ranging(.stop, region: Name())
    case .authorization:
      guard let value = Authorization(word) else { throw Refused(.member("authorization")) }
      return .authorization(value)
    case .ranging, .calibrate, .reload, .trigger, .capture, .ping, .forgetNeighbour: throw Refused("not a word this command knows")
    }
  }
}

/// `start`, `when-in-use`: what people type without quotation marks.
typealias CommandWord = Text<16>

extension CommandWord {
  /// One word, bare or in quotation marks; else nil. A shell's `echo` ends it with a line feed.
  fileprivate init?(_ payload: RawSpan) {
    var text = CommandWord()
    var (first, end) = (0, payload.byteCount)
    while first < end, payload.hasBlank(at: first) { first += 1 }
    while first < end, payload.hasBlank(at: end - 1) { end -= 1 }
    if end - first >= 2, payload[first] == UInt8(ascii: "\""), payload[end - 1] == UInt8(ascii: "\"") {
      (first, end) = (first + 1, end - 1)
    }
    for index in first..<end {
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= payload[index] || payload[index] == UInt8(ascii: "-") else { return nil }
      text.append(byte: payload[index])
    }
    guard !text.isEmpty, !text.overflowed else { return nil }
    self = text
  }
}

extension Authorization {
  fileprivate init?(_ word: CommandWord) {
    switch word {
    case CommandWord("always"): self = .always
    case CommandWord("when-in-use"): self = .whenInUse
    case CommandWord("denied"): self = .denied
    default: return nil
    }
  }
}

extension JSONObject {
  func name(_ member: StaticString) throws(Refusal) -> Name {
    guard let name: Name = try word(member) else { throw .missing(member) }
    guard !name.isEmpty else { throw .member(member) }
    return name
  }

  /// What may stand between slashes in a list of ours, and needs no escapes there but for quotation marks. The configuration refuses the rest.
  func word<let capacity: Int>(_ member: StaticString) throws(Refusal) -> Text<capacity>? {
    guard let word: Text<capacity> = try text(member) else { return nil }
    for index in 0..<word.count {
      guard word[index] >= 0x20, word[index] != 0x7F, word[index] != UInt8(ascii: "/") else { throw .member(member) }
    }
    return word
  }

  func identity(_ member: StaticString) throws(Refusal) -> Identity {
    guard let written: Text<128> = try text(member) else { throw .missing(member) }
    guard let identity = try? Identity(written: written.bytes) else { throw .member(member) }
    return identity
  }

  /// The highest sequence number of ours that this message repeats.
  func echo(to us: borrowing CourierSettings) throws(Refusal) -> UInt32 {
    guard let heard: Text<520> = try text("heard") else { return 0 }
    let runs: Text<200> = try text("runs") ?? Text()
    return Claim.echo(to: us.name, us.boot, in: heard.bytes, runs: runs.bytes, mustName: !us.siteKeys.isEmpty)
  }

  func need(_ member: StaticString, _ range: ClosedRange<Double>) throws(Refusal) -> Double {
    guard let value = try number(member, range) else { throw .member(member) }
    return value
  }
}

extension RawSpan {
  /// White space as JSON has it.
  fileprivate func hasBlank(at index: Int) -> Bool {
    switch self[index] {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
    default: false
    }
  }

  fileprivate func finds(_ part: RawSpan) -> Bool {
    guard byteCount >= part.byteCount else { return false }
    for start in 0...(byteCount - part.byteCount) where extracting(start..<start + part.byteCount).equals(part) { return true }
    return false
  }
}
