/// Where the receivers of a site stand, and how each of them would hear a phone at many points: at each trigger, and elsewhere.
///
/// The points are chosen, and the losses computed, when a receiver becomes known. A decision only compares them with what was heard.
package struct SitePlan: ~Copyable {
  struct PlacedReceiver: BitwiseCopyable {
    /// -1: one of our own radios.
    var neighbour: Int16
    var radio: Int8
    var point: PlanPoint
    var used: Instant
    var gateway: Name
    /// `receive_offset_db` of one of our own.
    var setting = Decibels(0)
  }

  var receivers = Bounded<8, PlacedReceiver>(
    filledWith: PlacedReceiver(neighbour: -1, radio: 0, point: PlanPoint(x: 0, y: 0), used: .zero, gateway: Name()))
  /// Rises when a receiver's place in the list is given to another one.
  private(set) var edition: UInt8 = 0
  private var exponent = SitePlan.leastExponent
  var learnt = LearntSite()
  var isLearning = false
  /// What is known of receivers that are not in use at the moment.
  var remembered = Bounded<16, ReceiverRecord>(filledWith: ReceiverRecord())
  /// Counts changes, for the file that keeps what was learnt.
  package internal(set) var changes: UInt64 = 0
  /// The receiver that was last found moved, until somebody asks.
  var moved: MovedReceiver?
  /// Points of the whole site and around it, up to eight in each, those at receivers first.
  private(set) var points: Lent<PlanPoints>
  private(set) var count = 0
  /// Where those at receivers end.
  private(set) var rest = 0
  /// For each of these and each trigger: which of the points are elsewhere.
  private(set) var elsewhere: Lent<UInt8>
  /// At each trigger: its centre, and around it.
  private(set) var pointsHere: Lent<PlanPoints>
  var triggers = InlineArray<64, PlanPoint>(repeating: PlanPoint(x: .nan, y: .nan))
  private var radii = InlineArray<64, Float>(repeating: 1.5)

  /// Nearly so many points, of eight in a block; the grid's edges and blocks that are not full take the rest.
  private static let wanted = 192
  private static let mostBlocks = 48
  private static let around = 6
  /// Beyond `fire_m` times this a phone is elsewhere; between the two the pattern says nothing.
  private static let clear: Float = 3.6
  /// Far off, all receivers hear nearly the same of many points, in dB.
  private static let alike: Float = 1
  /// Receivers that stand farther from every trigger of ours are not of our site.
  private static let site: Float = 100
  /// A street is so far from the receivers; more where `fire_m` is large.
  private static let outskirts: Float = 18

  package init(in arena: inout Arena) {
    points = arena.take(Self.mostBlocks, of: PlanPoints.self)
    elsewhere = arena.take(Self.mostBlocks * 64, of: UInt8.self)
    pointsHere = arena.take(64, of: PlanPoints.self)
  }

  package static var bytes: Int {
    Arena.bytes(for: mostBlocks, of: PlanPoints.self) + Arena.bytes(for: mostBlocks * 64, of: UInt8.self)
      + Arena.bytes(for: 64, of: PlanPoints.self)
  }

  /// Two receivers at least: one alone hears no pattern.
  var isDrawn: Bool { receivers.count > 1 }
  func isDrawn(for trigger: Int) -> Bool { isDrawn && isPlaced(trigger) }

  func isPlaced(_ trigger: Int) -> Bool { !triggers[trigger].x.isNaN }

  @_optimize(size)
  package mutating func reload(_ settings: borrowing Settings) {
    rememberAll()
    receivers.removeAll()
    edition &+= 1
    exponent = max(settings.calibration.pathLossExponent, Self.leastExponent)
    isLearning = settings.calibration.learns
    for radio in settings.radios.indices {
      guard let point = settings.radios[radio].point else { continue }
      let own = PlacedReceiver(
        neighbour: -1, radio: Int8(radio), point: point, used: .never, gateway: settings.gateway.name,
        setting: settings.radios[radio].receiveOffset)
      if receivers.append(own) == nil { recall(receivers.count - 1) }
    }
    for index in 0..<64 { triggers[index] = PlanPoint(x: .nan, y: .nan) }
    for index in settings.triggers.indices {
      let trigger = settings.triggers[index]
      let own = Int(trigger.radio ?? 0)
      let radio = own < settings.radios.count ? settings.radios[own].point : nil
      triggers[index] = trigger.point ?? radio ?? PlanPoint(x: .nan, y: .nan)
      radii[index] = trigger.fire.value
    }
    draw()
  }

  private static let leastExponent: Float = 2

  /// The place of one of our radios in every pattern; -1 when it stands nobody knows where.
  func receiver(ofRadio radio: Int) -> Int {
    for index in receivers.indices where receivers[index].neighbour < 0 && Int(receivers[index].radio) == radio { return index }
    return -1
  }

  /// The place of a neighbour's radio, which is added if need be. -1 when eight others are in use that stand nearer to our triggers.
  mutating func receiver(of neighbour: Int, _ gateway: Name, at point: PlanPoint, now: Instant) -> Int {
    for index in receivers.indices
    where Int(receivers[index].neighbour) == neighbour && receivers[index].point == point && receivers[index].gateway == gateway {
      receivers[index].used = now
      return index
    }
    let newcomer = PlacedReceiver(neighbour: Int16(neighbour), radio: 0, point: point, used: now, gateway: gateway)
    if receivers.append(newcomer) == nil {
      recall(receivers.count - 1)
      draw()
      return receivers.count - 1
    }
    guard let place = placeToGive(to: point, at: now) else { return -1 }
    remember(place)
    receivers[place] = newcomer
    recall(place)
    edition &+= 1
    draw()
    return place
  }

  /// One that was silent for a minute, or else the farthest, if the newcomer stands nearer.
  private func placeToGive(to point: PlanPoint, at now: Instant) -> Int? {
    var place: Int?
    var farthest = distance(toTriggersFrom: point)
    for index in receivers.indices where receivers[index].neighbour >= 0 {
      if receivers[index].used + .seconds(60) < now { return index }
      let distance = distance(toTriggersFrom: receivers[index].point)
      if distance > farthest { (place, farthest) = (index, distance) }
    }
    return place
  }

  /// Whose receiver it is: a neighbour, or -1 and one of our radios.
  func owner(of receiver: Int) -> (neighbour: Int, radio: Int) { (Int(receivers[receiver].neighbour), Int(receivers[receiver].radio)) }

  /// Whether the pattern does not compare a trigger with a rival's place: nobody knows it, or it is so near that it is not elsewhere. Not
  /// so if the rival stands nearer to the trigger than our own receiver: whoever is served there it hears better.
  func leavesOut(_ rival: Int, at trigger: Int, _ own: Int) -> Bool {
    guard rival >= 0 else { return true }
    let distance = receivers[rival].point.distance(to: triggers[trigger])
    return distance < radii[trigger] * Self.clear && (own < 0 || distance >= receivers[own].point.distance(to: triggers[trigger]))
  }

  func areApart(_ a: Int, _ b: Int) -> Bool { receivers[a].point.distance(to: receivers[b].point) >= PlanFault.onePlace }

  private func distance(toTriggersFrom point: PlanPoint) -> Float {
    var nearest = Float.infinity
    for index in 0..<64 where isPlaced(index) { nearest = min(nearest, point.distance(to: triggers[index])) }
    return nearest
  }

  // MARK: Drawing

  @_optimize(size)
  private mutating func draw() {
    (count, rest) = (0, 0)
    guard receivers.count > 1 else { return }
    for index in 0..<64 where !triggers[index].x.isNaN {
      var here = PlanPoints(of: -1)
      here.append(losses(at: triggers[index]))
      for step in 0..<Self.around { here.append(losses(at: corner(step, of: triggers[index], radii[index] * 0.8))) }
      pointsHere[index] = here
    }
    for index in receivers.indices {
      for step in Self.beside.indices {
        add(PlanPoint(x: receivers[index].point.x + Self.beside[step].x, y: receivers[index].point.y + Self.beside[step].y), of: index)
      }
    }
    rest = count
    addGrid()
  }

  private mutating func addGrid() {
    var (low, high) = (PlanPoint(x: .infinity, y: .infinity), PlanPoint(x: -.infinity, y: -.infinity))
    // A receiver that stands far off, by mistake or in malice, must not thin the points around us.
    for index in receivers.indices where distance(toTriggersFrom: receivers[index].point) < Self.site {
      let point = receivers[index].point
      low = PlanPoint(x: min(low.x, point.x), y: min(low.y, point.y))
      high = PlanPoint(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    guard low.x <= high.x else { return }
    var outskirts = Self.outskirts
    for index in 0..<64 where isPlaced(index) { outskirts = max(outskirts, radii[index] * Self.clear + 4) }
    let (width, depth) = (high.x - low.x + 2 * outskirts, high.y - low.y + 2 * outskirts)
    let step = max((width * depth / Float(Self.wanted - 13 * (receivers.count - 1))).squareRoot() * 1.05, 1)
    var y = low.y - outskirts
    while y <= high.y + outskirts {
      var x = low.x - outskirts
      while x <= high.x + outskirts {
        add(PlanPoint(x: x, y: y), of: -1)
        x += step
      }
      y += step
    }
  }

  /// At a receiver and around it: as many points as are compared at once.
  private static let beside: InlineArray<8, PlanPoint> = [
    PlanPoint(x: 0, y: 0), PlanPoint(x: 0, y: 1.2), PlanPoint(x: 1.04, y: -0.6), PlanPoint(x: -1.04, y: -0.6), PlanPoint(x: 3, y: 0),
    PlanPoint(x: 0, y: 3), PlanPoint(x: -3, y: 0), PlanPoint(x: 0, y: -3),
  ]

  /// A regular hexagon.
  private static let corners: InlineArray<6, PlanPoint> = [
    PlanPoint(x: 1, y: 0), PlanPoint(x: 0.5, y: 0.866), PlanPoint(x: -0.5, y: 0.866), PlanPoint(x: -1, y: 0), PlanPoint(x: -0.5, y: -0.866),
    PlanPoint(x: 0.5, y: -0.866),
  ]

  private func corner(_ index: Int, of center: PlanPoint, _ radius: Float) -> PlanPoint {
    PlanPoint(x: center.x + radius * Self.corners[index].x, y: center.y + radius * Self.corners[index].y)
  }

  private mutating func add(_ point: PlanPoint, of receiver: Int) {
    var mask: UInt64 = 0
    for index in 0..<64 where !triggers[index].x.isNaN && point.distance(to: triggers[index]) >= radii[index] * Self.clear {
      mask |= 1 << UInt64(index)
    }
    let losses = losses(at: point)
    guard mask != 0, receiver >= 0 || !isLike(losses, mask) else { return }
    if count == 0 || points[count - 1].isFull || points[count - 1].owner != Int8(receiver) {
      guard count < Self.mostBlocks else { return }
      points[count] = PlanPoints(of: Int8(receiver))
      count += 1
    }
    // The first stands for those that are still to come.
    let bits = points[count - 1].count == 0 ? UInt8.max : 1 << UInt8(points[count - 1].count)
    for index in 0..<64 {
      let place = (count - 1) * 64 + index
      elsewhere[place] = mask & 1 << UInt64(index) != 0 ? elsewhere[place] | bits : elsewhere[place] & ~bits
    }
    points[count - 1].append(losses)
  }

  /// Whether a point is there already from which all receivers hear nearly the same, and which is elsewhere for the same triggers.
  private func isLike(_ losses: PerReceiver, _ mask: UInt64) -> Bool {
    for index in 0..<count where points[index].owner < 0 {
      for point in 0..<points[index].count {
        var unlike = losses - points[index][point]
        unlike.replace(with: -unlike, where: unlike .< 0)
        if unlike.greatest() < Self.alike, isElsewhere(point, of: index, for: mask) { return true }
      }
    }
    return false
  }

  private func isElsewhere(_ point: Int, of index: Int, for mask: UInt64) -> Bool {
    var left = mask
    while left != 0 {
      if elsewhere[index * 64 + left.trailingZeroBitCount] & 1 << UInt8(point) == 0 { return false }
      left &= left - 1
    }
    return true
  }

  /// Beyond that of the first metre. A phone and a receiver are hardly ever at one height.
  func losses(at point: PlanPoint) -> PerReceiver {
    var losses = PerReceiver()
    for index in receivers.indices {
      let flat = point.distance(to: receivers[index].point)
      losses[index] = Float(5 * Double(exponent) * log10(Double(max(flat * flat + 0.6, 0.25))))
    }
    return losses
  }
}
