import Core
import Testing

@testable import Host

@Suite("what is remembered of those who talk too much") struct RateTableTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: 1_000_000_000 + Int64((seconds * 1e6).rounded())) }
  private func allows(_ name: String, _ limiter: inout RateLimiter, at moment: Instant) -> Bool {
    let bytes = Array(name.utf8)
    return limiter.allows(bytes.span.bytes, at: moment)
  }

  @Test("each sender has a burst of a hundred and a hundred a second of its own", arguments: 0..<8 as Range<UInt64>)
  func paces(seed: UInt64) {
    var state = seed &+ 1
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var limiter = RateLimiter()
    // In ten-thousandths of a second: what each has taken since it was last full.
    var debts = [Int](repeating: 0, count: 5)
    var heard = [Int](repeating: 0, count: 5)
    var now = 0
    for _ in 0..<4_000 {
      now += below(10) == 0 ? below(3_000) : below(40)
      let sender = below(5)
      debts[sender] = max(debts[sender] - (now - heard[sender]), 0)
      heard[sender] = now
      let isAllowed = debts[sender] <= 9_900
      if isAllowed { debts[sender] += 100 }
      #expect(allows("sender \(sender)", &limiter, at: at(Double(now) / 1e4)) == isAllowed)
    }
  }

  @Test("a name has one to 32 bytes") func names() {
    var limiter = RateLimiter()
    for (length, isAllowed) in [(0, false), (1, true), (32, true), (33, false)] {
      #expect(allows(String(repeating: "n", count: length), &limiter, at: at(0)) == isAllowed, "\(length)")
    }
  }

  @Test("sixty-four senders have places; a newcomer takes that of the one that is longest silent and not settled, or none")
  func places() {
    // How long a sender has talked, and how long it has been silent since, in seconds; and whether it keeps its place.
    for (talked, silent, keeps) in [(9.999, 0, false), (10, 0, true), (10, 60, true), (10, 60.001, false)] {
      var limiter = RateLimiter()
      for number in 0..<64 { #expect((allows("sender \(number)", &limiter, at: at(Double(number) / 1_000))) == true) }
      for number in 0..<64 { #expect((allows("sender \(number)", &limiter, at: at(Double(number) / 1_000 + talked))) == true) }
      let now = talked + silent + 0.063
      // The first 63 say a word more, the last does not, and is the longest silent.
      for number in 0..<63 { #expect((allows("sender \(number)", &limiter, at: at(now))) == true) }
      #expect(allows("newcomer", &limiter, at: at(now)) == !keeps, "\(talked) \(silent)")
      #expect(allows("newcomer", &limiter, at: at(now)) == !keeps)
    }
    var limiter = RateLimiter()
    for number in 0..<64 { #expect((allows("sender \(number)", &limiter, at: at(Double(number)))) == true) }
    for _ in 0..<200 { _ = allows("sender 0", &limiter, at: at(64)) }
    #expect((allows("sender 0", &limiter, at: at(64))) == false)
    // Sender 0 has become settled and 1 is the longest silent: whoever loses its place begins anew, nobody else does.
    let (isNew, isForgotten) = (allows("newcomer", &limiter, at: at(64)), allows("sender 0", &limiter, at: at(64)))
    #expect(isNew && !isForgotten)
  }

  private func ticket(_ number: Int, _ request: String) -> Ticket {
    var ticket = Ticket(.ping, number: UInt64(number))
    ticket.request = Text(request)
    return ticket
  }

  private func found(_ request: String, _ command: RemoteCommand = .ping, at now: Double = 0, in recent: RecentRequests) -> String {
    switch recent.find(command, Text(request), at: at(now)) {
    case .unknown: "unknown"
    case .pending: "pending"
    case .answered(let reply): String(reply.payload)
    }
  }

  @Test("the last 128 requests are known by command and id, with their own replies, until they are withdrawn")
  func requests() {
    var recent = RecentRequests()
    let most = 128
    for number in 1...most { recent.record(.ping, ticket(number, "r\(number)"), at: at(0)) }
    #expect(found("r1", in: recent) == "pending" && found("r1", .reload, in: recent) == "unknown")
    recent.record(.ping, ticket(most + 1, "r\(most + 1)"), at: at(0))
    #expect(found("r1", in: recent) == "unknown" && found("r2", in: recent) == "pending")
    for number in [2, most + 1] {
      var reply = Message()
      (reply.sequence, reply.payload) = (UInt64(number), Payload("reply \(number)"))
      recent.record(reply)
    }
    recent.remove(ticket(3, "other words"))
    let all = (1...most + 2).map { found("r\($0)", in: recent) }
    #expect(all == ["unknown", "reply 2", "unknown"] + [String](repeating: "pending", count: most - 3) + ["reply \(most + 1)", "unknown"])
  }

  @Test("a request is remembered for ten minutes, and anew when it comes again after that") func memory() {
    var recent = RecentRequests()
    recent.record(.ping, ticket(1, "r"), at: at(0))
    #expect(found("r", at: 599, in: recent) == "pending" && found("r", at: 600, in: recent) == "unknown")
    recent.record(.ping, ticket(2, "r"), at: at(700))
    #expect(found("r", at: 1_299, in: recent) == "pending")
    recent.remove(ticket(2, "r"))
    #expect(found("r", at: 701, in: recent) == "unknown", "nothing is left of the first one")
  }
}
