import Core
import Foundation
import Host
import Seeds
import Testing

@testable import Simulation

/// Everything that a scenario can have, at once, so that whatever moves a bit is noticed. A change on purpose puts new sums here.
@Suite("A world with everything in it") struct WholeWorldTests {
  private static let identities = [
    ("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1", "hand", ""), ("altbeacon:000102030405060708090a0b0c0d0e0f10111213", "bag", ""),
    ("eddystone:edd1ebeac04e5defa017:0123456789ab", "roof", "claimed_dbm = -70\n"), ("service:2f23", "front-pocket", "rotate_s = 4\n"),
    ("background:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6", "back-pocket", "rotate_s = 3\n"), ("name:Bus 7", "mount", "height_m = 2\n"),
    ("phone", "hand", "irk = \"000102030405060708090a0b0c0d0e0f\"\nrotate_s = 5\n"),
  ]

  private static let travellers = [
    "from_m = [12, 0]\nbegins = \"foot\"\nsteps = [{ stand_s = 1 }, { walk_m = [0.9, 0.2], speed_mps = 3 }, { stand_s = 4, facing = \"west\" }, { walk_m = [6, 3], takes_s = 2 }, { stand_s = 3 }]",
    "from_m = [-20, 4]\nbegins = \"car\"\nsteps = [{ drive_m = [1.5, 1], takes_s = 3 }, { sit_s = 2 }, { walk_m = [0.5, -1], speed_mps = 1 }, { stand_s = 2, facing = \"pump\" }, { walk_m = [1.5, 1], speed_mps = 1 }, { drive_m = [30, 4], speed_mps = 6 }]",
    "from_m = [-9, -2]\nbegins = \"open\"\nstart_s = 1\nsteps = [{ ride_m = [8, 1], speed_mps = 4 }, { wait_s = 3 }, { ride_m = [20, 0], takes_s = 4 }]",
  ]

  private static var text: String {
    var text = """
      duration_s = 14
      [[gateway]]
      name = "west"
      at_m = [0, 0]
      silent_s = [9, 10]
      [[gateway]]
      name = "east"
      at_m = [8, 0]
      height_m = 2.5
      gain_db = -3
      sensitivity_dbm = -88
      interval_ms = 100
      window_ms = 40
      extended = false
      clock_s = 1000
      [[gateway]]
      name = "deaf"
      at_m = [4, 9]
      active = false
      [[pump]]
      name = "pump"
      at_m = [0.5, 0]
      [[pump]]
      name = "till"
      at_m = [7, 2]
      radius_m = 2.5
      [bystanders]
      count = 6
      power_spread_db = 4

      """
    for (index, steps) in travellers.enumerated() { text += "[[traveller]]\nname = \"t\(index)\"\n\(steps)\n" }
    for (index, (identity, carried, more)) in identities.enumerated() {
      text += "[[phone]]\nname = \"p\(index)\"\non = \"t\(index % 3)\"\nidentity = \"\(identity)\"\ncarried = \"\(carried)\"\n"
      text += "power_spread_db = \(index)\npower_dbm = \(-60 + index)\n" + more
    }
    return text
  }

  private func world() throws -> World {
    let file = ScenarioFile(ConfigurationText(name: "all.toml", text: Array(Self.text.utf8)))
    try #require(file.findings.map { $0.line(in: "all.toml") } == [])
    return World(file.scenario, seed: 11, cipher: aes128())
  }

  private struct Sum {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var count = 0
    mutating func add(_ word: UInt64) { hash = (hash ^ word) &* 0x0000_0100_0000_01B3 }
  }

