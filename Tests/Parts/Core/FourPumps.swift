@testable import Core

/// One gateway with four radios, eight and nine metres apart, and a trigger at each.
enum FourPumps {
  static let places = [PlanPoint(x: 0, y: 0), PlanPoint(x: 8, y: 0), PlanPoint(x: 0, y: 9), PlanPoint(x: 8, y: 9)]
  static let names: [Name] = ["one", "two", "three", "four"]

  /// `one` has no place though the others have. Not `areNamed`: no trigger says which radio is its own.
  static func configure(_ settings: inout Settings, isPlaced: Bool, but one: Int = -1, areNamed: Bool = true) {
    settings.addRadios(4)
    for (index, name) in names.enumerated() {
      if isPlaced && index != one { settings.radios[index].point = places[index] }
      settings.addTrigger(name, group: "pumps", radio: areNamed ? Int8(index) : nil)
    }
  }

  /// Where somebody stands who is served there.
  static func beside(_ pump: Int) -> PlanPoint { PlanPoint(x: places[pump].x + 0.6, y: places[pump].y + 0.6) }

  /// Somebody in the street, and what is wrong with the antennas.
  static func passer(_ seed: UInt64) -> (place: PlanPoint, loudness: Float, errors: [Float]) {
    var chance = Seeded(seed)
    let errors = (0..<4).map { _ in Float(chance.next() % 61) / 10 - 3 }
    let place = PlanPoint(x: Float(chance.next() % 16) - 4, y: seed % 2 == 0 ? -15 : 24)
    return (place, -60 + Float(chance.next() % 25), errors)
  }
}

extension Rig {
  /// Half a minute of a phone, heard as distance demands, by radios that hear nothing below -95 dBm; each hears something of others.
  mutating func hear(
    _ device: UInt8 = 1, at place: PlanPoint, loudness: Float, from start: Double = 10, errors: [Float] = [0, 0, 0, 0],
    isAlone: Bool = false
  ) {
    for step in 0..<300 {
      for radio in 0..<4 {
        let at = start + Double(step) * 0.1 + Double(radio) * 0.01
        let distance = max(place.distance(to: FourPumps.places[radio]), 0.5)
        let level = loudness - Float(20 * Core.log10(Double(distance))) + errors[radio]
        if level > -95 { hear(device, at: at, level: Int8(level.rounded()), radio: radio) }
        if !isAlone { hear(200, at: at, level: -90, radio: radio) }
      }
    }
  }

  func fires() -> [String] { told().filter { $0.event == "fire" }.map(\.trigger) }
}
