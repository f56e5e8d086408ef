import Foundation
import Testing

@testable import Core

@Suite("Triggers, whatever comes") struct TriggerProperties {
  /// A level that walks, jumps, falls silent and comes back.
  private func wander(_ seed: UInt64, noise: Double, _ rig: inout Rig, _ observe: (Double, Double) -> Void = { _, _ in }) {
    var chance = Seeded(seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    var time = 10.0
    var level = -90.0
    var target = -60.0
    for step in 0..<700 {
      if below(60) == 0 { target = -100 + Double(below(50)) }
      if below(400) == 0 { time += Double(below(20)) }
      if below(300) == 0 { level = target }
      level += (target - level) * 0.05
      time += 0.02 + Double(below(20)) * 0.01
      let heard = level + noise * (Double(below(2_000)) / 1_000 - 1)
      observe(time, level)
      rig.hear(1, at: time, level: Int8(max(min(heard, -20), -110).rounded()))
      if step % 20 == 0 { #expect(rig.gateway.tableFaults == [], "seed \(seed)") }
    }
    rig.wait(until: time + 300)
    #expect(rig.gateway.tableFaults == [] && rig.gateway.rowsInUse == 0, "seed \(seed)")
  }

  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { $0.refractory = .seconds(5) }
    }
  }

  @Test("fires and leaves alternate, a fire comes first, and in the end every device has left", arguments: 0..<300 as Range<UInt64>)
  func alternate(seed: UInt64) {
    var rig = rig()
    wander(seed, noise: 12, &rig)
    var isInside = false
    for told in rig.told() {
      switch told.event {
      case "fire":
        #expect(!isInside, "seed \(seed)")
        isInside = true
      case "leave":
        #expect(isInside, "seed \(seed)")
        isInside = false
      default: #expect(!isInside, "seed \(seed): \(told.event) in a visit")
      }
    }
    #expect(!isInside, "seed \(seed)")
  }

  @Test(
    "without noise a fire needs a dwell within fire_m and the doubt, in the five seconds before",
    arguments: 0..<200 as Range<UInt64>)
  func noiseless(seed: UInt64) {
    var rig = rig()
    var levels: [(time: Double, level: Double)] = []
    wander(seed, noise: 0, &rig) { levels.append(($0, $1)) }
    // 1.5 m is 3.2 dB below the level at 1 m, alone 3 dB are allowed, and the air tells whole dB.
    let edge = -59 - 3.2 - 3 - 1.0
    for line in rig.said() where line.payload.contains(#""event":"fire""#) {
      let json = try! JSONSerialization.jsonObject(with: Data(line.payload.utf8)) as! [String: Any]
      let time = json["uptime_s"] as! Double
      let lately = levels.filter { $0.time > time - 5 && $0.time <= time + 0.001 }
      let inside = zip(lately, lately.dropFirst()).filter { $0.0.level >= edge }.reduce(0) { $0 + $1.1.time - $1.0.time }
      #expect(inside >= 0.4, "seed \(seed): \(inside) s within the edge before \(time)")
    }
  }
}
