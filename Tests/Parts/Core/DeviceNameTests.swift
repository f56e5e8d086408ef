import Testing

@testable import Core

extension Settings {
  mutating func addDevice(_ name: Name, matching selector: Selector) {
    var device = DeviceName()
    device.name = name
    device.match = Slice(start: UInt16(selectors.count), count: 1)
    precondition(selectors.append(selector) == nil && deviceNames.append(device) == nil)
  }
}

@Suite("A device has the name that people gave it") struct DeviceNameTests {
  private func address(_ device: UInt8) -> Selector { Selector(kind: .address, isWhole: true, prefix: identity(device)) }

  private func identity(_ device: UInt8) -> Identity {
    var identity = Identity(.address)
    for byte in [0xC0, 0, 0, 0, 0, device] as [UInt8] { identity.append(byte) }
    return identity
  }

  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.addRegion("door", exit: .after(.seconds(7)))
      $0.addDevice("anna", matching: address(1))
      $0.addDevice("somebody else", matching: address(1))
      change(&$0)
    }
  }

  private static let named = #""id":"address:c0:00:00:00:00:01","name":"anna""#

  @Test("beside its id, in every message about it, and in none about another") func messages() {
    var rig = rig()
    rig.gateway.caughtUp(at: .zero)
    for step in 0..<200 {
      for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 10 + Double(step) / 10, level: Int8(min(-84 + step / 3, -58))) }
    }
    rig.wait(until: 80)
    let said = rig.said()
    for (topic, part) in [
      ("proximity/address:c0:00:00:00:00:01", #""zone":"#), ("ranging/door", #""devices":["#), ("region/door/event", #""event":"enter""#),
      ("region/door/event", #""event":"exit""#), ("trigger/pump", #""event":"arm""#), ("trigger/pump", #""event":"fire""#),
      ("trigger/pump", #""event":"leave""#), ("trigger/pump/state", #""served":[{"id":"address:c0:00:00:00:00:01""#),
    ] {
      let all = said.filter { $0.topic == topic && $0.payload.contains(part) && $0.payload.contains("00:01") }
      #expect(!all.isEmpty && all.allSatisfy { $0.payload.contains(Self.named) }, "\(topic) \(part): \(all.first?.payload ?? "none")")
    }
    #expect(said.allSatisfy { !$0.payload.contains(#"00:02","name""#) && !$0.payload.contains("somebody") })
  }

  @Test("also where a run ends the visits of the run before it, and after a reload") func later() {
    var rig = rig()
    rig.gateway.restore(
      Unfinished(
        topic: Topic(Array("forecourt/site/gateway/trigger/pump".utf8).span.bytes),
        id: Text(Array("address:c0:00:00:00:00:01".utf8).span.bytes), since: .zero), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    #expect(rig.said().last { $0.topic == "trigger/pump/state" }?.payload.contains(Self.named) == true)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 60_000_000))
    #expect(rig.said().contains { $0.payload.contains(#""event":"leave""#) && $0.payload.contains(Self.named) })
    var nameless = Settings()
    nameless.gateway.devices = 64
    rig.gateway.reload(nameless, at: Instant(microseconds: 61_000_000))
    rig.hear(1, from: 62, to: 70, level: -60)
    #expect(!rig.said().contains { $0.payload.contains("anna") })
  }

  @Test("Home Assistant calls it so") func announced() {
    let discovery = Discovery(Settings(), version: Name("1" as StaticString))
    #expect(String(discovery.tracker(identity(1), named: "anna").payload).contains(#""name":"anna","#))
    #expect(String(discovery.level(identity(1), named: "anna").payload).contains(#""name":"anna level","#))
    #expect(String(discovery.distance(identity(1)).payload).contains(#""name":"address:c0:"#))
  }

  @Test("a pseudonym has no name") func pseudonym() {
    var rig = Rig {
      $0.publish.unknown = .hash
      $0.addDevice("anna", matching: address(1))
    }
    rig.hear(1, from: 1, to: 40, level: -60)
    let said = rig.said()
    #expect(said.contains { $0.topic.hasPrefix("proximity/") } && !said.contains { $0.payload.contains("anna") }, "\(said)")
  }

  @Test("the longest event with the longest name fits") func longest() {
    var long = Name()
    for _ in 0..<Name.capacity { long.append(byte: UInt8(ascii: "\"")) }
    var rig = Rig {
      $0.gateway.simulated = true
      $0.calibrateEverybody()
      $0.addTrigger(long)
      $0.addDevice(long, matching: .any)
    }
    let advert = [UInt8(Identity.mostNameBytes + 1), 0x09] + [UInt8](repeating: 0x01, count: Identity.mostNameBytes)
    for step in 0..<300 { rig.hear(1, at: 1 + Double(step) / 10, level: Int8(max(-80, -60 - step / 100)), data: advert) }
    rig.wait(until: 90)
    let said = rig.said().filter { $0.payload.contains(#""event":"#) }
    #expect(said.count >= 2 && said.allSatisfy { $0.payload.utf8.count < 1_024 }, "\(said)")
  }
}
