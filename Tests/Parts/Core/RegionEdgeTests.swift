import Testing

@testable import Core

@Suite("What a region's events mean to the outbox") struct RegionEdgeTests {
  @Test("an enter begins a visit and an exit ends it; nothing else that a region says does") func edges() {
    var rig = Rig { $0.addRegion("hall") }
    for step in 0..<20 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    rig.wait(until: 1_000)
    var told: [String] = []
    while let message = rig.messages.pop() {
      let payload = String(message.payload)
      let event = ["enter", "exit"].first { payload.contains("\"event\":\"\($0)\"") }
      if event != nil || message.visit != .none { told.append("\(event ?? "?") \(message.visit)") }
    }
    #expect(told == ["enter begins", "exit ends"])
  }
}
