import Testing

@testable import Core
@testable import Host

/// A gateway with one pump, and what it says.
private final class Pump {
  let messages: Ring<Message>
  var gateway: Gateway
  private let memory: UnsafeMutableRawBufferPointer

  init() {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    _ = settings.selectors.append(.any)
    var trigger = TriggerSettings()
    (trigger.name, trigger.match) = (Name("pump-1" as StaticString), Slice(start: 0, count: 1))
    _ = settings.triggers.append(trigger)
    let bytes = Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 64)
    memory = .allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    messages = Ring(capacity: 64, in: &arena)
    let cipher: Cipher = { key, plain in key &+ plain }
    let publisher = Publisher(
      into: messages, boot: Text("pump"), clock: WallClock(started: .zero, epoch: nil),
      pseudonyms: Pseudonyms(cipher, salt: Block(repeating: 0)))
    gateway = Gateway(settings, seed: 1, cipher: cipher, publisher: publisher, in: &arena)
  }

  deinit { memory.deallocate() }

  /// A device stands far off until its driver types the pump's number.
  func fire() -> Message? {
    let report: [UInt8] = [3, 1, 1, 0, 0, 0, 0, 0xC0, 0, UInt8(bitPattern: -93)]
    let packet: [UInt8] = [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
    for tenth in 10..<60 { gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(tenth) * 100_000)) }
    let refusal = gateway.fireManually(0, for: Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001)), at: .zero + .seconds(6))
    guard refusal == nil else { return nil }
    while let message = messages.pop() { if message.visit == .begins { return message } }
    return nil
  }
}

@Suite("the driver's word in the outbox") struct VouchedVisitTests {
  let scratch = Scratch()

  /// The levels that the next run finds.
  private func levels(_ played: Played) -> [String: Float?] {
    var settings = played.settings
    settings.boot = Text("another")
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    defer { next.close() }
    return Dictionary(uniqueKeysWithValues: next.unfinished?.map { (String($0.id), $0.vouchedLevel?.value) } ?? [])
  }

  @Test("what a command began is known by its level in the next run, also through another file; what fired by itself has none")
  func known() throws {
    let manual = try #require(Pump().fire())
    for isMoved in [false, true] {
      var played = Played(scratch) { $0.outbox.path = scratch[isMoved ? "old.db" : "new.db"] }
      played.store.add(manual)
      played.push(.begins, of: "irk:ann")
      if isMoved {
        played.reload { $0.outbox.path = scratch["other.db"] }
        played.store.flush(at: played.now)
      }
      played.store.close()
      #expect(levels(played) == ["address:c0:00:00:00:00:01": -93, "irk:ann": nil])
    }
  }

  @Test("a file from before levels were kept goes on, and its visits with it") func before() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    played.store.close()
    try Database(path: played.settings.outbox.path).run("ALTER TABLE visit DROP COLUMN vouched")
    played.store.open(at: played.now)
    #expect(played.store.outbox?.setAside == nil)
    played.store.add(try #require(Pump().fire()))
    played.store.flush(at: played.now)
    played.store.close()
    #expect(levels(played) == ["address:c0:00:00:00:00:01": -93, "irk:ann": nil])
  }

  @Test("a level that a worn card has changed into none is no word", arguments: ["1001", "-2001", "1 << 62"])
  func flipped(value: String) throws {
    var played = Played(scratch)
    played.store.add(try #require(Pump().fire()))
    played.store.flush(at: played.now)
    played.store.close()
    let database = try Database(path: played.settings.outbox.path)
    switch value {
    case "1001": try database.run("UPDATE visit SET vouched = 1001")
    case "-2001": try database.run("UPDATE visit SET vouched = -2001")
    default: try database.run("UPDATE visit SET vouched = 1 << 62")
    }
    #expect(levels(played) == ["address:c0:00:00:00:00:01": nil])
  }
}
