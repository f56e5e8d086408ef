import Core

// Reads what the gateways of a site send to one another: claims, statuses, hellos, installation ids.

extension Claim {
  /// A neighbour may be newer: unknown members are ignored.
  init(_ payload: RawSpan, to us: borrowing CourierSettings) throws(Refused) {
    self.init()
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard try object.need("v", 1...1) == 1 else { throw .member("v") }
      gateway = try object.name("gateway")
      trigger = try object.name("trigger")
      group = try object.name("group")
      identity = try object.identity("id")
      guard let state: CommandWord = try object.text("state"), let known = Standing(named: state) else { throw .member("state") }
      standing = known
      sequence = UInt32(try object.need("seq", 1...Double(UInt32.max)))
      guard let boot: Text<16> = try object.word("boot") else { throw .member("boot") }
      self.boot = boot
      echo = try object.echo(to: us)
      level = try object.level("level_db")
      steady = try object.level("steady_db")
      rate = Float(try object.number("rate_hz", 0...10_000) ?? 0)
      isListening = try object.boolean("listens") ?? false
      if let x = try object.number("x_m", -10_000...10_000), let y = try object.number("y_m", -10_000...10_000) {
        point = PlanPoint(x: Float(x), y: Float(y))
      }
      rest = try object.number("rest_ms", 0...Double(Self.longestRest.microseconds / 1_000)).map { .milliseconds(Int64($0)) }
      samples = Int(try object.need("samples", 0...1_000_000))
      dwell = .milliseconds(Int64(try object.need("dwell_ms", 0...Double(Self.longestDwell.microseconds / 1_000))))
      age = .milliseconds(Int64(try object.need("age_ms", 0...Double(Self.oldest.microseconds / 1_000))))
      unixTime = try object.number("unix_s", 0...1e11).map { Int64($0) }
      // A neighbour's rehearsal must not block a real pump.
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

extension JSONObject {
  fileprivate func level(_ name: StaticString) throws(Refusal) -> Decibels? {
    try number(name, Double(Claim.faintest)...Double(Claim.loudest)).map { Decibels(Float($0)) }
  }

  /// Eight hexadecimal digits.
  fileprivate func installation(_ name: StaticString) throws(Refusal) -> UInt32? {
    guard let written: Text<8> = try text(name) else { return nil }
    guard written.count == 8 else { throw .member(name) }
    var id: UInt32 = 0
    for index in 0..<8 {
      guard let digit = hexDigit(written[index]) else { throw .member(name) }
      id = id << 4 | UInt32(digit)
    }
    return id
  }
}

extension Claim.Standing {
  fileprivate init?(named word: CommandWord) {
    let all = Self.all
    for index in all.indices where CommandWord(all[index].name) == word {
      self = all[index]
      return
    }
    return nil
  }
}

extension Neighbour {
  /// `GATEWAY/status`; an empty payload is a status that was cleared.
  init(_ gateway: RawSpan, status payload: RawSpan) throws(Refused) {
    self.init()
    name = Name(gateway)
    guard payload.byteCount > 0 else { return }
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard let state: CommandWord = try object.text("state") else { throw .member("state") }
      isOnline = state == CommandWord("online") || state == CommandWord("degraded")
      if !isOnline, let reason: Sentence = (try? object.text("reason")) ?? nil { isLost = reason == Sentence(CourierSettings.lost) }
      if let boot: Text<16> = try object.word("boot") { self.boot = boot }
      if let groups: Text<100> = try object.text("groups") { self.groups.read(groups.bytes) }
      simulated = try object.boolean("simulated") ?? false
    } catch { throw Refused(error) }
  }

  /// A hello: the gateway is there, and hears these neighbours.
  init(_ gateway: RawSpan, hello payload: RawSpan, to us: borrowing CourierSettings) throws(Refused) {
    self.init()
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      name = try object.name("gateway")
      var level = Name()
      level.append(level: name.bytes)
      // The broker's ACL has checked the topic, so the payload must agree with it.
      guard level.bytes.equals(gateway) else { throw .member("gateway") }
      guard let boot: Text<16> = try object.word("boot") else { throw .member("boot") }
      self.boot = boot
      sequence = UInt32(try object.need("seq", 1...Double(UInt32.max)))
      if let groups: Text<100> = try object.text("groups") { self.groups.read(groups.bytes) }
      uptime = .seconds(try object.number("uptime_s", 0...1e9) ?? 0)
      echo = try object.echo(to: us)
      isDeaf = try object.boolean("deaf") ?? false
      servedID = try object.installation("peer")
      isOnline = true
      simulated = try object.boolean("simulated") ?? false
    } catch { throw Refused(error) }
  }
}

extension KnownPeer {
  /// `peer/AA:BB:…/GATEWAY` with `{"v":1,"random":true,"id":"BC00BD17"}`. nil if a rehearsal tells a real gateway, or the other way round: a
  /// made-up phone must not give its id to a real one.
  init?(address level: RawSpan, _ payload: RawSpan, to us: borrowing CourierSettings) throws(Refused) {
    guard let word = Self.word(level) else { throw Refused("not an address") }
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload)
      guard try object.boolean("simulated") ?? false == us.simulated else { return nil }
      guard let id = try object.installation("id") else { throw .member("id") }
      let kind: UInt64 = try object.boolean("random") ?? true ? 1 : 0
      self.init(address: Address(word: word | kind << 48), id: id)
      if let boot: Text<16> = try object.word("boot") { self.boot = boot }
      uptime = .seconds(try object.number("uptime_s", 0...1e9) ?? 0)
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
