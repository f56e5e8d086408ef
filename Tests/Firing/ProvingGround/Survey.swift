import Simulation

/// Where a receiver stands, from where the transmitter was and how far off: what an installer would have measured.
///
/// x² + y² − h² = 2ax + 2by − (a² + b²) is linear in a, b and the sum of their squares: least squares over all packets.
struct Survey {
  private var sums = Array(repeating: Array(repeating: 0.0, count: 4), count: 3)

  /// `distance` without the height.
  mutating func add(transmitter: Point, distance: Double) {
    let (x, y) = (transmitter.x, transmitter.y)
    let row = [2 * x, 2 * y, -1, x * x + y * y - distance * distance]
    for i in 0..<3 { for j in 0..<4 { sums[i][j] += row[i] * row[j] } }
  }

  /// To half a metre, as config.toml asks for. Gaussian elimination.
  var place: Point {
    var rows = sums
    for pivot in 0..<3 {
      let best = (pivot..<3).max { rows[$0][pivot].magnitude < rows[$1][pivot].magnitude }!
      rows.swapAt(pivot, best)
      for other in 0..<3 where other != pivot {
        let share = rows[other][pivot] / rows[pivot][pivot]
        for column in 0..<4 { rows[other][column] -= share * rows[pivot][column] }
      }
    }
    func solved(_ row: Int) -> Double { (rows[row][3] / rows[row][row] * 2).rounded() / 2 }
    return Point(solved(0), solved(1))
  }
}
