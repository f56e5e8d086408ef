import Seeds
import Testing

@testable import Core

@Suite("The filter behind what visits teach") struct LearntFilterTests {
  private struct Visit {
    var levels = PerReceiver()
    var losses = PerReceiver()
    var isHeard = SIMDMask<SIMD8<Int32>>(repeating: false)
  }

  private static let prior = LevelPattern.Loudness(mean: -6, deviation: 9)

  /// The same all at once: receivers' offsets, the exponent's share and each visit's loudness by least squares, weighed by what was supposed of
  /// each. Returns means and variances.
  private func solved(_ visits: [Visit]) -> (means: [Double], variances: [Double]) {
    let count = 9 + visits.count
    var rows = (0..<count).map { row in (0..<2 * count + 1).map { $0 == row + count ? 1.0 : 0 } }
    for receiver in 0..<8 { rows[receiver][receiver] = 1 / (2.5 * 2.5) }
    rows[8][8] = 1 / (0.15 * 0.15)
    for (number, visit) in visits.enumerated() {
      rows[9 + number][9 + number] = 1 / 81
      rows[9 + number][2 * count] = -6.0 / 81
      for receiver in 0..<8 where visit.isHeard[receiver] {
        let loss = Double(visit.losses[receiver])
        let parts = [(receiver, 1.0), (8, -loss), (9 + number, 1.0)]
        for (row, weight) in parts {
          for (column, other) in parts { rows[row][column] += weight * other / (4.3 * 4.3) }
          rows[row][2 * count] += weight * (Double(visit.levels[receiver]) + loss) / (4.3 * 4.3)
        }
      }
    }
    for pivot in 0..<count {
      let scale = rows[pivot][pivot]
      rows[pivot] = rows[pivot].map { $0 / scale }
      for row in 0..<count where row != pivot {
        let factor = rows[row][pivot]
        rows[row] = zip(rows[row], rows[pivot]).map { $0 - factor * $1 }
      }
    }
    return (rows.map { $0[2 * count] }, (0..<count).map { rows[$0][count + $0] })
  }

  @Test(
    "it finds what least squares find: each receiver's offset and its doubt, and the loudness of the last visitor",
    arguments: 0..<30 as Range<UInt64>)
  func squares(seed: UInt64) {
    var chance = Seeded(seed)
    func number(_ low: Float, _ high: Float) -> Float { low + (high - low) * Float(chance.next() % 10_001) / 10_000 }
    let offsets = (0..<8).map { _ in number(-4, 4) }
    var site = LearntSite()
    var visits: [Visit] = []
    for _ in 0..<3 {
      var visit = Visit()
      let loudness = number(-12, 0)
      for receiver in 0..<8 {
        visit.losses[receiver] = number(7, 30)
        visit.levels[receiver] = loudness - visit.losses[receiver] * 1.05 + offsets[receiver] + number(-1, 1)
        visit.isHeard[receiver] = chance.next() % 4 > 0
      }
      visits.append(visit)
      let found = site.learn(levels: visit.levels, losses: visit.losses, heardBy: visit.isHeard, Self.prior)
      let (means, variances) = solved(visits)
      // Antennas age a little between two visits.
      #expect(abs(Double(found) - means[8 + visits.count]) < 0.1, "\(found), \(means)")
      for receiver in 0..<8 {
        let known = site.known(of: receiver)
        #expect(abs(Double(known.offset.value) - means[receiver]) < 0.1, "\(receiver): \(known.offset.value), \(means[receiver])")
        #expect(abs(Double(known.doubt.value) - variances[receiver].squareRoot()) < 0.05)
        #expect(Int(known.visits) == visits.count { $0.isHeard[receiver] })
      }
    }
  }
}
