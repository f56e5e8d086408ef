import Testing

@testable import Core

/// Which points of a plan are compared, and how few of them a repeated comparison asks.
@Suite("The points of a plan") struct PlanPointsTests {
  private static let receivers = [0, 1, 2, 3].map { PlanPoint(x: Float($0 % 2) * 8, y: Float($0 / 2) * 9) }

  private func site() -> Rig {
    Rig {
      $0.calibration.pathLossExponent = 2
      $0.addRadios(4)
      for radio in 0..<4 {
        $0.radios[radio].point = Self.receivers[radio]
        $0.addTrigger(["a", "b", "c", "d"][radio], group: "pumps", radio: Int8(radio))
      }
    }
  }

  private func losses(at place: PlanPoint) -> [Float] {
    Self.receivers.map {
      let flat = place.distance(to: $0)
      return Float(10 * Core.log10(Double(max(flat * flat + 0.6, 0.25))))
    }
  }

  private func pattern(at place: PlanPoint) -> LevelPattern {
    var pattern = LevelPattern()
    for (receiver, loss) in losses(at: place).enumerated() { pattern.hear(receiver, -loss) }
    pattern.close(.known, floor: -60)
    return pattern
  }

  @Test("no two points away from the receivers sound alike at every receiver, and wherever somebody stands a point is not far off")
  func alike() {
    let rig = site()
    var rest: [PerReceiver] = []
    for index in 0..<rig.gateway.triggers.plan.count where rig.gateway.triggers.plan.points[index].owner < 0 {
      for point in 0..<rig.gateway.triggers.plan.points[index].count { rest.append(rig.gateway.triggers.plan.points[index][point]) }
    }
    func differ(_ a: PerReceiver, _ b: PerReceiver) -> Float { (0..<4).map { (a[$0] - b[$0]).magnitude }.max()! }
    for (index, one) in rest.enumerated() { for other in rest[..<index] { #expect(differ(one, other) >= 1) } }
    #expect((30...140).contains(rest.count), "\(rest.count)")
    for x in stride(from: -18, through: 26, by: 4) as StrideThrough<Float> {
      for y in [-18, -12, 20, 27] as [Float] {
        let heard = losses(at: PlanPoint(x: x, y: y))
        let nearest = rest.map { differ($0, PerReceiver(heard[0], heard[1], heard[2], heard[3], $0[4], $0[5], $0[6], $0[7])) }.min()!
        #expect(nearest < 4, "at \(x), \(y)")
      }
    }
  }

  @Test(
    "in front of a row of receivers is as likely as behind it, also where both are elsewhere for another trigger", arguments: [-7.2, 7.2])
  func mirrored(side: Double) {
    // With this width the rows of points lie alike on both sides.
    let places = (0..<4).map { PlanPoint(x: Float($0) * 4.65, y: 0) }
    let rig = Rig {
      $0.calibration.pathLossExponent = 2
      $0.addRadios(4)
      for radio in 0..<4 { $0.radios[radio].point = places[radio] }
      // Both images are elsewhere for this one.
      $0.addTrigger("till", group: "shop", radio: 0)
      $0.addTrigger("door", group: "shop", radio: 1)
      $0.triggers[1].point = PlanPoint(x: 7, y: Float(side))
    }
    let image = rig.gateway.triggers.plan.losses(at: PlanPoint(x: 7, y: -Float(side)))
    var pattern = LevelPattern()
    for receiver in 0..<4 { pattern.hear(receiver, -image[receiver]) }
    pattern.close(.known, floor: -60)
    #expect(rig.gateway.triggers.plan.compare(pattern, at: 1).lead < 0.1)
  }

  @Test("where on earth the origin is changes no point", arguments: [(60, 3), (-40, 90), (0, -120)] as [(Float, Float)])
  func moved(east: Float, north: Float) {
    func site(_ east: Float, _ north: Float) -> Rig {
      Rig {
        $0.addRadios(3)
        for radio in 0..<3 {
          $0.radios[radio].point = PlanPoint(x: east + Float(radio) * 12, y: north + Float(radio % 2) * 4)
          $0.addTrigger(["a", "b", "c"][radio], group: "pumps", radio: Int8(radio))
        }
      }
    }
    let here = site(0, 0)
    let there = site(east, north)
    #expect(here.gateway.triggers.plan.count == there.gateway.triggers.plan.count)
    for index in 0..<min(here.gateway.triggers.plan.count, there.gateway.triggers.plan.count) {
      for point in 0..<here.gateway.triggers.plan.points[index].count {
        for receiver in 0..<3 {
          let difference =
            here.gateway.triggers.plan.points[index][point][receiver] - there.gateway.triggers.plan.points[index][point][receiver]
          #expect(difference.magnitude < 0.01, "\(index), \(point)")
        }
      }
    }
  }

  @Test("a trigger that new settings lack leaves no trace in the plan") func removed() {
    func site(_ count: Int) -> Settings {
      var settings = Settings()
      settings.gateway.devices = 64
      settings.addRadios(4)
      for radio in 0..<4 {
        settings.radios[radio].point = Self.receivers[radio]
        if radio < count {
          settings.addTrigger(["a", "b", "c", "d"][radio], group: "pumps", radio: Int8(radio)) { $0.fire = Meters(Float(radio * 3 + 1)) }
        }
      }
      return settings
    }
    func points(_ rig: borrowing Rig) -> [String] {
      (0..<rig.gateway.triggers.plan.count).flatMap { index in
        (0..<rig.gateway.triggers.plan.points[index].count).map { "\(index) \(rig.gateway.triggers.plan.points[index][$0])" }
      }
    }
    let fresh = Rig { $0 = site(2) }
    var rig = Rig { $0 = site(4) }
    #expect(points(rig) != points(fresh))
    rig.gateway.reload(site(2), at: Instant(microseconds: 1_000_000))
    #expect(points(rig) == points(fresh))
    let isPlaced = rig.gateway.triggers.plan.isPlaced(3)
    #expect(!isPlaced)
  }

  @Test("each receiver's own points are one comparison of eight: where it is, and up to three metres around it")
  func beside() {
    let rig = site()
    for receiver in 0..<4 {
      let own = (0..<rig.gateway.triggers.plan.count).filter { rig.gateway.triggers.plan.points[$0].owner == Int8(receiver) }
      #expect(own.count == 1)
      let points = (0..<8).map { rig.gateway.triggers.plan.points[own[0]][$0][receiver] }
      #expect(rig.gateway.triggers.plan.points[own[0]].count == 8 && points[0] == points.min()!)
      #expect(points[1...3].allSatisfy { (3...3.3).contains($0) } && points[4...].allSatisfy { (9.7...9.9).contains($0) }, "\(points)")
    }
  }

  @Test("who still stands where it stood last is not looked for anywhere else; who has moved is", arguments: 0..<4)
  func repeated(trigger: Int) {
    let rig = site()
    for other in 0..<4 where other != trigger {
      let there = pattern(at: PlanPoint(x: Self.receivers[other].x + 0.8, y: Self.receivers[other].y))
      let whole = rig.gateway.triggers.plan.compare(there, at: trigger)
      #expect(whole.isWhole && whole.rival == Int8(other) && whole.overRival < -3)
      let again = rig.gateway.triggers.plan.compare(there, at: trigger, after: whole)
      #expect(!again.isWhole && again.rival == whole.rival && again.overRival == whole.overRival && again.overRest == whole.overRest)
      #expect(again.likeliest == whole.likeliest)
      let here = pattern(at: PlanPoint(x: Self.receivers[trigger].x + 0.8, y: Self.receivers[trigger].y))
      let moved = rig.gateway.triggers.plan.compare(here, at: trigger, after: again)
      let fresh = rig.gateway.triggers.plan.compare(here, at: trigger)
      #expect(moved.isWhole && moved.lead == fresh.lead && moved.lead > 0 && moved.likeliest == fresh.likeliest)
    }
  }

  @Test("in the street, too: the likeliest point is asked first") func street() {
    let rig = site()
    let there = pattern(at: PlanPoint(x: 4, y: -16))
    let whole = rig.gateway.triggers.plan.compare(there, at: 0)
    let again = rig.gateway.triggers.plan.compare(there, at: 0, after: whole)
    #expect(
      whole.lead < -3 && whole.overRest == whole.lead && !again.isWhole && again.overRest == whole.overRest && again.rival == whole.rival)
    var gone = whole
    gone.likeliest = 250
    #expect(rig.gateway.triggers.plan.compare(there, at: 0, after: gone).isWhole, "a point that is no more")
  }
}
