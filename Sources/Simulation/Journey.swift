/// One traveller's way in one run: the scenario's steps with that run's random numbers, cut into straight pieces.
struct Journey: Sendable {
  struct Piece: BitwiseCopyable, Sendable {
    var from: Double
    var to: Double
    var posture: Whereabouts
    var velocity = Point.zero
  }

  private(set) var pieces: [Piece] = []
  private var current = 0

  /// How often a person who looks at nothing in particular turns, on average.
  private static let turnSeconds = 6.0

  init(_ traveller: Traveller, until end: Double, random: inout Random) {
    var posture = Whereabouts(place: traveller.start, conveyance: traveller.begins)
    var time = 0.0
    let delay = max(0, traveller.delay + traveller.delaySpread * random.between(-1, 1))
    stay(&posture, from: &time, seconds: delay, facing: traveller.firstPlace, &random)
    for step in traveller.steps {
      switch step {
      case .move(let target, let pace, let conveyance):
        let place = target + Point(traveller.stray * random.normal(), traveller.stray * random.normal())
        var speed = pace.speed(over: posture.place.distance(to: place))
        if case .speed = pace { speed *= 1 + traveller.haste * random.between(-1, 1) }
        posture.change(to: conveyance)
        move(&posture, from: &time, to: place, speed: speed)
      case .stay(let seconds, let facing, let conveyance):
        posture.change(to: conveyance)
        stay(&posture, from: &time, seconds: seconds, facing: facing, &random)
      }
    }
    stay(&posture, from: &time, seconds: end - time, facing: nil, &random)
    pieces.append(Piece(from: time, to: .infinity, posture: posture))
  }

  mutating func posture(at time: Double) -> Whereabouts {
    if time < pieces[current].from { current = 0 }
    while current + 1 < pieces.count, time >= pieces[current].to { current += 1 }
    return pieces[current].posture(at: time)
  }

  private mutating func move(_ posture: inout Whereabouts, from time: inout Double, to place: Point, speed: Double) {
    let distance = posture.place.distance(to: place)
    guard distance > 0, speed > 0 else { return }
    posture.heading = (place - posture.place).direction
    posture.isMoving = true
    let arrival = time + distance / speed
    pieces.append(Piece(from: time, to: arrival, posture: posture, velocity: posture.heading * speed))
    posture.place = place
    posture.way += distance
    posture.isMoving = false
    time = arrival
  }

  private mutating func stay(_ posture: inout Whereabouts, from time: inout Double, seconds: Double, facing: Point?, _ random: inout Random)
  {
    let end = time + seconds
    while time < end {
      var until = end
      if let facing {
        posture.heading = (facing - posture.place).direction
      } else if posture.conveyance == .foot {
        posture.heading = Point(random.normal(), random.normal()).direction
        until = min(end, time - Self.turnSeconds * Arithmetic.ln(1 - random.fraction()) + 0.5)
      }
      pieces.append(Piece(from: time, to: until, posture: posture))
      time = until
    }
  }
}

extension Journey.Piece {
  func posture(at time: Double) -> Whereabouts {
    var now = posture
    guard posture.isMoving else { return now }
    let seconds = min(max(time, from), to) - from
    now.place = posture.place + velocity * seconds
    now.way = posture.way + velocity.length * seconds
    return now
  }
}

extension Whereabouts {
  /// A person who leaves a car leaves it there; a person who drives takes it along.
  fileprivate mutating func change(to next: Conveyance) {
    if conveyance == .car, next != .car { car = place }
    if next == .car { car = nil }
    conveyance = next
  }
}

extension JourneyPace {
  fileprivate func speed(over distance: Double) -> Double {
    switch self {
    case .speed(let speed): speed
    case .within(let seconds): distance / max(seconds, 0.1)
    }
  }
}

extension Traveller {
  fileprivate var firstPlace: Point? {
    for step in steps { if case .move(let target, _, _) = step { return target } }
    return nil
  }
}
