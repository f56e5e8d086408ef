import Testing

@testable import Core

@Suite("The state of a region across restarts and permissions") struct RegionRestartTests {
  private func states(_ rig: borrowing Rig) -> [String] {
    rig.said().filter { $0.topic == "region/door" }.map { said in
      let count = said.payload.firstMatch(of: /"count":(\d+)/).map { String($0.1) } ?? "?"
      return (said.payload.contains(#""state":"inside""#) ? "inside " : "outside ") + count
    }
  }

  private func open(_ device: Int) -> Unfinished {
    Unfinished(
      topic: "forecourt/site/gateway/region/door/event", id: Text(Array("address:c0:00:00:00:00:0\(device)".utf8).span.bytes), since: .zero)
  }

  @Test("whom the run before left inside counts until it is gone, and once where it is heard again") func leftInside() {
    var rig = Rig { $0.addRegion("door", exit: .after(.seconds(7))) }
    _ = rig.said()
    for device in 1...2 { rig.gateway.restore(open(device), at: .zero) }
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.expireLeftovers(at: .zero + .seconds(1))
    #expect(states(rig).last == "inside 2")
    for step in 0..<40 { rig.hear(1, at: 2 + Double(step) / 2) }
    #expect(states(rig).allSatisfy { $0 == "inside 2" })
    rig.gateway.expireLeftovers(at: .zero + .seconds(22))
    rig.gateway.expireLeftovers(at: .zero + .seconds(23))
    #expect(states(rig).last == "inside 1")
    rig.wait(until: 100)
    #expect(states(rig).last == "outside 0")
  }

  @Test("whom the run before left inside stays by the same levels as it would have, and enters by no lower one") func allowance() {
    var rig = Rig {
      $0.addRegion("door", exit: .after(.seconds(7)))
      $0.regions[0].minimum = Decibels(-70)
    }
    for device in 1...2 { rig.gateway.restore(open(device), at: .zero) }
    rig.gateway.caughtUp(at: .zero)
    for step in 0..<80 {
      rig.hear(1, at: 1 + Double(step) / 2, level: -76)
      rig.hear(2, at: 1.1 + Double(step) / 2, level: -77)
      rig.hear(3, at: 1.2 + Double(step) / 2, level: -76)
      rig.gateway.expireLeftovers(at: .zero + .seconds(1.3 + Double(step) / 2))
    }
    // Its end was said: it must come nearer to enter again.
    for step in 0..<20 { for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 42 + Double(step) / 2, level: -76) } }
    let events = rig.said().filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(events.count == 1 && events[0].contains(#""event":"exit","reason":"restart""#) && events[0].contains("00:02"), "\(events)")
  }

  private func exits(_ rig: borrowing Rig) -> [String] { rig.said().filter { $0.topic == "region/door/event" }.map(\.payload) }

  @Test(
    "a visit of a device that the region no longer looks for, or no key knows, ends at once; not so if another name may bring it back",
    arguments: [
      ("peer:00000005", "peer:00000006", false), ("peer:00000005", "irk:*", false), ("peer:00000005", "peer:*", true),
      ("peer:00000005", "address:*", true), ("address:c0:00:00:00:00:01", "address:c0:00:00:00:00:02", false),
      ("address:c0:00:00:00:00:01", "name:*", false), ("address:c0:00:00:00:00:01", "*", true),
      ("name:bus@c0:00:00:00:00:01", "name:van@*", true), ("name:bus@c0:00:00:00:00:01", "peer:*", false),
      ("name:bus@c0:00:00:00:00:01", "service:*", false),
      ("service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@c0:00:00:00:00:01", "service:180f@*", true),
      ("irk:phone", "irk:*", true), ("irk:anna", "irk:*", false), ("irk:anna", "*", false), ("eid:phone", "eid:*", false),
    ])
  func narrower(id: String, match: String, waits: Bool) throws {
    let selector = try Selector(written: Array(match.utf8).span.bytes)
    var rig = Rig {
      $0.addRegion("door", matching: selector)
      var key = KeySettings()
      key.alias = "phone"
      _ = $0.keys.append(key)
    }
    let visit = Unfinished(topic: "forecourt/site/gateway/region/door/event", id: Text(Array(id.utf8).span.bytes), since: .zero)
    rig.gateway.restore(visit, at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.expireLeftovers(at: .zero + .seconds(119))
    let early = exits(rig)
    rig.gateway.expireLeftovers(at: .zero + .seconds(120))
    let all = early + exits(rig)
    #expect(early.count == (waits ? 0 : 1) && all.count == 1, "\(all)")
    #expect(all.allSatisfy { $0.contains(#""event":"exit","reason":"restart""#) && $0.contains(id) })
  }

  @Test("new settings that no longer look for whom the run before left inside end the visit at once, and say why") func reloaded() throws {
    var rig = Rig { $0.addRegion("door") }
    rig.gateway.restore(open(1), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.expireLeftovers(at: .zero + .seconds(1))
    #expect(states(rig).last == "inside 1")
    var next = Settings()
    next.gateway.devices = 64
    next.addRegion("door", matching: try Selector(written: Text<16>("irk:*").bytes))
    rig.gateway.reload(next, at: .zero + .seconds(2))
    let said = rig.said()
    let events = said.filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(events.count == 1 && events[0].contains(#""event":"exit","reason":"reload""#), "\(events)")
    #expect(said.last { $0.topic == "region/door" }?.payload.contains(#""state":"outside","count":0"#) == true)
  }

  @Test("a gateway that waits for what the run before left says nothing of its regions until it knows") func waiting() {
    let loan = Loan(bytes: 1 << 24)
    var arena = loan.arena
    let messages = Ring<Message>(capacity: 64, in: &arena)
    var settings = Settings()
    settings.gateway.devices = 64
    settings.addRegion("door")
    let publisher = Publisher(
      into: messages, boot: "test", clock: WallClock(started: .zero, epoch: nil), pseudonyms: Pseudonyms(nameless, salt: Block()))
    var gateway = Gateway(settings, seed: 1, cipher: nameless, publisher: publisher, awaitsVisits: true, in: &arena)
    func states() -> [String] {
      var states: [String] = []
      while let message = messages.pop() { if String(message.topic).hasSuffix("/region/door") { states.append(String(message.payload)) } }
      return states
    }
    #expect(states() == [])
    gateway.restore(open(1), at: .zero)
    gateway.expireLeftovers(at: .zero + .seconds(1))
    #expect(states() == [])
    gateway.caughtUp(at: .zero + .seconds(2))
    let said = states()
    #expect(said.count == 1 && said[0].contains(#""state":"inside","count":1"#), "\(said)")
  }

  @Test("without permission to monitor nobody is inside, whatever new settings publish anew") func unmonitored() {
    var rig = Rig {
      $0.addRegion("door")
      $0.gateway.authorization = .whenInUse
    }
    rig.gateway.startRanging(nil, for: nil, at: .zero)
    for step in 0..<10 { rig.hear(1, at: 1 + Double(step) / 2) }
    _ = rig.said()
    var next = Settings()
    next.gateway.devices = 64
    next.addRegion("door")
    next.gateway.authorization = .whenInUse
    rig.gateway.reload(next, at: .zero + .seconds(7))
    #expect(states(rig) == ["outside 0"])
  }

  @Test(
    "the state of what new settings lack is cleared when there is room again, once, unless it is back by then", arguments: [false, true])
  func cleared(isBack: Bool) {
    let loan = Loan(bytes: 1 << 24)
    var arena = loan.arena
    let messages = Ring<Message>(capacity: 8, in: &arena)
    func settings(_ names: [Name]) -> Settings {
      var settings = Settings()
      settings.gateway.devices = 64
      for name in names {
        settings.addRegion(name)
        settings.addTrigger(name)
      }
      return settings
    }
    func said() -> [String] {
      var said: [String] = []
      while let message = messages.pop() {
        guard message.care == .state else { continue }
        said.append(String(message.topic).replacing("forecourt/site/gateway/", with: "") + (message.payload.isEmpty ? "" : " …"))
      }
      return said.sorted()
    }
    let publisher = Publisher(
      into: messages, boot: "test", clock: WallClock(started: .zero, epoch: nil), pseudonyms: Pseudonyms(nameless, salt: Block()))
    var gateway = Gateway(settings(["door", "till"]), seed: 1, cipher: nameless, publisher: publisher, in: &arena)
    gateway.caughtUp(at: .zero)
    #expect(said() == ["region/door …", "region/till …", "trigger/door/state …", "trigger/till/state …"])
    while messages.push(Message()) == nil {}
    gateway.reload(settings(["till"]), at: .zero + .seconds(1))
    if isBack { gateway.reload(settings(["till", "door"]), at: .zero + .seconds(2)) }
    while messages.pop() != nil {}
    #expect(gateway.leftoversDue <= .zero + .seconds(3))
    for second in [3.0, 4, 5] { gateway.expireLeftovers(at: .zero + .seconds(second)) }
    let door = isBack ? ["region/door …", "trigger/door/state …"] : ["region/door", "trigger/door/state"]
    #expect(said() == (door + ["region/till …", "trigger/till/state …"]).sorted())
    #expect(gateway.leftoversDue == .never)
  }
}
