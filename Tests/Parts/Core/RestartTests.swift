import Foundation
import Testing

@testable import Core

@Suite("What a run owes to the run before it") struct RestartTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.addRegion("door", exit: .after(.seconds(7)))
      change(&$0)
    }
  }

  private func open(_ place: String, device: UInt8 = 1, since seconds: Double = -30) -> Unfinished {
    Unfinished(
      topic: Topic(Array("forecourt/site/gateway/\(place)".utf8).span.bytes),
      id: Text(Array("address:c0:00:00:00:00:0\(device)".utf8).span.bytes), since: Instant(microseconds: Int64(seconds * 1e6)))
  }

  private func state(_ said: [(topic: String, payload: String)], of trigger: String = "pump") throws -> [String: Any] {
    let last = try #require(said.last { $0.topic == "trigger/\(trigger)/state" })
    return try #require(try JSONSerialization.jsonObject(with: Data(last.payload.utf8)) as? [String: Any])
  }

  private func ids(_ said: [(topic: String, payload: String)]) -> Set<Substring> {
    Set(said.compactMap { $0.payload.firstMatch(of: /"event_id":"([-\w]+)"/)?.1 })
  }

  @Test("after a restart a device that is not heard leaves, once; one that is heard goes on, and leaves for its own reason")
  func visits() throws {
    var rig = rig()
    for device in 1...2 as ClosedRange<UInt8> {
      for place in ["trigger/pump", "region/door/event"] { rig.gateway.restore(open(place, device: device), at: .zero) }
    }
    // Twice is once.
    rig.gateway.restore(open("trigger/pump"), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    let before = try state(rig.said())
    let waiting = (before["served"] as? [[String: Any]])?.compactMap { $0["id"] as? String }.sorted()
    #expect(before["served_count"] as? Int == 2 && waiting == ["address:c0:00:00:00:00:01", "address:c0:00:00:00:00:02"])
    #expect(before["near_count"] as? Int == 0 && (before["near"] as? [Any])?.isEmpty == true)
    rig.hear(1, from: 1, to: 40, level: -60)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 40_000_000))
    let said = rig.said()
    let told = said.compactMap { Told(topic: $0.topic, payload: $0.payload) }.filter { !$0.event.isEmpty }
    #expect(told == [Told("leave", device: 2, reason: "restart")], "and no second fire for the one who stands there")
    let exits = said.filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(exits.count == 1 && exits[0].contains(#""event":"exit","reason":"restart""#) && exits[0].contains("00:02"))
    #expect(ids(said).count == 2, "each end is an event with an id of its own")
    let served = try #require(try state(said)["served"] as? [[String: Any]])
    #expect(served.count == 1 && served[0]["since"] as? String == "2025-10-09T08:52:50.000Z", "\(served)")
    #expect(said.last { $0.topic == "region/door" }?.payload.contains(#""count":1"#) == true)
    rig.wait(until: 60)
    let gone = rig.said()
    #expect(gone.contains { $0.payload.contains(#""event":"leave""#) && $0.payload.contains(#""reason":"lost""#) })
    #expect(gone.contains { $0.payload.contains(#""event":"exit","reason":"silence""#) })
    rig.gateway.expireLeftovers(at: Instant(microseconds: 300_000_000))
    #expect(!rig.said().contains { $0.topic.hasSuffix("event") || $0.payload.contains("leave") })
  }

  @Test("a visit goes on only with permission to monitor: without it, it ends when its time is over") func unauthorised() {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.restore(open("region/door/event"), at: .zero)
    rig.hear(1, from: 1, to: 5, level: -60)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 400_000_000))
    let exits = rig.said().filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(exits.count == 1 && exits.first?.contains(#""event":"exit","reason":"restart""#) == true, "\(exits)")
  }

  @Test("a device that is heard only after its leave was slow: it is not served again before it has left")
  func slow() {
    var rig = rig()
    rig.gateway.restore(open("trigger/pump"), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 15_000_000))
    #expect(rig.told().filter { !$0.event.isEmpty } == [Told("leave", reason: "restart")])
    rig.hear(from: 30, to: 60, level: -60)
    #expect(!rig.told().contains { $0.event == "fire" })
    rig.hear(from: 60, to: 90, level: -98)
    rig.hear(from: 90, to: 95, level: -98, becoming: -60)
    rig.hear(from: 95, to: 100, level: -60)
    #expect(rig.told().contains { $0.event == "fire" })
  }

  @Test("visits at triggers and regions that no longer exist end at once, and their retained states are cleared")
  func strangers() {
    var rig = rig()
    rig.gateway.caughtUp(at: .zero)
    _ = rig.said()
    for place in ["trigger/old", "region/old/event"] { rig.gateway.restore(open(place), at: .zero) }
    let others = ["forecourt/site/before/trigger/pump", "forecourt/site/before/region/door/event"]
    let topics = (others + ["nonsense"]).map { Topic(Array($0.utf8).span.bytes) }
    for topic in topics { rig.gateway.restore(Unfinished(topic: topic, id: "irk:ann", since: .zero), at: .zero) }
    var said = rig.said()
    #expect(said.count { $0.topic.hasPrefix("proximity/") && $0.payload.contains(#""zone":"unknown""#) } == 4)
    said.removeAll { $0.topic.hasPrefix("proximity/") }
    #expect(said.map(\.topic) == ["trigger/old", "trigger/old/state", "region/old/event", "region/old"] + others)
    #expect([1, 3].allSatisfy { said[$0].payload.isEmpty } && ids(said).count == 4 && said.count { $0.payload.contains("restart") } == 4)
  }

  @Test("a reload ends what is still open, clears the states of removed triggers, and publishes the others again")
  func reload() {
    var rig = rig { $0.addTrigger("old") }
    rig.gateway.restore(open("trigger/old"), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    _ = rig.said()
    var next = Settings()
    next.gateway.devices = 64
    next.addTrigger("pump")
    rig.gateway.reload(next, at: .zero)
    let said = rig.said()
    #expect(said.contains { $0.topic == "trigger/old" && $0.payload.contains(#""reason":"reload""#) })
    #expect(said.last { $0.topic == "trigger/old/state" }?.payload == "")
    #expect(said.last { $0.topic == "region/door" }?.payload == "")
    #expect(said.contains { $0.topic == "trigger/pump/state" && $0.payload.contains(#""served_count":0"#) })
  }

  @Test("a reload soon after a restart forgets nobody who was being served, nor who is inside, at their new places") func reloadAtOnce() {
    for isOver in [false, true] {
      var rig = rig()
      rig.gateway.restore(open("trigger/pump"), at: .zero)
      rig.gateway.restore(open("region/door/event"), at: .zero)
      rig.gateway.caughtUp(at: .zero)
      if isOver { rig.gateway.expireLeftovers(at: Instant(microseconds: 40_000_000)) }
      var next = Settings()
      next.gateway.devices = 64
      next.calibrateEverybody()
      next.addTrigger("new") { $0.fire = Meters(0.1) }
      next.addTrigger("pump", group: "pumps")
      next.addRegion("hall")
      next.addRegion("door", exit: .after(.seconds(7)))
      _ = rig.said()
      rig.gateway.reload(next, at: Instant(microseconds: isOver ? 41_000_000 : 1_000_000))
      #expect(!rig.said().contains { $0.payload.contains(#""reason":"re"#) }, "neither a reload nor the restart ends a visit")
      rig.hear(1, from: isOver ? 45 : 5, to: isOver ? 85 : 45, level: -60)
      let said = rig.said()
      #expect(!said.contains { $0.topic == "trigger/pump" && $0.payload.contains(#""event":"fire""#) }, "\(isOver)")
      #expect(isOver || !said.contains { $0.topic == "region/door/event" && $0.payload.contains(#""event":"enter""#) })
    }
  }

  @Test("whoever is heard as soon as the outbox has spoken, however late, was here before: it must leave first") func late() {
    for delay in [0.0, 14] {
      var rig = rig()
      rig.wait(until: delay)
      rig.gateway.caughtUp(at: Instant(microseconds: Int64(delay * 1e6)))
      rig.hear(from: delay + 2, to: delay + 30, level: -60)
      #expect(!rig.told().contains { $0.event == "fire" }, "\(delay)")
    }
  }

  @Test("whoever is near before the outbox says that it is being served goes on being served: no second fire, one leave") func heardFirst()
    throws
  {
    var rig = rig()
    rig.hear(from: 1, to: 5, level: -84, becoming: -72)
    _ = rig.said()
    rig.gateway.restore(open("trigger/pump"), at: Instant(microseconds: 5_000_000))
    rig.gateway.restore(open("trigger/pump"), at: Instant(microseconds: 5_000_000))
    rig.gateway.caughtUp(at: Instant(microseconds: 5_000_000))
    rig.hear(from: 5.1, to: 10, level: -60)
    let served = try #require(try state(rig.said())["served"] as? [[String: Any]])
    #expect(served.count == 1 && served[0]["since"] as? String == "2025-10-09T08:52:50.000Z", "\(served)")
    rig.hear(from: 10, to: 40, level: -60)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 40_000_000))
    rig.wait(until: 100)
    #expect(rig.told().filter { !$0.event.isEmpty } == [Told("leave", reason: "lost")])
  }

  @Test("with two devices at one pump the state lists who is served and who is near, and the first to leave does not end it")
  func two() throws {
    var rig = rig()
    rig.gateway.caughtUp(at: .zero)
    for step in 0..<140 {
      let time = 10 + Double(step) / 10
      for device in 1...2 as ClosedRange<UInt8> {
        rig.hear(device, at: time, level: Int8(min(-84 + Double(step - Int(device) * 10) * 0.5, -60)))
      }
    }
    var now = try state(rig.said())
    #expect(now["served_count"] as? Int == 2 && (now["served"] as? [Any])?.count == 2)
    rig.hear(2, from: 24, to: 30, level: -60)
    now = try state(rig.said())
    #expect(now["served_count"] as? Int == 1 && (now["served"] as? [[String: Any]])?.first?["id"] as? String == "address:c0:00:00:00:00:02")
    rig.hear(3, from: 30, to: 33, level: -80, becoming: -70)
    #expect(try state(rig.said())["near_count"] as? Int == 1)
    rig.wait(until: 60)
    now = try state(rig.said())
    #expect(now["served_count"] as? Int == 0 && now["near_count"] as? Int == 0)
  }

  @Test("the state says why somebody who is near is not served, for whoever missed the event")
  func undecided() throws {
    var rig = rig()
    rig.gateway.caughtUp(at: .zero)
    rig.hear(1, from: 0, to: 60, level: -60)
    let near = try state(rig.said())["near"] as? [[String: Any]]
    #expect(near?.count == 1 && near?.first?["undecided"] as? String == "present at start")
    rig.hear(1, from: 60, to: 80, level: -95)
    #expect(try (state(rig.said())["near"] as? [Any])?.isEmpty == true)
  }

  @Test("a state that waits for a trigger which is no more is forgotten, and brings no other") func gone() {
    var rig = rig()
    rig.wait(until: 1)
    let waiting = rig.gateway.triggers.stale
    #expect(waiting == 0, "nothing has happened yet")
    rig.gateway.caughtUp(at: .zero + .seconds(1))
    rig.wait(until: 5)
    _ = rig.said()
    rig.gateway.triggers.stale = 1 << 3
    rig.gateway.regions.stale = 1 << 3
    rig.wait(until: 10)
    let left = rig.gateway.regions.stale
    #expect(left == 0 && rig.gateway.triggers.stale == 0 && !rig.said().contains { $0.topic.hasSuffix("/state") })
  }

  @Test("a state always fits, and counts the devices it leaves out")
  func crowd() throws {
    var rig = Rig(devices: 64) {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.gateway.simulated = true
    }
    rig.gateway.caughtUp(at: .zero)
    for second in 10..<40 {
      for device in 0..<50 as Range<UInt8> {
        rig.hear(device, from: Double(second), to: Double(second) + 1, level: min(-84 + Double(second - 10) * 3, -60))
      }
    }
    // A device that was left for later is published with the next that falls due.
    rig.gateway.expireLeftovers(at: Instant(microseconds: 41_000_000))
    let now = try state(rig.said())
    let told = try #require(now["served"] as? [Any]).count + (now["near"] as? [Any] ?? []).count
    let there = try #require(now["served_count"] as? Int) + (now["near_count"] as? Int ?? 0)
    #expect(there > 30 && told > 8 && there == told + (now["left_out"] as? Int ?? 0) && now["simulated"] as? Bool == true)
  }

  @Test("a state lists as many devices as it has room for", arguments: ["p", "a pump's name", "a pump whose name is 32 long"] as [Name])
  func room(name: Name) throws {
    var rig = Rig(devices: 64) {
      $0.calibrateEverybody()
      $0.addTrigger(name) { $0.dwell = .seconds(30) }
    }
    rig.gateway.caughtUp(at: .zero)
    for tenth in 100..<120 {
      for device in 0..<40 as Range<UInt8> { rig.hear(device, at: Double(tenth) / 10 + Double(device) / 1_000) }
    }
    // A state that had to wait is published with the next that falls due.
    rig.gateway.expireLeftovers(at: .zero + .seconds(13))
    let last = try #require(rig.said().last { $0.topic == "trigger/\(String(name))/state" }).payload
    let start = try #require(last.ranges(of: #""near":["#).first).upperBound
    let end = try #require(last.ranges(of: "}]").last).lowerBound
    let entries = last[start...end].split(separator: "},")
    let longest = try #require(entries.first).utf8.count + 2
    let state = try state([("trigger/pump/state", last)])
    let near = try #require(state["near_count"] as? Int)
    #expect(near > 20 && state["left_out"] as? Int == near - entries.count)
    // Behind the lists a mark of a rehearsal must fit: 64 bytes for all that follows.
    let free = Payload.capacity - last[...end].utf8.count
    #expect((64..<64 + longest).contains(free), "\(free) bytes are free, an entry has \(longest)")
  }

  @Test("of a thousand made-up devices a second that enter a region some are published, the count is right, and a fire goes through")
  func flood() {
    var rig = Rig(devices: 8_192) {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.addRegion("door", exit: .after(.seconds(7)))
    }
    _ = rig.said()
    var (enters, exits, fires, arms) = (0, 0, 0, 0)
    for second in 0..<25 {
      for number in 0..<1_000 {
        let address: [UInt8] = [UInt8(number & 0xFF), UInt8(number >> 8), UInt8(second), 7, 7, 0xC0]
        let packet = advert(address, level: -60, data: [])
        rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(second) * 1_000_000 + Int64(number) * 1_000))
        if number % 100 == 0 {
          rig.hear(1, at: Double(second) + Double(number) / 1_000, level: Int8(min(-84 + max(Double(second - 10) * 4, 0), -60)))
        }
      }
      for (topic, payload) in rig.said() {
        if payload.contains(#""event":"enter""#) { enters += 1 }
        if payload.contains(#""event":"exit""#) { exits += 1 }
        if payload.contains(#""event":"fire""#), payload.contains("00:01") { fires += 1 }
        if topic == "trigger/pump", payload.contains(#""event":"arm""#) { arms += 1 }
      }
    }
    #expect(enters <= 256 + 25 * 5 + 1 && exits <= enters && fires == 1 && arms < 100)
    #expect(Int(rig.gateway.publisher.eventsLeftOut) > 20_000)
    rig.wait(until: 200)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 201_000_000))
    let said = rig.said()
    exits += said.count { $0.payload.contains(#""event":"exit""#) }
    #expect(exits == enters, "every published enter has its exit")
    #expect(said.last { $0.topic == "region/door" }?.payload.contains(#""count":0"#) == true)
  }
}
