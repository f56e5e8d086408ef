import Core

/// A crowd without a part: phones that walk about in a rectangle.
package struct Bystanders: BitwiseCopyable, Sendable {
  package var count = 0
  package var corner = Point(-30, -30)
  package var opposite = Point(30, 30)
  package var fastest = 1.5
  /// The share that stands still.
  package var standing = 0.5
  package var shortestInterval = 0.15
  package var longestInterval = 1.0
  package var power = -62.0
  package var powerSpread = 6.0

  package init() {}
}

extension Scenario {
  /// Bystanders become ordinary travellers and phones, behind those that have names.
  func withBystanders(seed: UInt64) -> Scenario {
    var populated = self
    for index in 0..<bystanders.count {
      var random = Random(seed: seed, 0x4352_4F57, index)
      var phone = Phone()
      phone.bearer = populated.travellers.count
      phone.address = .rotating(seconds: 900)
      phone.power = bystanders.power
      phone.powerSpread = bystanders.powerSpread
      phone.interval = random.between(bystanders.shortestInterval, bystanders.longestInterval)
      phone.carried = .inFrontPocket
      populated.travellers.append(bystanders.walker(for: seconds, &random))
      populated.phones.append(phone)
    }
    return populated
  }
}

extension Bystanders {
  fileprivate func walker(for seconds: Double, _ random: inout Random) -> Traveller {
    var walker = Traveller()
    walker.start = place(&random)
    guard !random.happens(standing) else { return walker }
    var place = walker.start
    var time = 0.0
    while time < seconds {
      let next = self.place(&random)
      let speed = random.between(0.3, fastest)
      walker.steps.append(.move(to: next, pace: .speed(speed), by: .foot))
      // Where there is nowhere to go, time must pass all the same.
      time += next == place ? 1 : place.distance(to: next) / speed
      place = next
    }
    return walker
  }

  private func place(_ random: inout Random) -> Point {
    Point(random.between(corner.x, opposite.x), random.between(corner.y, opposite.y))
  }
}
