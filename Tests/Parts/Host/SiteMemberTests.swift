import Core
import Testing

@testable import Host

@Suite("Each member of what gateways say to one another") struct SiteMemberTests {
  private typealias Members = [String: String]

  private static let claim: Members = [
    "v": "1", "gateway": #""other""#, "trigger": #""pump-1""#, "group": #""island""#, "id": #""irk:anna""#, "state": #""fired""#,
    "seq": "9", "boot": #""b7""#, "heard": #""7/gateway""#, "level_db": "-61", "steady_db": "-63", "rate_hz": "9", "x_m": "3", "y_m": "4",
    "samples": "12", "dwell_ms": "800", "age_ms": "40",
  ]
  private static let hello: Members = [
    "v": "1", "gateway": #""other""#, "seq": "9", "boot": #""b7""#, "groups": #""island""#, "uptime_s": "60", "heard": #""7/gateway""#,
  ]
  private static let peer: Members = ["v": "1", "random": "true", "id": #""BC00BD17""#, "boot": #""b7""#, "uptime_s": "60"]

  private func changed(_ members: Members, _ member: String, _ value: String?) -> [UInt8] {
    var members = members
    members[member] = value
    return Array(("{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}").utf8)
  }

  private func claim(_ member: String, _ value: String?) -> Claim? {
    try? Claim(changed(Self.claim, member, value).span.bytes, to: CourierSettings())
  }

  private func hello(_ member: String, _ value: String?, from gateway: String = "other") -> Neighbour? {
    try? Neighbour(Array(gateway.utf8).span.bytes, hello: changed(Self.hello, member, value).span.bytes, to: CourierSettings())
  }

  private func peer(_ member: String, _ value: String?, at address: String = "aa:bb:cc:dd:ee:0f") -> KnownPeer? {
    try? KnownPeer(address: Array(address.utf8).span.bytes, changed(Self.peer, member, value).span.bytes, to: CourierSettings())
  }

  /// Read at both ends of its range, refused beyond them and of another type; `missing`: what it is then, nil when the message is refused.
  private func expectNumber<Word>(
    _ name: String, _ range: ClosedRange<Double>, missing: Double??, _ read: (String, String?) -> Word?, _ value: (Word) -> Double?
  ) {
    for number in [range.lowerBound, range.upperBound, ((range.lowerBound + range.upperBound) / 2).rounded(.down)] {
      let found = read(name, "\(number)").map(value)
      #expect(found == .some(number), "\(name) \(number): \(String(describing: found))")
    }
    for wrong in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\"7\"", "true", "1e999"] {
      #expect(read(name, wrong) == nil, "\(name) \(wrong)")
    }
    for nothing in [nil, "null"] {
      let found = read(name, nothing).map(value)
      #expect(found == missing, "without \(name): \(String(describing: found))")
    }
  }

