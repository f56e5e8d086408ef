import Testing

@testable import Core

@Suite("What the best-placed radio says of a device") struct EstimateTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  private func rig(_ offsets: [Float]) -> Rig {
    Rig {
      $0.addRadios(offsets.count)
      for (radio, offset) in offsets.enumerated() { $0.radios[radio].receiveOffset = Decibels(offset) }
      $0.addRegion("door")
    }
  }

  @Test("levels are compared without what each radio hears too much") func offsets() throws {
    for (offsets, best, level) in [([0, 0], 0, -50), ([10, 0], 1, -55), ([4, 0], 0, -54), ([0, -6], 1, -49)] as [([Float], Int, Float)] {
      var rig = rig(offsets)
      for step in 0..<20 {
        rig.hear(1, at: 1 + Double(step) / 10, level: -50, radio: 0)
        rig.hear(1, at: 1.05 + Double(step) / 10, level: -55, radio: 1)
      }
      let slot = try #require((0..<64).first { rig.gateway.devices.isUsed($0) })
      let found = rig.gateway.devices.estimate(of: slot, at: at(3), rig.gateway.settings)
      let estimate = try #require(found)
      #expect(estimate.radio == best && estimate.average == Decibels(level), "\(offsets): \(estimate)")
      #expect(estimate.loss == Decibels(-59 - level) && estimate.low < estimate.distance && estimate.distance < estimate.high)
      #expect(estimate.samples == 20 && (estimate.rate - 10).magnitude < 0.01)
    }
  }

  @Test("a radio whose average is stale hears nothing, however well it heard; without any there is no estimate") func stale() throws {
    var rig = rig([0, 0])
    for step in 0..<20 { rig.hear(1, at: 1 + Double(step) / 10, level: -40, radio: 0) }
    for step in 0..<180 { rig.hear(1, at: 1.05 + Double(step) / 10, level: -70, radio: 1) }
    let slot = try #require((0..<64).first { rig.gateway.devices.isUsed($0) })
    func radio(_ seconds: Double) -> Int? { rig.gateway.devices.estimate(of: slot, at: at(seconds), rig.gateway.settings)?.radio }
    let radios = [radio(17.8), radio(18), radio(33.9), radio(34)]
    #expect(radios == [0, 1, 1, nil], "\(radios)")
    let best = [17.8, 18, 34].map { rig.gateway.devices.bestRadio(of: slot, at: at($0), rig.gateway.settings) }
    #expect(best == [0, 1, 0])
  }

  @Test("a distance and its loss belong together, along the whole path") func paths() {
    for exponent in [1.8, 2, 3.5] as [Float] {
      var calibration = CalibrationSettings()
      calibration.pathLossExponent = exponent
      let path = PathLoss(calibration)
      for (distance, loss) in [(1, 0), (10, 10 * exponent), (0.1, -10 * exponent), (100, 20 * exponent)] as [(Float, Float)] {
        #expect((path.loss(at: Meters(distance)).value - loss).magnitude < 0.001)
        #expect((path.distance(atLoss: Decibels(loss)).value / distance - 1).magnitude < 0.001)
      }
      #expect((path.reach(of: Decibels(2)).value - 3.29).magnitude < 0.001)
    }
    #expect(Decibels(3).joined(with: Decibels(-4)) == Decibels(5) && Decibels(0).joined(with: Decibels(2)) == Decibels(2))
  }
}

@Suite("A sender whose device has left its table") struct StaleSenderTests {
  @Test("its next advert, though it repeats the last, makes the device anew and counts for no other") func evicted() throws {
    var rig = Rig(devices: 4) { $0.publish.unknown = .publish }
    func level(_ identity: StaticString) throws -> Int8? {
      let slot = rig.gateway.devices.find(try Identity(written: Text<80>(identity).bytes))
      return slot.map { rig.gateway.devices[$0].level }
    }
    rig.hear(1, at: 1, level: -50)
    // One sender with as many names as there are places.
    for number in 1...4 as ClosedRange<UInt8> { rig.hear(9, at: 1 + Double(number), level: -70, data: Yard.beacon(number)) }
    #expect(try level("address:c0:00:00:00:00:01") == nil && rig.gateway.devices.count == 4)
    rig.hear(1, at: 10, level: -50)
    #expect(try level("address:c0:00:00:00:00:01") == -50 && rig.gateway.devices.count == 4 && rig.gateway.tableFaults == [])
    for slot in 0..<4 where rig.gateway.devices[slot].level == -50 {
      #expect(String(rig.gateway.devices[slot].identity) == "address:c0:00:00:00:00:01")
    }
    #expect((0..<4).count { rig.gateway.devices[$0].level == -70 } == 3)
  }
}

extension String {
  fileprivate init(_ identity: Identity) {
    var text = Text<128>()
    text.append(identity)
    self = String(text)
  }
}

@Suite("What is published under a chosen name") struct ChosenNameTests {
  private func words(_ message: Message) -> (topic: String, payload: String) { (String(message.topic), String(message.payload)) }

  @Test("names that Home Assistant's identifiers cannot tell apart, and kinds of one name, have topics of their own") func identifiers() {
    let discovery = Discovery(Settings(), version: "1.0")
    let names = ["pump 1", "pump_1", "pump-1", "pump/1", "pümp1", "pump.1"] as [Name]
    var topics: Set<String> = []
    for name in names {
      for message in [discovery.trigger(name), discovery.region(name)] {
        let (topic, payload) = words(message)
        let id = topic.split(separator: "/")[2]
        #expect(topics.insert(topic).inserted && payload.contains("\"uniq_id\":\"\(id)\""), "\(topic) \(payload)")
        #expect(id.hasPrefix("forecourt_site_gateway_") && id.suffix(16).allSatisfy(\.isHexDigit))
      }
    }
    #expect(words(discovery.trigger("a")).topic == words(discovery.trigger("a")).topic)
  }

  @Test("a neighbour of an earlier run is waited for, and nobody waits for itself") func restored() {
    var rig = Rig {
      $0.gateway.name = "we"
      $0.addTrigger("pump", group: "pumps")
    }
    var groups = GroupList()
    groups.append("pumps")
    rig.gateway.restore(neighbour: "we", groups)
    let isAlone = !rig.gateway.triggers.membership.hasCompetitor(in: "pumps", at: .zero)
    rig.gateway.restore(neighbour: "other", groups)
    let hasOther = rig.gateway.triggers.membership.hasCompetitor(in: "pumps", at: .zero)
    #expect(isAlone && hasOther)
  }
}
