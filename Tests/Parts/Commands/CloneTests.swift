import Foundation
import Testing

@Suite("A copy of a beacon") struct CloneTests {
  private static let beacon = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"

  private static let config = """
    gateway.purpose = "Tests."
    [[trigger]]
    name = "pump-1"
    match = "ibeacon:*"
    """

  /// A device at the pump, and one that waits a dozen metres away.
  private static func scenario(other: String) -> String {
    """
    duration_s = 60
    gateway = [{ name = "pump-1", at_m = [0, 0] }]
    traveller = [
      { name = "driver", from_m = [0, 30], steps = [{ walk_m = [0, 1], speed_mps = 1.5 }, { stand_s = 30 }] },
      { name = "other", from_m = [12, 2], steps = [{ stand_s = 60 }] },
    ]
    phone = [
      { name = "driver", on = "driver", identity = "\(beacon)" },
      { name = "other", on = "other", identity = "\(other)" },
    ]
    """
  }

  private func anomalies(_ scenario: String, seed: Int) throws -> Int {
    let program = try Program()
    defer { program.remove() }
    try program.write("config.toml", Self.config)
    try program.write("site.toml", scenario)
    let said = try program("simulate", "site.toml", "--seed", "\(seed)")
    #expect(said.exit == 0, "\(said.error)")
    #expect(said.out.contains(#""event":"arm""#))
    return said.out.split(separator: "\n").count { $0.contains(#""event":"anomaly""#) && $0.contains(#""reason":"two places at once""#) }
  }

  @Test("a copy of a beacon at the pump is one anomaly; two customers are none", arguments: [1, 2, 3])
  func copied(seed: Int) throws {
    #expect(try anomalies(Self.scenario(other: Self.beacon), seed: seed) == 1)
    #expect(try anomalies(Self.scenario(other: Self.beacon + "1"), seed: seed) == 0)
  }

  @Test("explain counts what a copy sent, which decides nothing") func explained() throws {
    let program = try Program()
    defer { program.remove() }
    try program.write("config.toml", Self.config)
    try program.write("site.toml", Self.scenario(other: Self.beacon))
    #expect(try program("simulate", "site.toml", "--seed", "1", "--out", "visit.btsnoop").exit == 0)
    let said = try program("explain", Self.beacon, "--capture", "visit.btsnoop").out
    let left = try #require(said.firstMatch(of: /(\d+) samples: left out: another transmitter sends the same identity from further off/))
    let all = said.split(separator: "\n").count { $0.contains("a transmitter further off sends it, too: left out") }
    #expect(try #require(Int(left.1)) > 100 && all == Int(left.1))
    #expect(!said.contains("another radio listens") && !said.contains("heard by a radio that does not listen"))
  }
}
