import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what Home Assistant is told of") struct HomeAssistantTests {
  /// A gateway, and what it announces.
  private struct House: ~Copyable {
    var machine: Machine
    var home: HomeAssistant
    let ring: Ring<Message>

    init(_ toml: String) throws {
      machine = try Machine(toml)
      home = HomeAssistant(machine.gateway.settings)
      var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 64))
      ring = Ring<Message>(capacity: 64, in: &arena)
    }

    mutating func turn(_ seconds: Double) -> [String] {
      home.turned(machine.gateway, into: ring, at: .zero + .seconds(seconds))
      return HomeAssistantTests.announced(ring)
    }

    mutating func reload(_ toml: String, at seconds: Double) throws {
      machine.gateway.reload(try Machine.configuration(toml).core, at: .zero + .seconds(seconds))
      home.reload(machine.gateway.devices, machine.gateway.settings)
    }
  }

  private func announced(_ ring: Ring<Message>) -> [String] { Self.announced(ring) }

  private static func announced(_ ring: Ring<Message>) -> [String] {
    var topics: [String] = []
    while let message = ring.pop() {
      let parts = String(message.topic).split(separator: "/")
      guard parts[0] == "homeassistant" else { continue }
      let kind = parts[1]
      let name = (try? JSONSerialization.jsonObject(with: Data(String(message.payload).utf8)) as? [String: Any])?["name"] as? String
      topics.append("\(kind) \(name ?? "removed")")
    }
    return topics
  }

  private static func entities(of id: String) -> [String] { ["device_tracker \(id)", "sensor \(id) distance", "sensor \(id) level"] }

  @Test("Home Assistant learns of regions and triggers at once, of identities when they are heard, and what is gone is removed")
  func homeAssistant() throws {
    let region = "[[region]]\nname = \"yard\"\nmatch = \"ibeacon:*\"\n"
    let trigger = "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n"
    let wanted = "home_assistant.discovery = true\n"
    let device = "[[device]]\nname = \"Anna\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\n"
    var machine = try Machine(wanted + device + region + trigger)
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 64))
    let ring = Ring<Message>(capacity: 64, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    func due() -> Instant { home.nextDeadline(machine.gateway.devices) }
    func turn(_ seconds: Double) -> [String] {
      home.turned(machine.gateway, into: ring, at: .zero + .seconds(seconds))
      return announced(ring)
    }
    #expect(home.hasWork(ring) && turn(5) == ["binary_sensor yard", "binary_sensor pump"] && !home.hasWork(ring))
    #expect(due() == .never)
    machine.hear(1, at: 6, beacon: 1)
    machine.hear(9, at: 6)
    #expect(due() == .zero + .seconds(1), "at once: the last look was long ago")
    #expect(turn(6) == ["device_tracker Anna", "sensor Anna distance", "sensor Anna level"], "only who is looked for")
    machine.hear(2, at: 6.5, beacon: 2)
    #expect(due() == .zero + .seconds(7) && turn(6.9) == [])
    #expect(turn(7) == Self.entities(of: "ibeacon:\(Machine.uuid):7:2") && turn(9) == [])
    // A new configuration: all anew, and the region's and the second beacon's are removed.
    let next = wanted + "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\n"
    machine.gateway.reload(try Machine.configuration(next).core, at: .zero + .seconds(9.5))
    home.reload(machine.gateway.devices, machine.gateway.settings)
    let again = turn(10)
    #expect(again.filter { !$0.hasSuffix("removed") }.count == 4 && again.count { $0.hasSuffix("removed") } == 4, "\(again)")
    machine.gateway.reload(try Machine.configuration(region).core, at: .zero + .seconds(10.5))
    home.reload(machine.gateway.devices, machine.gateway.settings)
    #expect(turn(11).allSatisfy { $0.hasSuffix("removed") } && due() == .never)
  }

  @Test(
    "a reload of the same settings, and another, keep who is looked for by another of its names, present or away; others are removed",
    arguments: [
      "[[region]]\nname = \"yard\"\nmatch = \"address:C0:00:00:00:00:01\"\n",
      "[[trigger]]\nname = \"pump\"\nmatch = \"address:C0:00:00:00:00:01\"\n",
      "[[calibration.device]]\nmatch = \"address:C0:00:00:00:00:01\"\nmeasured_power_dbm = -59\n",
    ])
  func homeAssistantByAnotherName(what: String) throws {
    let wanted = "home_assistant.discovery = true\n"
    var house = try House(wanted + what)
    house.machine.hear(1, at: 6, beacon: 1)
    let (places, beacon) = (house.turn(5), Self.entities(of: "ibeacon:\(Machine.uuid):7:1"))
    #expect(places.suffix(3) == beacon, "\(places)")
    for seconds in [7.0, 600, 601] {
      try house.reload(wanted + what, at: seconds)
      let told = house.turn(seconds + 0.5)
      #expect(told == places, "at \(seconds) s: \(told)")
    }
    // The numbers of the places change.
    let more = ["region", "trigger"].map { "[[\($0)]]\nname = \"first\"\nmatch = \"ibeacon:\(Machine.uuid):9:*\"\n" }.joined()
    try house.reload(wanted + more + what, at: 605)
    let moved = house.turn(605.5)
    #expect(moved.count == places.count + 2 && moved.suffix(3) == beacon, "\(moved)")
    try house.reload(wanted + "[[region]]\nname = \"other\"\nmatch = \"address:C0:00:00:00:00:02\"\n", at: 610)
    let gone = house.turn(611)
    #expect(gone.count { $0.hasSuffix("removed") } == places.count + 2)
  }

  @Test("half of the ring stays free for what cannot wait; a hundred identities are enough") func crowded() throws {
    var machine = try Machine("gateway.devices = 300\nhome_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"ibeacon:*\"\n")
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 16))
    let ring = Ring<Message>(capacity: 16, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    for number in 0..<110 as Range<UInt8> { machine.hear(number, at: 1, beacon: number) }
    var all = 0
    home.turned(machine.gateway, into: ring, at: .zero + .seconds(2))
    let again = home.nextDeadline(machine.gateway.devices)
    #expect(!home.hasWork(ring) && again == .zero + .seconds(2.05), "while the courier takes nothing, no turn follows at once")
    all += announced(ring).count
    for turn in 0..<100 where turn == 0 || home.hasWork(ring) {
      home.turned(machine.gateway, into: ring, at: .zero + .seconds(2 + Double(turn)))
      #expect(ring.count <= 10)
      all += announced(ring).count
    }
    #expect(all == 1 + 300 && !home.hasWork(ring))
    let told = [3.9, 4, 61, 62.0, 63].map { home.dueToTell(at: .zero + .seconds($0)).count }
    let due = home.nextDeadline(machine.gateway.devices)
    #expect(told == [0, 100, 100, 0, 0] && due == .zero + .seconds(121), "\(told): newcomers once they are known, all once a minute")
  }

  @Test("however many visitors come first, whoever has a name is announced") func named() throws {
    let name = "[[device]]\nname = \"anna\"\nmatch = \"ibeacon:\(Machine.uuid):7:200\"\n"
    let toml = "gateway.devices = 300\nhome_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"ibeacon:*\"\n"
    var machine = try Machine(toml + name)
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 1_024))
    let ring = Ring<Message>(capacity: 1_024, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    for number in 0..<110 as Range<UInt8> { machine.hear(number, at: 1, beacon: number) }
    home.turned(machine.gateway, into: ring, at: .zero + .seconds(2))
    #expect(announced(ring).count == 1 + 3 * 99)
    machine.hear(200, at: 3, beacon: 200)
    home.turned(machine.gateway, into: ring, at: .zero + .seconds(4))
    #expect(announced(ring) == ["device_tracker anna", "sensor anna distance", "sensor anna level"])
    machine.hear(201, at: 5, beacon: 201)
    home.turned(machine.gateway, into: ring, at: .zero + .seconds(6))
    #expect(announced(ring).isEmpty)
  }

  @Test("who loses its key is removed, though `irk:*` looks for it and the device table does not forget it at once") func keyless() throws {
    let toml = "home_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"irk:*\"\n"
    let key = "[[key.irk]]\nalias = \"anna\"\nkey = \"ec0234a357c8ad05341010a60a397d9b\"\n"
    var house = try House(toml + key)
    // The address that the specification's example makes of this key.
    let packet: [UInt8] = [4, 0x3E, 12, 2, 1, 3, 1, 0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70, 0, 0xC4]
    house.machine.gateway.receive(packet.span.bytes, radio: 0, at: .zero + .seconds(6))
    let known = house.turn(7)
    #expect(known == ["binary_sensor r"] + Self.entities(of: "irk:anna"))
    try house.reload(toml, at: 8)
    let told = house.turn(9) + house.turn(11)
    #expect(told == ["binary_sensor r", "device_tracker removed", "sensor removed", "sensor removed"])
  }

  @Test("a tag whose address stays is announced, a phone whose address changes is not") func addresses() throws {
    var machine = try Machine("home_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"address:*\"\n")
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 64))
    let ring = Ring<Message>(capacity: 64, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    machine.hear(1, at: 1)
    machine.hear(2, at: 1, addressKind: 0x40)
    home.turned(machine.gateway, into: ring, at: .zero + .seconds(2))
    #expect(announced(ring) == ["binary_sensor r"] + Self.entities(of: "address:c0:00:00:00:00:01"))
  }
}
