import Core

/// Why a request is not carried out, as its reply says it.
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
    case .unknownMember: self.init("unknown member")
    }
  }

  /// Replies are composed of literals: what a stranger wrote is not repeated.
  private static func wrong(_ name: StaticString) -> StaticString {
    switch Name(name) {
    case Name("seconds"): "seconds: a number within its bounds"
    case Name("request"): "request: a text of at most 64 bytes"
    case Name("region"), Name("trigger"): "not the name of a region or trigger"
    case Name("id"): "id: not an identity"
    case Name("authorization"): "authorization: always, when-in-use or denied"
    case Name("action"): "action: start or stop"
    case Name("distance_m"): "distance_m: a number from 0.1 to 20"
    default: "a member is missing, of another type, or outside its bounds"
    }
  }
}

extension Command.Kind {
  init?(named name: RawSpan) {
    let all = Self.all
    for index in all.indices where Text<16>(all[index].name).bytes.equals(name) {
      self = all[index]
      return
    }
    return nil
  }
}

extension Command {
  /// Also fills in the ticket's request id, so that even a refusal names it. An empty payload is an empty object; a bare word
  /// stands for the one member that matters.
  init(_ kind: Kind, _ payload: RawSpan, _ ticket: inout Ticket) throws(Refused) {
    if let word = Word(payload) {
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
      case .reload, .ping: " request "
      }
    var wanted = Text<34>(" ")
    wanted.append(name)
    wanted.append(" ")
    return Text<64>(members).bytes.finds(wanted.bytes)
  }

  private static func read(_ kind: Kind, _ object: borrowing JSONObject) throws(JSONObject.Refusal) -> Command {
    switch kind {
    case .ping: return .ping
    case .reload: return .reload
    case .capture: return .capture(.seconds(try object.number("seconds", 1...3_600) ?? 60))
    case .authorization:
      guard let word: Word = try object.text("authorization"), let value = Authorization(word) else { throw .member("authorization") }
      return .authorization(value)
    case .trigger: return .trigger(try object.name("trigger"), try object.identity("id"))
    case .calibrate:
      let distance = try object.number("distance_m", 0.1...20) ?? 1
      return .calibrate(
        try object.identity("id"), at: Meters(Float(distance)), during: .seconds(try object.number("seconds", 1...300) ?? 10))
    case .ranging: return try ranging(object)
    }
  }

  private static func ranging(_ object: borrowing JSONObject) throws(JSONObject.Refusal) -> Command {
    let seconds = try object.number("seconds", 1...86_400)
    let action: Word? = try object.text("action")
    let region: Name? = try object.text("region")
    switch (action, seconds) {
    case (Word("stop")?, nil): return .ranging(.stop, region: region ?? Name())
    case (Word("start")?, nil): return .ranging(.start, region: region ?? Name())
    case (nil, let seconds?), (Word("start")?, let seconds?): return .ranging(.during(.seconds(seconds)), region: region ?? Name())
    default: throw .member("action")
    }
  }

  private static func bare(_ kind: Kind, _ word: Word) throws(Refused) -> Command {
    switch kind {
    case .ranging where word == Word("start"): return .ranging(.start, region: Name())
    case .ranging where word == Word("stop"): return .ranging(.stop, region: Name())
    case .authorization:
      guard let value = Authorization(word) else { throw Refused(.member("authorization")) }
      return .authorization(value)
    case .ranging, .calibrate, .reload, .trigger, .capture, .ping: throw Refused("not a word this command knows")
    }
  }
}

/// `start`, `when-in-use`: what people type without quotation marks.
typealias Word = Text<16>

extension Word {
  /// nil for anything but one word, bare or between quotation marks.
  fileprivate init?(_ payload: RawSpan) {
    var text = Word()
    var (first, end) = (0, payload.byteCount)
    if end >= 2, payload[0] == UInt8(ascii: "\""), payload[end - 1] == UInt8(ascii: "\"") { (first, end) = (1, end - 1) }
    for index in first..<end {
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= payload[index] || payload[index] == UInt8(ascii: "-") else { return nil }
      text.append(byte: payload[index])
    }
    guard !text.isEmpty, !text.overflowed else { return nil }
    self = text
  }
}

extension Authorization {
  fileprivate init?(_ word: Word) {
    switch word {
    case Word("always"): self = .always
    case Word("when-in-use"): self = .whenInUse
    case Word("denied"): self = .denied
    default: return nil
    }
  }
}

