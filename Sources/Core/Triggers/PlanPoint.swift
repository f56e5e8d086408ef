/// A point on the plan of the site, in metres.
package struct PlanPoint: BitwiseCopyable, Sendable, Equatable {
  package var x: Float
  package var y: Float

  package init(x: Float, y: Float) { (self.x, self.y) = (x, y) }

  package func distance(to other: PlanPoint) -> Float { ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot() }
}

/// One number for each receiver of the site.
package typealias PerReceiver = SIMD8<Float>
/// One number for each of eight points.
typealias PerPoint = SIMD8<Float>

/// What a phone at up to eight points of the plan loses on the way to each receiver. Eight at once: no sum goes across a vector. Where there are
/// fewer, the first stands in all other places.
struct PlanPoints: BitwiseCopyable {
  private(set) var losses = InlineArray<8, PerPoint>(repeating: PerPoint())
  private(set) var count = 0
  /// At which receiver the points are; -1: at none.
  let owner: Int8
  /// The least of what a phone at these points loses to the first receiver, and of how much more than to the second; and of both negated.
  private(set) var extent = SIMD4<Float>(repeating: .infinity)

  init(of owner: Int8) { self.owner = owner }

  var isFull: Bool { count == PerPoint.scalarCount }

  mutating func append(_ point: PerReceiver) {
    for receiver in 0..<8 {
      if count == 0 { losses[receiver] = PerPoint(repeating: point[receiver]) }
      losses[receiver][count] = point[receiver]
    }
    count += 1
    let losses = SIMD4(point[0], point[0] - point[1], -point[0], point[1] - point[0])
    extent.replace(with: losses, where: losses .< extent)
  }

  subscript(point: Int) -> PerReceiver {
    var all = PerReceiver()
    for receiver in 0..<8 { all[receiver] = losses[receiver][point] }
    return all
  }
}
