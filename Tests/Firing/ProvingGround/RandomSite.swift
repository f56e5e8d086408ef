import Core
import Simulation

/// A site that nobody has seen: the air, the antennas, the phones and who goes where are drawn anew for each seed, from the ranges here.
struct RandomSite {
  static let exponents = 1.7...2.8
  static let shadows = 2.0...5.0
  /// Antennas, one standard deviation and the most, in dB.
  static let antennas = (deviation: 2.5, most: 3.0)
  /// Phones: the mean level at 1 m, one standard deviation and the ends.
  static let loudness = (mean: -63.0, deviation: 8.0, ends: -90.0...(-40.0))
  private static let intervals = [0.1, 0.15, 0.25, 0.3]
  static let layouts: [Int: [Point]] = [
    2: [Point(0, 0), Point(8, 0)], 3: [Point(0, 0), Point(8, 0), Point(16, 0)],
    4: [Point(0, 0), Point(8, 0), Point(0, 9), Point(8, 9)],
    8: [0.0, 9.0].flatMap { y in [0.0, 8.0, 16.0, 24.0].map { Point($0, y) } },
  ]
  /// How the visitors of a row carry their phones, and everybody else.
  static let carriages: [(name: String, ways: [Carried])] = [
    ("hand", [.inHand]), ("pocket", [.inFrontPocket, .inBackPocket]), ("bag", [.inBag]),
  ]

  /// Whom a traveller stands for, by the first letter of its name.
  enum Role: Character { case visitor = "v", street = "s", shop = "c", through = "t" }

  private(set) var scenario = Scenario()
  private var random: Random
  private let places: [Point]
  private let carried: [Carried]
  private let returns: Bool

  /// `spacing`: the pumps stand in one row, so many metres apart.
  init(receivers: Int, spacing: Double? = nil, carried: [Carried], seed: UInt64, returns: Bool = false) {
    self.returns = returns
    random = Random(seed: seed, 0x5349_5445, receivers)
    places = spacing.map { metres in (0..<receivers).map { Point(Double($0) * metres, 0) } } ?? Self.layouts[receivers]!
    self.carried = carried
    scenario.seconds = 110
    scenario.air.pathLossExponent = random.between(Self.exponents.lowerBound, Self.exponents.upperBound)
    scenario.air.shadowing = random.between(Self.shadows.lowerBound, Self.shadows.upperBound)
    for (index, place) in places.enumerated() { addPump(place, index) }
    for visit in 0..<min(receivers, 4) { addVisitor(visit) }
    for index in 0..<3 { addStreet(index) }
    addShop()
    addThrough()
  }

  static func antenna(_ random: inout Random) -> Double {
    min(max(antennas.deviation * random.normal(), -antennas.most), antennas.most)
  }

  static func power(_ random: inout Random) -> Double {
    min(max(loudness.mean + loudness.deviation * random.normal(), loudness.ends.lowerBound), loudness.ends.upperBound)
  }

  static func stand(at place: Point, _ random: inout Random) -> Point {
    let angle = random.between(0, 6.283)
    let distance = random.between(0.5, 1.4)
    return place + Point(distance * cosine(angle), distance * sine(angle))
  }

  static func role(of phone: Phone) -> Role { Role(rawValue: Character(UnicodeScalar(phone.name[0])))! }

  private var left: Double { places.map(\.x).min()! }
  private var right: Double { places.map(\.x).max()! }
  private var top: Double { places.map(\.y).max()! }

  private mutating func addPump(_ place: Point, _ index: Int) {
    var station = Station()
    station.name = Name("p\(index)")
    station.place = place
    station.gain = Self.antenna(&random)
    scenario.gateways.append(station)
    var pump = Pump()
    (pump.name, pump.place) = (station.name, place)
    scenario.pumps.append(pump)
  }