  @Test("a name or a run with what a list of ours could not hold is refused", arguments: [#"\u0001"#, #"\u001f"#, #"\u007f"#, "/", #"\n"#])
  func words(part: String) {
    for member in ["gateway", "trigger", "group", "boot"] { #expect(claim(member, "\"a\(part)b\"") == nil, "\(member)") }
    // On the topic they are one level.
    #expect(hello("gateway", "\"a\(part)b\"", from: "a_b") == nil && hello("boot", "\"a\(part)b\"") == nil)
    #expect(hello("gateway", #""a\"b""#, from: "a\"b") != nil && peer("boot", "\"a\(part)b\"") == nil)
  }

  @Test("a claim's numbers are taken at both ends of their ranges, and no further") func claimNumbers() {
    expectNumber("v", 1...1, missing: .none, claim) { _ in 1 }
    expectNumber("seq", 1...4_294_967_295, missing: .none, claim) { Double($0.sequence) }
    expectNumber("level_db", -127...20, missing: .some(nil), claim) { $0.level.map { Double($0.value) } }
    expectNumber("steady_db", -127...20, missing: .some(nil), claim) { $0.steady.map { Double($0.value) } }
    expectNumber("rate_hz", 0...10_000, missing: 0, claim) { Double($0.rate) }
    expectNumber("x_m", -10_000...10_000, missing: .some(nil), claim) { $0.point.map { Double($0.x) } }
    expectNumber("y_m", -10_000...10_000, missing: .some(nil), claim) { $0.point.map { Double($0.y) } }
    expectNumber("samples", 0...1_000_000, missing: .none, claim) { Double($0.samples) }
    expectNumber("dwell_ms", 0...86_400_000, missing: .none, claim) { Double($0.dwell.microseconds / 1_000) }
    expectNumber("age_ms", 0...3_600_000, missing: .none, claim) { Double($0.age.microseconds / 1_000) }
  }

  @Test("so are a hello's and an installation id's") func otherNumbers() {
    expectNumber("seq", 1...4_294_967_295, missing: .none, { hello($0, $1) }) { Double($0.sequence) }
    expectNumber("uptime_s", 0...1e9, missing: 0, { hello($0, $1) }) { $0.uptime.seconds }
    expectNumber("uptime_s", 0...1e9, missing: 0, { peer($0, $1) }) { $0.uptime.seconds }
  }

  @Test("a claim's words are those of its gateway, whole, and none may be missing") func claimWords() throws {
    let plain = try #require(claim("more", "[7]"))
    #expect(plain.gateway == Name("other") && plain.trigger == Name("pump-1") && plain.group == Name("island"))
    #expect(plain.identity == (try Identity(written: Array("irk:anna".utf8).span.bytes)) && plain.boot == Text<16>("b7"))
    #expect(plain.standing == .fired && plain.echo == 7 && !plain.simulated && plain.point == PlanPoint(x: 3, y: 4))
    for name in ["gateway", "trigger", "group"] {
      let (fitting, long) = (String(repeating: "n", count: 32), String(repeating: "n", count: 33))
      #expect(claim(name, "\"\(fitting)\"") != nil && claim(name, "\"\(long)\"") == nil, "\(name)")
      for wrong in [nil, "null", "\"\"", "7"] { #expect(claim(name, wrong) == nil, "\(name) \(wrong ?? "missing")") }
    }
    for wrong in [nil, #""anna""#, "7"] { #expect(claim("id", wrong) == nil) }
    for (word, standing) in [("candidate", Claim.Standing.candidate), ("holding", .holding), ("fired", .fired), ("withdrawn", .withdrawn)] {
      #expect(claim("state", "\"\(word)\"")?.standing == standing)
    }
    for wrong in [nil, #""fire""#, #""""#, "true"] { #expect(claim("state", wrong) == nil) }
    #expect(claim("boot", #""0123456789abcdef""#)?.boot == Text<16>("0123456789abcdef"))
    for wrong in [nil, #""0123456789abcdefg""#, "7"] { #expect(claim("boot", wrong) == nil) }
    for (word, isSimulated) in [("true", true), ("false", false), ("null", false), (nil, false)] as [(String?, Bool)] {
      #expect(claim("simulated", word)?.simulated == isSimulated)
    }
    #expect(claim("simulated", "1") == nil && claim("heard", nil)?.echo == 0 && claim("heard", "7") == nil)
  }

  @Test("a hello's words are those of the gateway in its topic") func helloWords() throws {
    let plain = try #require(hello("more", "[7]"))
    #expect(plain.name == Name("other") && plain.boot == Text<16>("b7") && plain.sequence == 9 && plain.uptime == .seconds(60))
    #expect(plain.groups.text == Text<100>("island") && plain.isOnline && !plain.simulated && plain.echo == 7)
    #expect(hello("gateway", #""third""#) == nil && hello("more", "1", from: "third") == nil && hello("gateway", nil) == nil)
    #expect(hello("gateway", #""a#b""#, from: "a#b") == nil && hello("gateway", #""a#b""#, from: "a_b")?.name == Name("a#b"))
    #expect(hello("boot", #""0123456789abcdef""#)?.boot == Text<16>("0123456789abcdef"))
    for wrong in [nil, #""0123456789abcdefg""#] { #expect(hello("boot", wrong) == nil) }
    #expect(hello("groups", nil)?.groups.isEmpty == true && hello("groups", "7") == nil)
    for (name, most) in [("groups", 100), ("heard", 520), ("runs", 200)] {
      let (fitting, long) = (String(repeating: "n", count: most), String(repeating: "n", count: most + 1))
      #expect(hello(name, "\"\(fitting)\"") != nil && hello(name, "\"\(long)\"") == nil, "\(name)")
    }
    #expect(hello("simulated", "true")?.simulated == true && hello("simulated", "1") == nil)
    #expect(plain.servedID == nil, "an older gateway does not say")
    #expect(hello("peer", #""0123cdef""#)?.servedID == 0x0123_CDEF && hello("peer", "null")?.sequence == 9)
    for wrong in [#""BC00BD1""#, #""BC00BD170""#, #""BC00BD1G""#, "7"] { #expect(hello("peer", wrong) == nil, "\(wrong)") }
    #expect(hello("heard", nil)?.echo == 0 && hello("heard", "7") == nil)
  }

  @Test("a status names its run and groups where it does, and its gateway is online or not") func statuses() throws {
    func status(_ words: String) -> Neighbour? {
      try? Neighbour(Array("other".utf8).span.bytes, status: Array(words.utf8).span.bytes)
    }
    for (state, isOnline) in [("online", true), ("degraded", true), ("offline", false), ("starting", false)] {
      let word = try #require(status(#"{"state":"\#(state)"}"#))
      #expect(word.isOnline == isOnline && word.name == Name("other") && word.boot.isEmpty && word.groups.isEmpty && !word.simulated)
    }
    let whole = try #require(status(#"{"state":"online","boot":"0123456789abcdef","groups":"a/b","simulated":true}"#))
    #expect(whole.boot == Text<16>("0123456789abcdef") && whole.groups.text == Text<100>("a/b") && whole.simulated)
    let broken = [
      "{}", #"{"state":1}"#, #"{"state":"online","boot":1}"#, #"{"state":"online","groups":1}"#, #"{"state":"online","simulated":1}"#,
    ]
    for wrong in broken {
      #expect(status(wrong) == nil, "\(wrong)")
    }
    func of(_ name: String, _ length: Int) -> Neighbour? {
      status(#"{"state":"online","\#(name)":"\#(String(repeating: "g", count: length))"}"#)
    }
    for (name, most) in [("groups", 100), ("boot", 16)] { #expect(of(name, most) != nil && of(name, most + 1) == nil, "\(name)") }
  }

  @Test("an installation id has eight hexadecimal digits, its address twelve in pairs") func peers() throws {
    let plain = try #require(peer("more", "[7]"))
    #expect(plain.id == 0xBC00_BD17 && plain.address == Address(word: 0x1_AABB_CCDD_EE0F) && plain.boot == Text<16>("b7"))
    #expect(plain.uptime == .seconds(60))
    #expect(peer("random", "false")?.address == Address(word: 0xAABB_CCDD_EE0F) && peer("random", nil)?.address == plain.address)
    #expect(peer("random", "1") == nil && peer("boot", nil)?.boot == Text<16>() && peer("boot", #""0123456789abcdefg""#) == nil)
    #expect(peer("id", #""0123cdef""#)?.id == 0x0123_CDEF)
    #expect(peer("simulated", "false") != nil && peer("simulated", "true") == nil && peer("simulated", "1") == nil)
    for wrong in [nil, #""BC00BD1""#, #""BC00BD170""#, #""BC00BD1G""#, #"":C00BD17""#, "7"] {
      #expect(peer("id", wrong) == nil, "\(wrong ?? "missing")")
    }
    #expect(peer("v", "1", at: "FF:00:00:00:00:0A")?.address == Address(word: 0x1_FF00_0000_000A))
    let wrong = [
      "", "aa:bb:cc:dd:ee:0", "aa:bb:cc:dd:ee:0f0", "aa-bb:cc:dd:ee:0f", "aa:bb:cc:dd:ee-0f", "ga:bb:cc:dd:ee:0f", "aa:bb:cc:dd:ee:0g",
      "aabb:cc:dd:ee:0f:", ":::::::::::::::::",
    ]
    for address in wrong { #expect(peer("v", "1", at: address) == nil, "\(address)") }
  }
}
