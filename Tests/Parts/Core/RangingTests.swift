import Testing

@testable import Core

@Suite("When a region is ranged") struct RangingTests {
  private static func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

  private enum Order { case window, stopped, until(Int64) }

  @Test(
    "the last command for a region counts, and a reload carries it along; without one, or when its time is over, the configuration decides",
    arguments: 0..<30 as Range<UInt64>)
  func orders(seed: UInt64) {
    var random = Seeded(seed)
    var settings = Settings()
    settings.ranging.extend = .seconds(seed % 3 == 0 ? 0 : 20)
    for name in ["a", "b", "c"] as [Name] { settings.addRegion(name) }
    var ranging = Ranging()
    var (model, newcomer, now) = ([Order](repeating: .window, count: 3), Order.window, Int64(1_000_000))
    ranging.reset(at: Self.at(now))
    func isRanging(_ region: Int, _ changed: Instant, _ moment: Int64) -> Bool {
      var occupancy = Regions.Occupancy()
      occupancy.changed = changed
      return ranging.isRanging(region, occupancy, settings, at: Self.at(moment))
    }
    for _ in 0..<400 {
      now += .random(in: 0..<4_000_000, using: &random)
      let concerned = [0..<3, 0..<1, 1..<2, 2..<3].randomElement(using: &random)!
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        let span: Int64? = Bool.random(using: &random) ? .random(in: 1..<20_000_000, using: &random) : nil
        ranging.start(concerned, areAll: concerned.count == 3, for: span.map { Interval(microseconds: $0) }, at: Self.at(now))
        for index in concerned { model[index] = .until(span.map { now + $0 } ?? .max) }
        if concerned.count == 3 { newcomer = .window }
      case 2:
        ranging.stop(concerned, areAll: concerned.count == 3)
        for index in concerned { model[index] = .stopped }
        if concerned.count == 3 { newcomer = .stopped }
      case 3:
        // The first goes, the others take each other's places.
        var numbers = Renumbering()
        (numbers[1], numbers[2]) = (2, 1)
        ranging.renumber(numbers, at: Self.at(now))
        model = [newcomer, model[2], model[1]]
      case 4 where Int.random(in: 0..<6, using: &random) == 0:
        ranging.reset(at: Self.at(now))
        (model, newcomer) = ([.window, .window, .window], .window)
      case 5: settings.gateway.authorization = [.always, .whenInUse, .denied].randomElement(using: &random)!
      default: break
      }
      let changed = Int.random(in: 0..<4, using: &random) == 0 ? Instant.never : Self.at(now - .random(in: 0..<25_000_000, using: &random))
      let authorization = settings.gateway.authorization
      func isOpen(_ moment: Int64) -> Bool {
        let isRecent = changed != .never && moment - changed.microseconds < 20_000_000
        return authorization == .always && (settings.ranging.extend == .zero || isRecent)
      }
      var latest: Int64 = 0
      for index in 0..<3 {
        switch model[index] {
        case .stopped: #expect(!isRanging(index, changed, now))
        case .until(let end):
          latest = max(latest, end)
          #expect(isRanging(index, changed, now) == (now < end ? authorization != .denied : isOpen(now)))
          guard end != .max else { continue }
          #expect(isRanging(index, changed, end) == isOpen(end) && isRanging(index, changed, end - 1) == (authorization != .denied))
        case .window: #expect(isRanging(index, changed, now) == isOpen(now))
        }
      }
      let isAsked = ranging.isAsked(at: Self.at(now))
      #expect(isAsked == (now < latest))
    }
  }

  @Test("with an extension of 20 s ranging ends 20 s after the last enter or exit, not a moment later")
  func window() {
    var settings = Settings()
    settings.ranging.extend = .seconds(20)
    settings.addRegion("a")
    var occupancy = Regions.Occupancy()
    occupancy.changed = Self.at(7)
    let ranging = Ranging()
    for (moment, isOpen) in [(7, true), (20_000_006, true), (20_000_007, false)] as [(Int64, Bool)] {
      let found = ranging.isRanging(0, occupancy, settings, at: Self.at(moment))
      #expect(found == isOpen, "\(moment)")
    }
  }

  @Test("the list of an empty region comes as often as any other: the one before may have been lost on its way") func empty() {
    var rig = Rig { $0.addRegion("a") }
    rig.wait(until: 4.5)
    let lists = rig.said().filter { $0.topic == "ranging/a" }
    #expect(lists.count == 5 && lists.allSatisfy { $0.payload.contains(#""devices":[],"count":0"#) }, "\(lists)")
  }

  @Test("with when-in-use the radios listen until each region that was asked for is stopped", arguments: [0, 1, 3])
  func stopped(regions: Int) {
    var rig = Rig { settings in
      for name in ["a", "b", "c"].prefix(regions) as ArraySlice<Name> { settings.addRegion(name) }
      settings.gateway.authorization = .whenInUse
    }
    let now = Instant(microseconds: 1_000_000)
    rig.gateway.startRanging(nil, for: nil, at: now)
    for region in 0..<regions {
      let isListening = rig.gateway.isListening
      #expect(isListening)
      rig.gateway.stopRanging(region, at: now)
    }
    let isAsked = rig.gateway.isListening
    rig.gateway.stopRanging(nil, at: now)
    let isListening = rig.gateway.isListening
    #expect(isAsked == (regions == 0) && !isListening)
  }

  @Test("a region that a reload gives another number is ranged on; where there is none the radios listen on", arguments: [false, true])
  func renumbered(hasRegions: Bool) {
    var rig = Rig { settings in
      if hasRegions { for name in ["a", "b"] as [Name] { settings.addRegion(name) } }
      settings.gateway.authorization = .whenInUse
    }
    rig.gateway.startRanging(hasRegions ? 1 : nil, for: nil, at: .zero + .seconds(1))
    var next = Settings()
    next.gateway = rig.gateway.settings.gateway
    if hasRegions { next.addRegion("b") }
    rig.gateway.reload(next, at: .zero + .seconds(2))
    _ = rig.said()
    rig.wait(until: 5)
    let isListening = rig.gateway.isListening
    #expect(isListening && rig.said().contains { $0.topic == "ranging/b" } == hasRegions)
  }

  /// The lists of regions until then.
  private func ranged(_ rig: inout Rig, until seconds: Double) -> Set<String> {
    _ = rig.said()
    rig.wait(until: seconds)
    return Set(rig.said().map(\.topic).filter { $0.hasPrefix("ranging/") })
  }

  private func reload(_ rig: inout Rig, _ names: [Name], at seconds: Double) {
    var next = Settings()
    next.gateway = rig.gateway.settings.gateway
    for name in names { next.addRegion(name) }
    rig.gateway.reload(next, at: .zero + .seconds(seconds))
  }

  @Test("an authorization lifts what a command ordered, also one that permits what was permitted before; a reload does not") func lifted() {
    var rig = Rig { $0.addRegion("a") }
    rig.gateway.stopRanging(nil, at: .zero + .seconds(1))
    reload(&rig, ["a"], at: 2)
    let stopped = ranged(&rig, until: 4)
    rig.gateway.authorize(.always, at: .zero + .seconds(4))
    let lifted = ranged(&rig, until: 6)
    #expect(stopped == [] && lifted == ["ranging/a"])
  }

  @Test("where all regions were stopped one that a reload adds is, too, until all are started or it is itself") func added() {
    var rig = Rig { $0.addRegion("a") }
    rig.gateway.stopRanging(nil, at: .zero + .seconds(1))
    reload(&rig, ["b", "a"], at: 2)
    let stopped = ranged(&rig, until: 4)
    rig.gateway.startRanging(0, for: nil, at: .zero + .seconds(4))
    let one = ranged(&rig, until: 6)
    rig.gateway.startRanging(nil, for: nil, at: .zero + .seconds(6))
    reload(&rig, ["a", "b", "c"], at: 7)
    let all = ranged(&rig, until: 9)
    #expect(stopped == [] && one == ["ranging/b"] && all == ["ranging/a", "ranging/b", "ranging/c"])
  }
}