  private mutating func add(_ role: Role, from start: Point, after delay: Double, _ steps: [JourneyStep], in conveyance: Conveyance = .foot)
  {
    let number = scenario.travellers.count
    var traveller = Traveller()
    traveller.name = Name("\(role.rawValue)\(number)")
    (traveller.start, traveller.delay, traveller.begins, traveller.steps) = (start, delay, conveyance, steps)
    scenario.travellers.append(traveller)
    var phone = Phone()
    (phone.name, phone.bearer) = (traveller.name, number)
    phone.says = .named(traveller.name)
    // A phone that comes again is known by its key: its address is another.
    if returns { phone.address = .resolvable(key: Block(repeating: UInt8(number + 1)), seconds: 900) }
    phone.power = Self.power(&random)
    phone.interval = pick(Self.intervals)
    phone.carried = role == .visitor ? pick(carried) : pick(Self.carriages.flatMap(\.ways))
    scenario.phones.append(phone)
  }

  private mutating func pick<Element>(_ list: [Element]) -> Element { list[Int(random.fraction() * Double(list.count))] }

  /// Each at a pump of its own: by car, two steps on foot, half a minute at the pump.
  private mutating func addVisitor(_ number: Int) {
    let pump = (number * 3 + Int(random.fraction() * 2)) % places.count
    let pumps = scenario.travellers.count == 0 ? pump : (number * max(1, places.count / 4) + pump) % places.count
    let place = places[pumps]
    let stand = Self.stand(at: place, &random)
    let lane = place.y + (random.happens(0.5) ? -3 : 3)
    let door = Point(place.x + random.between(-1.5, 1.5), lane)
    let facing = random.happens(0.5) ? place : nil
    add(
      .visitor, from: Point(left - 25, lane), after: Double(number) * random.between(3, 9),
      [
        .move(to: door, pace: .speed(4), by: .car), .stay(seconds: random.between(2, 8), facing: nil, in: .car),
        .move(to: stand, pace: .speed(1.2), by: .foot), .stay(seconds: 30, facing: facing, in: .foot),
        .move(to: door, pace: .speed(1.2), by: .foot), .stay(seconds: 5, facing: nil, in: .car),
        .move(to: Point(right + 50, lane), pace: .speed(5), by: .car),
      ], in: .car)
  }

  /// 14 to 18 m away: walks, drives, or stands there for a minute.
  private mutating func addStreet(_ number: Int) {
    let lane = random.happens(0.5) ? -14 - random.between(0.5, 4) : top + 14 + random.between(0.5, 4)
    let (start, end) = (Point(left - 40, lane), Point(right + 40, lane))
    switch number {
    case 0: add(.street, from: start, after: random.between(0, 30), [.move(to: end, pace: .speed(1.3), by: .foot)])
    case 1: add(.street, from: start, after: random.between(0, 60), [.move(to: end, pace: .speed(10), by: .car)], in: .car)
    default:
      let place = Point(random.between(left, right), lane)
      add(
        .street, from: Point(place.x - 25, lane), after: random.between(0, 20),
        [
          .move(to: place, pace: .speed(1.3), by: .foot), .stay(seconds: 60, facing: nil, in: .foot),
          .move(to: end, pace: .speed(1.3), by: .foot),
        ])
    }
  }

  /// Behind the last pump, 9 to 13 m away: somebody walks to the till and stands in the queue.
  private mutating func addShop() {
    let till = Point(right + random.between(9, 13), random.between(0, top))
    add(
      .shop, from: Point(right + 40, till.y + 10), after: random.between(0, 20),
      [
        .move(to: till, pace: .speed(1.2), by: .foot), .stay(seconds: 50, facing: nil, in: .foot),
        .move(to: Point(right + 40, till.y + 10), pace: .speed(1.2), by: .foot),
      ])
  }

  /// Across the site without a stop, 1.6 to 4 m from the pumps of one row.
  private mutating func addThrough() {
    let lane = random.between(1.6, 4) * (random.happens(0.5) ? 1 : -1)
    add(
      .through, from: Point(left - 25, lane), after: random.between(0, 40),
      [.move(to: Point(right + 30, lane), pace: .speed(1.3), by: .foot)])
  }
}

private func cosine(_ angle: Double) -> Double { sine(angle + 1.5707963) }
private func sine(_ angle: Double) -> Double {
  // A Taylor series is the same on every machine.
  var x = angle
  while x > 3.14159265 { x -= 6.2831853 }
  let square = x * x
  return x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
}
