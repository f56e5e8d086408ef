import Core

@testable import Simulation

/// Scenarios made in place, for tests that need just so much of a world.
extension Scenario {
  /// One phone that stands `distance` metres before one gateway and looks at it.
  static func standing(at distance: Double, seconds: Double = 60, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    var scenario = Scenario()
    scenario.seconds = seconds
    var gateway = Station()
    gateway.name = Name("west")
    gateway.height = 1.1
    scenario.gateways = [gateway]
    var pump = Pump()
    pump.name = Name("pump")
    scenario.pumps = [pump]
    var somebody = Traveller()
    somebody.name = Name("somebody")
    somebody.start = Point(distance, 0)
    somebody.steps = [.stay(seconds: seconds, facing: .zero, in: .foot)]
    scenario.travellers = [somebody]
    var phone = Phone()
    phone.name = Name("tag")
    phone.says = .beacon(.tag(1))
    phone.carried = .onMount
    scenario.phones = [phone]
    change(&scenario)
    return scenario
  }
}

extension Identity {
  static func tag(_ minor: UInt8) -> Identity {
    var identity = Identity(.iBeacon)
    for byte: UInt8 in 1...16 { identity.append(byte) }
    for byte: UInt8 in [0, 7, 0, minor] { identity.append(byte) }
    return identity
  }
}

extension World {
  /// The levels of everything the gateways hear, with the moments.
  static func receptions(_ scenario: Scenario, seed: UInt64) -> [(gateway: Int, at: Instant, rssi: Int)] {
    var world = World(scenario, seed: seed)
    var packet = Packet()
    var heard: [(Int, Instant, Int)] = []
    while let gateway = world.next(into: &packet) {
      // Extended events: the level stands 18 bytes into the first report.
      heard.append((gateway, packet.at, Int(Int8(bitPattern: packet.bytes[5 + 13]))))
    }
    return heard
  }
}

extension Collection where Element: BinaryInteger {
  var mean: Double { reduce(0.0) { $0 + Double($1) } / Double(count) }

  var deviation: Double {
    let mean = mean
    return (reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / Double(count)).squareRoot()
  }
}
