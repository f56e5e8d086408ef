import Testing

@testable import Core

/// What a bad line does to packets, by seed: drop, cut, delay, corrupt, duplicate.
struct BadLine {
  var random: Seeded
  let drop, cut, delay, corrupt, duplicate: Double

  init(_ seed: UInt64) {
    random = Seeded(seed)
    // Each fault is absent, rare or frequent.
    let levels = [0, 0, 0.02, 0.3]
    drop = levels.randomElement(using: &random)!
    cut = levels.randomElement(using: &random)!
    delay = levels.randomElement(using: &random)!
    corrupt = levels.randomElement(using: &random)!
    duplicate = levels.randomElement(using: &random)!
  }

  private mutating func strikes(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func carry(_ packet: [UInt8]) -> [(delay: Interval, bytes: [UInt8])] {
    if strikes(drop) { return [] }
    var bytes = packet
    if strikes(corrupt) {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
    }
    if strikes(cut) { bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))) }
    let wait = strikes(delay) ? Interval.milliseconds(Int64.random(in: 1...4_000, using: &random)) : .zero
    return strikes(duplicate) ? [(wait, bytes), (wait + .milliseconds(Int64.random(in: 0...500, using: &random)), bytes)] : [(wait, bytes)]
  }
}

@Suite("Whatever goes wrong, a radio ends up listening") struct ControllerFaultTests {
  @Test("a counter that is full begins anew") func full() {
    var controller = Controller(RadioSettings(), isShared: false, spare: 1)
    (controller.recoveries.malformed, controller.recoveries.hardwareErrors) = (.max, .max)
    for packet in [[4, 0x3E, 1, 2], [4, 0x10, 1, 0]] as [[UInt8]] {
      let span = packet.span
      _ = controller.receive(span.bytes, at: .zero)
    }
    #expect(controller.recoveries.malformed == 0 && controller.recoveries.hardwareErrors == 0)
  }

  /// Things that happen to a controller, one after another, until `end`; then every cause is over.
  private func suffer(_ line: inout ModelLine, until end: Instant, _ random: inout Seeded) {
    while line.now < end {
      let pause = Interval.milliseconds(Int64.random(in: 10...8_000, using: &random))
      let length = min(line.now + pause, end)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: line.breakLine(.lineLost)
      case 1:
        line.refusal = [.noAdapter, .busy, .blocked, .unreachable].randomElement(using: &random)!
        line.breakLine(.noAdapter)
      // A shared adapter that starts again is the kernel's to set up.
      case 2: line.isShared ? line.model.initialize() : line.model.restart()
      case 3: line.model.deafUntil = [.rescan, .reset, .reopen].randomElement(using: &random)!
      case 4: line.model.stopScanning()
      case 5: line.model.swallowed = Set(ControllerTests.bringUp + [0x2041, 0x2042, 0x200B, 0x200C])
      case 6:
        let opcode = (ControllerTests.bringUp + [0x2041, 0x2042]).randomElement(using: &random)!
        line.model.refusals[opcode] = UInt8.random(in: 1...0x45, using: &random)
      case 7: line.model.credits = 0
      case 8: line.say((0..<Int.random(in: 1...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      default: line.say([4, 0x10, 1, 0])
      }
      line.run(until: length)
    }
    line.refusal = nil
    line.model.swallowed = []
    line.model.refusals = [:]
    line.model.credits = 1
    // The rest of the deafness ends with the next command.
    if line.model.deafUntil != nil { line.model.deafUntil = .rescan }
  }

  /// Each tenth radio has a lively past.
  private static func past(_ seed: UInt64, _ random: inout Seeded) -> Interval {
    .seconds(Double.random(in: 0...10, using: &random) + (seed % 10 == 0 ? 65 : 0))
  }

  private func expectListening(_ line: inout ModelLine, _ seed: UInt64) {
    line.run(for: .seconds(5))
    let isListening = line.controller.condition == .scanning && line.model.isScanning
    #expect(isListening, "seed \(seed): \(line.conditions.suffix(4)) \(line.controller.recoveries)")
    let heard = line.heard
    line.run(for: .seconds(5))
    // Duplicates that a damaged command began to filter are a silence, and end as one.
    #expect(line.heard - heard > 40, "seed \(seed): heard \(line.heard - heard) in the second five seconds")
    #expect(line.controller.condition == .scanning, "seed \(seed)")
  }

  @Test("on 600 bad lines the radio listens within five seconds of each line's recovery", arguments: 0..<600 as Range<UInt64>)
  func badLine(seed: UInt64) {
    var line = ModelLine()
    line.isStream = seed % 2 == 0
    line.model.isExtended = seed % 4 < 2
    var bad = BadLine(seed)
    line.run(for: Self.past(seed, &bad.random))
    let length = Double.random(in: 1...30, using: &bad.random)
    line.fate = { _, packet in bad.carry(packet) }
    line.run(for: .seconds(length))
    line.fate = { _, packet in [(.zero, packet)] }
    expectListening(&line, seed)
  }

  @Test("on 600 bad controllers the radio listens within five seconds of each controller's recovery", arguments: 0..<600 as Range<UInt64>)
  func badController(seed: UInt64) {
    var line = ModelLine(isShared: seed % 8 == 7)
    line.isStream = seed % 2 == 0
    line.model.isExtended = seed % 4 < 2
    var random = Seeded(seed &+ 1_000_000)
    line.run(for: Self.past(seed, &random))
    suffer(&line, until: line.now + .seconds(Double.random(in: 1...30, using: &random)), &random)
    expectListening(&line, seed)
  }
}
