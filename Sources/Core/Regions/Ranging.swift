/// Which regions are being ranged, and when the next round is due.
///
/// With `extend_s`, ranging ends that long after the last enter or exit. A command overrides this until the next command, or until its
/// `{"seconds":n}` are over.
package struct Ranging: ~Copyable {
  private enum Order: BitwiseCopyable {
    /// As the configuration says.
    case window
    case started(until: Instant)
    case stopped
  }

  private let pin = Pin()
  private var orders = InlineArray<64, Order>(repeating: .window)
  /// That of a region which a reload adds: where all were stopped it is, too.
  private var newcomers = Order.window
  private var round = Instant.never
  /// Until when a command asks for ranging. Every packet needs it.
  private var asked = Instant.zero

  package init() {}

  // MARK: Commands

  package mutating func start(_ regions: Range<Int>, areAll: Bool, for span: Interval?, at now: Instant) {
    if areAll { newcomers = .window }
    set(.started(until: span.map { now + $0 } ?? .never), regions)
    wake(at: now)
  }

  package mutating func stop(_ regions: Range<Int>, areAll: Bool) {
    if areAll { newcomers = .stopped }
    set(.stopped, regions)
  }

  /// Forgets all commands.
  package mutating func reset(at now: Instant) {
    orders = InlineArray(repeating: .window)
    newcomers = .window
    asked = .zero
    round = now
  }

  package mutating func renumber(_ numbers: Renumbering, at now: Instant) {
    orders = numbers.moved(orders, fresh: newcomers)
    updateAsked()
    wake(at: now)
  }

  /// Not of regions that do not exist: nobody could stop them.
  private mutating func set(_ order: Order, _ regions: Range<Int>) {
    for region in regions { orders[region] = order }
    updateAsked()
  }

  private mutating func updateAsked() {
    asked = .zero
    for region in 0..<orders.count {
      let order = orders[region]
      if case .started(let until) = order { asked = max(asked, until) }
    }
  }

  // MARK: Time

  /// When the next round is due; never while no region is ranged and time alone cannot change that.
  package var next: Instant { round }

  /// An enter or exit may start ranging; a running rhythm stays.
  package mutating func wake(at now: Instant) {
    if round == .never { round = now }
  }

  /// One round: a message for each ranged region.
  @_optimize(size)
  package mutating func range(
    _ regions: borrowing Regions, _ devices: borrowing Devices, at now: Instant, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    var anybody = false
    for region in settings.regions.indices where isRanging(region, regions[region], settings, at: now) {
      anybody = true
      var list = RangingList()
      var place = regions.visits.first(in: region)
      while place >= 0 {
        let slot = Int(regions.visits[place].device)
        list.insert(slot, devices.estimate(of: slot, at: now, settings))
        place = regions.visits.nextInRegion(after: place)
      }
      publisher.compose(.fleeting, publisher.topics.ranging(settings.regions[region].name), at: now)
      list.write(to: &publisher, of: devices, settings, at: now)
      publisher.publish()
    }
    round = anybody ? now + settings.ranging.interval : .never
  }

  /// Whether a command asks for ranging now.
  package func isAsked(at now: Instant) -> Bool { now < asked }

  package func isRanging(_ region: Int, _ occupancy: Regions.Occupancy, _ settings: borrowing Settings, at now: Instant) -> Bool {
    switch orders[region] {
    case .started(let until) where now < until: return settings.gateway.authorization != .denied
    case .stopped: return false
    case .started, .window:
      guard settings.gateway.authorization == .always else { return false }
      guard settings.ranging.extend > .zero else { return true }
      return occupancy.changed != .never && now < occupancy.changed + settings.ranging.extend
    }
  }
}