extension JSONObject {
  fileprivate func name(_ member: StaticString) throws(Refusal) -> Name {
    guard let name: Name = try text(member), !name.isEmpty else { throw .member(member) }
    return name
  }

  fileprivate func identity(_ member: StaticString) throws(Refusal) -> Identity {
    guard let written: Text<128> = try text(member), let identity = try? Identity(written: written.bytes) else { throw .member(member) }
    return identity
  }

  fileprivate func need(_ member: StaticString, _ range: ClosedRange<Double>) throws(Refusal) -> Double {
    guard let value = try number(member, range) else { throw .member(member) }
    return value
  }
}

extension Claim {
  /// A neighbour may be of a later version: members that are not known are passed over.
  init(_ payload: RawSpan, to us: Name) throws(Refused) {
    self.init()
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard try object.need("v", 1...1) == 1 else { throw .member("v") }
      gateway = try object.name("gateway")
      trigger = try object.name("trigger")
      group = try object.name("group")
      identity = try object.identity("id")
      guard let state: Word = try object.text("state"), let known = Standing(named: state) else { throw .member("state") }
      standing = known
      sequence = UInt32(try object.need("seq", 1...4_000_000_000))
      guard let boot: Text<16> = try object.text("boot") else { throw .member("boot") }
      self.boot = boot
      if let heard: Text<400> = try object.text("heard") { echo = Self.echo(to: us, in: heard.bytes) }
      if let level = try object.number("level_db", -127...20) { self.level = Decibels(Float(level)) }
      samples = Int(try object.need("samples", 0...1_000_000))
      dwell = .milliseconds(Int64(try object.need("dwell_ms", 0...86_400_000)))
      age = .milliseconds(Int64(try object.need("age_ms", 0...3_600_000)))
      // A rehearsal next door must not hold a real pump back.
      simulated = try object.boolean("simulated") ?? false
    } catch { throw Refused(error) }
  }

  func matches(group: RawSpan, identity: RawSpan, gateway: RawSpan) -> Bool {
    var (wanted, who, whose) = (Name(), Text<128>(), Name())
    wanted.append(level: self.group.bytes)
    who.append(level: self.identity)
    whose.append(level: self.gateway.bytes)
    return wanted.bytes.equals(group) && who.bytes.equals(identity) && whose.bytes.equals(gateway)
  }
}

extension Claim.Standing {
  fileprivate init?(named word: Word) {
    let all = Self.all
    for index in all.indices where Word(all[index].name) == word {
      self = all[index]
      return
    }
    return nil
  }
}

extension Neighbour {
  /// `GATEWAY/status`; an empty one is a gateway that was taken away.
  init(_ gateway: RawSpan, status payload: RawSpan) throws(Refused) {
    self.init()
    name = Name(gateway)
    guard payload.byteCount > 0 else { return }
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard let state: Word = try object.text("state") else { throw .member("state") }
      isOnline = state == Word("online") || state == Word("degraded")
      if let boot: Text<16> = try object.text("boot") { self.boot = boot }
      if let groups: Text<100> = try object.text("groups") { compete(in: groups.bytes) }
      simulated = try object.boolean("simulated") ?? false
    } catch { throw Refused(error) }
  }
}

extension KnownPeer {
  /// `peer/AA:BB:…/GATEWAY` with `{"v":1,"random":true,"id":"BC00BD17"}`.
  init(address level: RawSpan, _ payload: RawSpan) throws(Refused) {
    guard let word = Self.word(level) else { throw Refused("not an address") }
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard let written: Text<8> = try object.text("id"), written.count == 8 else { throw .member("id") }
      var id: UInt32 = 0
      for index in 0..<8 {
        guard let digit = hexDigit(written[index]) else { throw .member("id") }
        id = id << 4 | UInt32(digit)
      }
      let kind: UInt64 = try object.boolean("random") ?? true ? 1 : 0
      self.init(address: Address(word: word | kind << 48), id: id)
    } catch { throw Refused(error) }
  }

  private static func word(_ level: RawSpan) -> UInt64? {
    guard level.byteCount == 17 else { return nil }
    var word: UInt64 = 0
    for index in 0..<17 {
      if index % 3 == 2 {
        guard level[index] == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = hexDigit(level[index]) else { return nil }
        word = word << 4 | UInt64(digit)
      }
    }
    return word
  }
}

extension RawSpan {
  fileprivate func finds(_ part: RawSpan) -> Bool {
    guard byteCount >= part.byteCount else { return false }
    for start in 0...(byteCount - part.byteCount) where extracting(start..<start + part.byteCount).equals(part) { return true }
    return false
  }
}