  @Test("each gateway hears the same packets as ever, bit for bit") func packets() throws {
    var world = try world()
    var sums = [Sum](repeating: Sum(), count: 3)
    var packet = Packet()
    while let gateway = world.next(into: &packet) {
      sums[gateway].count += 1
      sums[gateway].add(UInt64(bitPattern: packet.at.microseconds))
      for index in 0..<packet.bytes.count { sums[gateway].add(UInt64(packet.bytes[index])) }
    }
    #expect(
      sums.map { "\($0.count) \(String($0.hash, radix: 16))" } == ["1094 c546d8af54dd8a35", "327 94164c6743ee3beb", "909 fae30f2f82f4830"])
  }

  @Test("the truth is the same as ever: where everybody is, and every stay") func truth() throws {
    var world = try world()
    var (sum, line) = (Sum(), TruthLine())
    func add() { for index in 0..<line.count { sum.add(UInt64(line[index])) } }
    for step in 0...28 {
      for phone in 0..<world.witnessed {
        world.compose(phone: phone, at: Double(step) / 2, into: &line)
        add()
      }
    }
    var stays: [String] = []
    for visit in world.visits {
      world.compose(visit, into: &line)
      stays.append(line.string)
    }
    #expect(String(sum.hash, radix: 16) == "c6527f4263d53f5c")
    #expect(world.witnessed == 7)
    #expect(
      stays == [
        #"{"visit":"pump","who":"t0","entered_s":4.7,"stood_s":5.1,"moved_s":9.1,"left_s":9.5}"#,
        #"{"visit":"till","who":"t0","entered_s":10.5,"stood_s":11.1,"moved_s":14.1,"left_s":14.1}"#,
        #"{"visit":"pump","who":"t1","entered_s":3.3,"stood_s":3.5,"moved_s":9.7,"left_s":12.1}"#,
        #"{"visit":"till","who":"t2","entered_s":5,"stood_s":5.7,"moved_s":8.7,"left_s":9.1}"#,
      ])
  }

  @Test("an identity means the phone that sends it: its beacon, its key's name, its address and the one before") func meant() throws {
    var world = try world()
    func phone(_ words: String) throws -> Int? { world.phone(meantBy: try Identity(written: Text<128>(words).bytes)) }
    for (index, (identity, _, _)) in Self.identities.prefix(3).enumerated() { #expect(try phone(identity) == index, "\(identity)") }
    #expect(try phone("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:2") == nil)
    #expect(try phone("irk:p6") == 6 && phone("irk:p5") == nil && phone("irk:p66") == nil && phone("irk:q6") == nil)
    #expect(try phone("peer:BC00BD17") == nil && phone("eid:p6") == nil)
    var packet = Packet()
    var (addresses, remembered): ([String], Int) = ([], 0)
    while world.next(into: &packet) != nil {
      // The fourth phone; extended reports have the address five bytes in.
      guard world.speaker == 3, packet.bytes[3] == 0x0D else { continue }
      let address = (0..<6).reversed().map { String(UInt32(packet.bytes[8 + $0]) | 0x100, radix: 16).dropFirst() }.joined(separator: ":")
      if addresses.last != address { addresses.append(address) }
      #expect(try phone("address:" + address) == 3 && phone("name:x@" + address) == 3)
      // But for the packet behind which it takes the next one.
      for old in addresses.dropLast().suffix(1) where try phone("address:" + old) == 3 { remembered += 1 }
      for old in addresses.dropLast(2) { #expect(try phone("address:" + old) == nil, "an older one") }
    }
    #expect(addresses.count >= 3 && remembered > 20)
  }

  @Test("what a scenario does not say is what the README says") func defaults() {
    #expect(filled(Scenario()).filter { !$0.hasPrefix("air.") && !$0.hasPrefix("bystanders.") } == ["seconds 60.0"])
    #expect(
      filled(Air()) == [
        "pathLossExponent 2.0", "shadowing 3.0", "shadowReach 3.0", "channelSpread 2.7", "channelReach 0.5", "ricianFactor 3.0",
        "fadeReach 0.06", "stir 0.05", "stirsShadows", "interference 0.05", "reportError 1.0", "personInLine 5.0", "carInLine 8.0",
        "carShell 7.0",
      ])
    #expect(
      filled(Station()) == [
        "height 1.5", "sensitivity -94.0", "interval 0.06", "window 0.06", "activeScan", "extended", "silentFrom inf", "silentTo inf",
      ])
    #expect(filled(Pump()) == ["radius 1.5"])
    #expect(filled(Phone()) == ["power -59.0", "claimedPower -59", "interval 0.1", "height 1.1"])
    #expect(filled(Traveller()) == ["delaySpread 1.0", "stray 0.15", "haste 0.1"])
    #expect(filled(Whereabouts()) == ["heading.x 1.0"])
    #expect(
      filled(Bystanders()) == [
        "corner.x -30.0", "corner.y -30.0", "opposite.x 30.0", "opposite.y 30.0", "fastest 1.5", "standing 0.5", "shortestInterval 0.15",
        "longestInterval 1.0", "power -62.0", "powerSpread 6.0",
      ])
    #expect(filled(Stay()) == [])
    for (way, loss, body) in [
      (.inHand, 0, 6), (.inFrontPocket, 4, 10), (.inBackPocket, 4, 10), (.inBag, 5, 6), (.onRoof, 0, 0), (.onMount, 0, 0),
    ] as [(Carried, Double, Double)] {
      #expect(way.loss == loss && way.body == body && way.facing == (way == .inBackPocket ? -1 : 1))
      #expect(way.isOutside == (way == .onRoof || way == .onMount))
    }
  }

  @Test("a truth line has room for 64 pumps with the longest names") func longest() throws {
    var scenario = Scenario.standing(at: 1)
    scenario.pumps = (0..<64).map { index in
      var pump = Pump()
      (pump.name, pump.place) = (Name(String(repeating: "\"", count: 30) + String(10 + index)), Point(Double(-1_000 * index), 9_999.99))
      return pump
    }
    var world = World(scenario, seed: 1)
    var line = TruthLine()
    world.compose(phone: 0, at: 1, into: &line)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.string.utf8)) as? [String: Any])
    #expect(!line.overflowed && (object["distance_m"] as? [String: Double])?.count == 64)
  }
}
