/// A place on the ground, in metres. `x` runs along the street, `y` away from it.
package struct Point: BitwiseCopyable, Sendable, Equatable {
  package var x: Double
  package var y: Double

  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  package static let zero = Point(0, 0)

  package static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y) }
  package static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y) }
  package static func * (a: Self, scale: Double) -> Self { Self(a.x * scale, a.y * scale) }

  package func distance(to other: Point) -> Double { (self - other).length }

  var length: Double { dot(self).squareRoot() }

  func dot(_ other: Point) -> Double { x * other.x + y * other.y }

  /// The same direction with length one; a zero vector gives x.
  var direction: Point { length > 0 ? self * (1 / length) : Point(1, 0) }

  /// The distance from the straight line between `start` and `end`.
  func distance(toLineFrom start: Point, to end: Point) -> Double {
    let line = end - start
    let squared = line.dot(line)
    guard squared > 0 else { return distance(to: start) }
    let along = min(max((self - start).dot(line) / squared, 0), 1)
    return distance(to: start + line * along)
  }
}
