@testable import Core

/// A gateway's settings and what it hears, by seed: visitors that come, stand, fall silent and go, beacons and strangers among them.
struct Yard {
  struct Step {
    /// A multiple of 1/64 s, so that a shift changes no digit.
    var time: Double
    var device: UInt8
    var level: Int8
    var radio: Int
    var data: [UInt8]
  }

  let seed: UInt64
  let radios: Int

  init(_ seed: UInt64) {
    self.seed = seed
    radios = 1 + Int(seed % 2)
  }

  /// Triggers and regions in this order; the same whatever it is, but for their numbers.
  func settings(order: [Int] = [0, 1, 2, 3], into settings: inout Settings) {
    var chance = Seeded(seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    settings.addRadios(radios)
    if radios > 1 { settings.radios[1].receiveOffset = Decibels(Float(below(5))) }
    settings.calibration.learns = false
    if below(3) > 0 { settings.calibrateEverybody() }
    settings.publish.unknown = [.ignore, .publish][below(2)]
    settings.publish.interval = .seconds(5)
    settings.ranging.interval = .seconds(2)
    settings.ranging.extend = .seconds(Double(below(2) * 20))
    if below(2) == 0 { settings.zones.edges = ZoneSettings.distances }
    let selectors = [Selector.any, Self.selector("address:c0:00:00:00:00:01"), Self.selector("ibeacon:*"), .any]
    let (exits, minima) = ([RegionSettings.ExitRule.auto, .after(.seconds(3)), .after(.seconds(9))], [-127, -80, -70] as [Float])
    let isGrouped = below(2) == 0
    let turn = below(3)
    for number in order {
      settings.addRegion(Self.name("region", number), exit: exits[(number + turn) % 3], matching: selectors[number])
      settings.regions[settings.regions.count - 1].minimum = Decibels(minima[(number + 2 * turn) % 3])
      // Rivals at one radio would judge each other by the same sample, the first of them before it.
      let radio = radios > 1 && (1...2).contains(number) ? Int8(number - 1) : nil
      settings.addTrigger(Self.name("trigger", number), group: isGrouped && radio != nil ? "group" : Name(), radio: radio) {
        $0.fire = Meters(1.5 + Float(number))
        $0.leave = Meters(5 + Float(number))
        $0.dwell = .seconds(Double(number + 1) * 0.5)
        $0.refractory = .seconds(Double(1 + (number + turn) % 3 * 8))
        $0.settle = .seconds(Double((number + turn) % 2))
      }
    }
  }

  /// Eighty seconds of them, and some strangers.
  func steps(from start: Double, other seed: UInt64 = 0, strangers: Int = 3) -> [Step] {
    var chance = Seeded(self.seed &* 31 &+ seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    var steps: [Step] = []
    for device in 1...5 as ClosedRange<UInt8> {
      var (level, target) = (-95.0, -85.0)
      var time = start + Double(below(640)) / 64
      while time < start + 80 {
        if below(40) == 0 { target = -100 + Double(below(50)) }
        if below(150) == 0 { time += Double(below(15)) }
        level += (target - level) * 0.1
        // The fifth renews its address: its beacon says who it is.
        let address = device == 5 ? 5 + UInt8((time - start) / 20) : device
        let heard = Int8(max(-110, min(-20, level + Double(below(7)) - 3)).rounded())
        steps.append(Step(time: time, device: address, level: heard, radio: below(radios), data: device > 3 ? Self.beacon(device) : []))
        time += Double(4 + below(12)) / 64
      }
    }
    for stranger in 0..<strangers {
      let time = start + Double(below(80 * 64)) / 64
      steps.append(Step(time: time, device: 100 + UInt8(stranger), level: Int8(-90 + below(40)), radio: below(radios), data: []))
    }
    return steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  static func beacon(_ number: UInt8) -> [UInt8] {
    [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, number, 0xC5]
  }

  private static func selector(_ words: StaticString) -> Selector { try! Selector(written: Text<64>(words).bytes) }

  private static func name(_ word: StaticString, _ number: Int) -> Name {
    var name = Name(word)
    name.append(decimal: UInt64(number))
    return name
  }
}

extension Rig {
  init(_ yard: Yard, devices: Int = 64, order: [Int] = [0, 1, 2, 3]) {
    self.init(devices: devices) { yard.settings(order: order, into: &$0) }
    gateway.caughtUp(at: .zero)
  }

  mutating func hear(_ steps: [Yard.Step], later shift: Double = 0, _ meanwhile: (inout Rig, Double) -> Void = { _, _ in }) {
    for step in steps {
      meanwhile(&self, step.time + shift)
      hear(step.device, at: step.time + shift, level: step.level, radio: step.radio, data: step.data)
    }
  }

  mutating func reload(_ yard: Yard, devices: Int = 64, order: [Int] = [0, 1, 2, 3], at seconds: Double) {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = devices
    yard.settings(order: order, into: &settings)
    gateway.reload(settings, at: Instant(microseconds: Int64(seconds * 1e6)))
  }
}
