import Core

extension Scenario {
  /// The bystanders become travellers and phones like any other, behind those that have names.
  func withBystanders(seed: UInt64) -> Scenario {
    var populated = self
    for index in 0..<bystanders.count {
      var chance = Random(seed: seed, 0x4352_4F57, index)
      var phone = Phone()
      phone.bearer = populated.travellers.count
      phone.address = .rotating(seconds: 900)
      phone.power = bystanders.power
      phone.powerSpread = bystanders.powerSpread
      phone.interval = chance.between(bystanders.shortestInterval, bystanders.longestInterval)
      phone.carried = .inFrontPocket
      populated.travellers.append(bystanders.walker(for: seconds, &chance))
      populated.phones.append(phone)
    }
    return populated
  }
}

extension Bystanders {
  fileprivate func walker(for seconds: Double, _ chance: inout Random) -> Traveller {
    var walker = Traveller()
    walker.start = place(&chance)
    guard !chance.happens(standing) else { return walker }
    var place = walker.start
    var time = 0.0
    while time < seconds {
      let next = self.place(&chance)
      let speed = chance.between(0.3, fastest)
      walker.steps.append(.move(to: next, pace: .speed(speed), by: .foot))
      time += place.distance(to: next) / speed
      place = next
    }
    return walker
  }

  private func place(_ chance: inout Random) -> Point {
    Point(chance.between(corner.x, opposite.x), chance.between(corner.y, opposite.y))
  }
}
