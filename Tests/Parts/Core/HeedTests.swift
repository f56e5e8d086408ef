import Testing

@testable import Core

@Suite("What a gateway heeds") struct HeedTests {
  @Test("events that HCI may yet define are sense; those beyond its numbers are nonsense, and status shows a radio that sends many")
  func events() {
    for (subevent, isSense) in [(0x03, true), (0x3F, true), (0x40, false), (0xFE, false)] as [(UInt8, Bool)] {
      var line = ModelLine()
      line.run(for: .seconds(5))
      for _ in 0..<1_000 {
        line.say([4, 0x3E, 2, subevent, 0])
        line.run(for: .milliseconds(20))
      }
      let condition = line.controller.condition
      if case .degraded(.nonsense) = condition { #expect(!isSense, "\(subevent)") } else { #expect(isSense, "\(subevent): \(condition)") }
    }
  }

  @Test("a level at 1 m that an advert says is believed down to so much below the assumed one") func credit() {
    for (assumed, fires) in [(-59, false), (-80, true)] as [(Float, Bool)] {
      var rig = Rig {
        $0.addTrigger("pump")
        $0.calibration.measuredPower = Decibels(assumed)
      }
      // An iBeacon of -90 dBm at 1 m.
      let data: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 7, count: 16) + [0, 1, 0, 1, 0xA6]
      for step in 0..<150 { rig.hear(1, at: 5 + Double(step) / 10, level: Int8(min(-100 + step / 3, -80)), data: data) }
      let events = rig.said().filter { $0.topic.hasPrefix("trigger/") && $0.payload.contains("\"event\":\"fire\"") }
      #expect(events.isEmpty != fires, "\(assumed)")
    }
  }

  @Test("a trigger that turns to another radio goes on at that one's level") func turned() {
    var rig = Rig {
      $0.addRadios(2)
      $0.addTrigger("pump")
    }
    for step in 0..<30 { rig.hear(1, at: 1 + Double(step) / 10, level: -70) }
    var known: [Int] = []
    for step in 0..<60 {
      rig.hear(1, at: 4 + Double(step) / 10, level: -50, radio: 1)
      let encounter = rig.gateway.triggers.encounters[0]
      guard encounter.radio == 1 else { continue }
      known.append(Int(encounter.approach.samples))
      #expect(encounter.approach.level == Decibels(-50), "\(step)")
    }
    #expect(known.first == 31 && known.count > 20, "\(known)")
  }

  @Test("one neighbour's better claim is heeded while another's answer is still missing") func waiting() throws {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump", group: "pumps")
    }
    for name in ["east", "west"] as [Name] {
      var neighbour = Neighbour()
      (neighbour.name, neighbour.boot, neighbour.isOnline) = (name, "b", true)
      neighbour.groups.append("pumps")
      rig.gateway.receive(status: neighbour, at: Instant(microseconds: 4_000_000))
    }
    rig.hear(from: 5, to: 9, level: -80, becoming: -60)
    rig.hear(from: 9, to: 13, level: -60)
    let asked = try #require(rig.said().last { $0.payload.contains(#""state":""#) && $0.topic.contains("claim") })
    #expect(asked.payload.contains(#""state":"holding""#), "\(asked)")
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence, claim.level) = ("west", "pumps", "b", 1, Decibels(-50))
    (claim.standing, claim.identity) = (.holding, Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001)))
    rig.gateway.receive(claim: claim, at: Instant(microseconds: 13_000_000))
    let said = rig.said()
    #expect(said.last?.payload.contains(#""state":"holding""#) == false, "\(said)")
  }

  @Test("a radio that hears others, and not the device asked for, says so; one that hears nobody may be deaf, and says nothing")
  func listens() throws {
    var rig = Rig { $0.addTrigger("pump", group: "pumps") }
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: .zero)
    for step in 0..<20 { rig.hear(1, at: Double(step) / 10, level: -100) }
    for (number, moment, isListening) in [(1, 3, true), (2, 90, false)] as [(UInt32, Double, Bool)] {
      _ = rig.said()
      var claim = Claim()
      (claim.gateway, claim.group, claim.boot, claim.sequence, claim.level) = ("other", "pumps", "b", number, Decibels(-60))
      claim.identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0002))
      rig.gateway.receive(claim: claim, at: .zero + .seconds(moment))
      let answer = try #require(rig.said().first { $0.payload.contains("withdrawn") })
      #expect(answer.payload.contains(#""listens":true"#) == isListening, "\(answer)")
    }
  }

  @Test("of two that send one beacon's frame the nearer is followed, from its own samples alone") func copied() {
    var rig = Rig { $0.addTrigger("pump") }
    let data: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 7, count: 16) + [0, 1, 0, 1, 0xC5]
    for step in 0..<20 { rig.hear(1, at: 1 + Double(step) / 10, level: -75, data: data) }
    #expect(rig.gateway.triggers.encounters[0].approach.level == Decibels(-75))
    for step in 20..<40 {
      rig.hear(2, at: 1 + Double(step) / 10, level: -50, data: data)
      #expect(rig.gateway.triggers.encounters[0].approach.level == Decibels(-50), "\(step)")
      rig.hear(1, at: 1.05 + Double(step) / 10, level: -75, data: data)
    }
    #expect(rig.gateway.triggers.encounters[0].approach.samples == 20)
  }
}
