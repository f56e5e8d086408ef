import Testing

@testable import Core
@testable import Host

/// A gateway that hears adverts, and the door through which its neighbours' messages come.
private final class Board {
  let name: StaticString
  let point: PlanPoint
  let messages: Ring<Message>
  let requests: Ring<Request>
  let intake: Intake
  let counters = CourierCounters()
  var gateway: Gateway
  private let memory: UnsafeMutableRawBufferPointer

  init(_ name: StaticString, at point: PlanPoint) {
    (self.name, self.point) = (name, point)
    var settings = Settings()
    settings.gateway.name = Name(name)
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    (settings.peer.serve, settings.peer.ownID) = (true, Self.id(settings.gateway.name))
    var radio = RadioSettings()
    radio.point = point
    _ = settings.radios.append(radio)
    _ = settings.selectors.append(.any)
    var trigger = TriggerSettings()
    (trigger.name, trigger.group) = (Name(name), Name("pumps" as StaticString))
    trigger.match = Slice(start: 0, count: 1)
    _ = settings.triggers.append(trigger)
    let bytes = Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 256) + Ring<Request>.bytes(for: 64)
    memory = .allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    messages = Ring(capacity: 256, in: &arena)
    requests = Ring(capacity: 64, in: &arena)
    var own = CourierSettings()
    (own.name, own.claims, own.boot) = (settings.gateway.name, true, Self.boot(name))
    intake = Intake(own, toCore: Outlet(requests: requests, bell: Doorbell()), counters)
    let cipher: Cipher = { key, plain in key &+ plain }
    let publisher = Publisher(
      into: messages, boot: Self.boot(name), clock: WallClock(started: .zero, epoch: nil),
      pseudonyms: Pseudonyms(cipher, salt: Block(repeating: 0)))
    gateway = Gateway(settings, seed: 1, cipher: cipher, publisher: publisher, in: &arena)
  }

  deinit { memory.deallocate() }

  static func id(_ name: Name) -> UInt32 { 0xBC00_BD00 + UInt32(name.count) }

  static func boot(_ name: StaticString) -> Text<16> {
    var boot = Text<16>("run of ")
    boot.append(name)
    return boot
  }

  func hear(_ level: Int8, at now: Instant) {
    let report: [UInt8] = [3, 1, 1, 0, 0, 0, 0, 0xC0, 0, UInt8(bitPattern: level)]
    let packet: [UInt8] = [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
    gateway.receive(packet.span.bytes, radio: 0, at: now)
  }

  /// What its door let in.
  func receive(at now: Instant) -> (claims: [Claim], hellos: [Neighbour]) {
    var (claims, hellos): ([Claim], [Neighbour]) = ([], [])
    while let request = requests.pop() {
      switch request {
      case .claim(let claim):
        claims.append(claim)
        gateway.receive(claim: claim, at: now)
      case .hello(let hello):
        hellos.append(hello)
        gateway.receive(hello: hello, at: now)
      case .command, .neighbour, .peer, .twin, .fired, .unfinished, .caughtUp: break
      }
    }
    return (claims, hellos)
  }
}

@Suite("What gateways write to each other is what they read") struct SiteMessageTests {
  /// Three of them and a driver; everything written passes through every door.
  private func visit(_ levels: [Int8], seconds: Double, _ check: (Int, Board, [Claim], [Neighbour], Instant) -> Void) -> [String] {
    let boards = [
      Board("one", at: PlanPoint(x: -3.5, y: 1.5)), Board("two", at: PlanPoint(x: 8, y: 0)), Board("three", at: PlanPoint(x: 0, y: 9)),
    ]
    for board in boards { board.gateway.connected(true, at: .zero) }
    var events: [String] = []
    for tick in 1...Int(seconds * 20) {
      let now = Instant(microseconds: Int64(tick) * 50_000)
      for (index, board) in boards.enumerated() {
        if tick > 120, tick % 2 == index % 2 { board.hear(levels[index] - Int8(max(0, 20 - (tick - 120) / 2)), at: now) }
        board.gateway.tick(at: now)
        while let message = board.messages.pop() {
          for other in boards where message.isForSite {
            other.intake.receive(message.topic.bytes, message.payload.bytes, isRetained: false)
          }
          let payload = String(message.payload)
          for event in ["fire", "undecided"] where payload.contains("\"event\":\"\(event)\"") { events.append("\(board.name) \(event)") }
        }
      }
      for (index, board) in boards.enumerated() {
        let (claims, hellos) = board.receive(at: now)
        check(index, board, claims, hellos, now)
      }
    }
    #expect(boards.allSatisfy { $0.counters.requestsRefused.count == 0 && $0.counters.requestsLimited.count == 0 })
    return events
  }

  @Test("a hello brings the sender's run, number, groups, age and own id, and the number of ours that it has received") func hellos() {
    var echoes = 0
    var last: [String: UInt32] = [:]
    _ = visit([-100, -100, -100], seconds: 5) { index, board, claims, hellos, now in
      #expect(claims.isEmpty)
      for hello in hellos {
        #expect(hello.isOnline && !hello.simulated && hello.groups.has(Name("pumps" as StaticString)) && !hello.groups.isEverything)
        #expect(hello.servedID == Board.id(hello.name))
        #expect(hello.boot == Text<16>("run of \(String(hello.name))") && (.zero ... .seconds(0.1)).contains(now - .zero - hello.uptime))
        if index == 0 {
          #expect(hello.sequence > last[String(hello.name)] ?? 0)
          last[String(hello.name)] = hello.sequence
        }
        if hello.echo > 0 { echoes += 1 }
        #expect(hello.echo <= board.gateway.triggers.membership.sequence)
      }
    }
    #expect(last.count == 3 && last.values.allSatisfy { (5...8).contains($0) } && echoes >= 3 * 2 * 3, "\(last), \(echoes)")
  }

  @Test("a claim brings what its gateway knows of the device, and the best of three fires") func claims() {
    var standings: [Set<Claim.Standing>] = [[], [], []]
    let events = visit([-62, -82, -88], seconds: 14) { _, board, claims, _, now in
      for claim in claims {
        let index = ["one", "two", "three"].firstIndex(of: String(claim.gateway))!
        standings[index].insert(claim.standing)
        #expect(claim.group == Name("pumps" as StaticString) && claim.boot == Text<16>("run of \(String(claim.gateway))"))
        #expect(claim.identity == Identity(.address, Address(word: 0x1_C000_0000_0001)), "\(claim.identity)")
        #expect(claim.point == [PlanPoint(x: -3.5, y: 1.5), PlanPoint(x: 8, y: 0), PlanPoint(x: 0, y: 9)][index])
        #expect(claim.sequence > 0 && !claim.simulated && claim.age < .seconds(0.2) && claim.dwell < .seconds(9))
        guard let level = claim.level?.value, let steady = claim.steady?.value else { continue }
        #expect(level <= Float([-61, -81, -87][index]) && level > -110 && steady <= level + 0.1 && claim.rate <= 10.5)
        #expect(claim.samples > 0 && claim.samples < 170)
        if now > Instant(microseconds: 12_000_000) { #expect(claim.rate > 9 && level > Float([-63, -83, -89][index])) }
      }
    }
    #expect(events.filter { $0.hasSuffix("fire") } == ["one fire"])
    #expect(standings[0].isSuperset(of: [.candidate, .holding, .fired]))
    #expect(!standings[1].contains(.fired) && !standings[2].contains(.fired))
  }
}
