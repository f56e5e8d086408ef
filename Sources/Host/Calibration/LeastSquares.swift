/// A line, or a plane, through weighted points: a handful of unknowns, solved by elimination.
struct LeastSquares {
  let unknowns: Int
  /// Rows of the symmetric matrix, and the right side.
  private var matrix: [[Double]]
  private var side: [Double]

  init(unknowns: Int) {
    self.unknowns = unknowns
    matrix = [[Double]](repeating: [Double](repeating: 0, count: unknowns), count: unknowns)
    side = [Double](repeating: 0, count: unknowns)
  }

  mutating func add(_ row: [Double], _ value: Double, weight: Double) {
    for i in 0..<unknowns {
      for j in 0..<unknowns { matrix[i][j] += weight * row[i] * row[j] }
      side[i] += weight * row[i] * value
    }
  }

  /// The solution and its covariance; nil when the points do not determine it.
  func solved() -> (values: [Double], covariance: [[Double]])? {
    var left = matrix
    var inverse = (0..<unknowns).map { row in (0..<unknowns).map { $0 == row ? 1.0 : 0.0 } }
    for column in 0..<unknowns {
      // No rows change places: sums of squares stand on the diagonal, and that keeps the errors small.
      let scale = left[column][column]
      guard scale > 1e-9 else { return nil }
      for j in 0..<unknowns {
        left[column][j] /= scale
        inverse[column][j] /= scale
      }
      for row in 0..<unknowns where row != column {
        let factor = left[row][column]
        for j in 0..<unknowns {
          left[row][j] -= factor * left[column][j]
          inverse[row][j] -= factor * inverse[column][j]
        }
      }
    }
    let values = (0..<unknowns).map { row in (0..<unknowns).reduce(0.0) { $0 + inverse[row][$1] * side[$1] } }
    return (values, inverse)
  }
}
