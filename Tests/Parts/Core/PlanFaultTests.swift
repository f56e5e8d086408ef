import Testing

@testable import Core

@Suite("A neighbour's at_m that cannot be right beside ours") struct PlanFaultTests {
  private let loan = Loan()

  /// It knows the neighbours east and west.
  private struct Station: ~Copyable {
    var membership: Membership
    var settings = Settings.grouped()

    init(at point: PlanPoint?, on loan: Loan) {
      settings.addRadios(2)
      settings.radios[1].point = point
      membership = Membership(on: loan)
      membership.reload(settings)
      for name in ["east", "west"] as [Name] {
        var hello = Neighbour()
        (hello.name, hello.boot, hello.isOnline, hello.sequence) = (name, "b", true, 1)
        hello.groups.append("pumps")
        membership.receive(hello: hello, at: .zero + .seconds(1))
      }
    }

    mutating func hear(of point: PlanPoint?, from gateway: Name, trigger: Name = "pump", group: Name = "pumps", level: Float? = -60) {
      var claim = Claim()
      (claim.gateway, claim.trigger, claim.group, claim.boot) = (gateway, trigger, group, "b")
      (claim.point, claim.level) = (point, level.map { Decibels($0) })
      membership.examinePlan(claim, of: membership.find(gateway)!, settings)
    }

    /// What it says of whom.
    func says(_ kind: PlanFault.Kind?, of gateway: Name?, at seconds: Double = 2) -> Bool {
      let fault = membership.planFault(at: .zero + .seconds(seconds))
      return fault?.kind == kind && fault?.gateway == gateway
    }
  }

  private static func point(_ x: Float) -> PlanPoint { PlanPoint(x: x, y: 3) }

  @Test(
    "it stands where we do, or one of us has none; a metre apart is two places, and who hears nothing says nothing",
    arguments: [
      (0, 0.9, -60, .shared), (0, 1.1, -60, nil), (nil, nil, -60, nil), (0, nil, -60, .uneven), (nil, 0, -60, .uneven), (0, 0, nil, nil),
    ] as [(Float?, Float?, Float?, PlanFault.Kind?)])
  func kinds(ours: Float?, theirs: Float?, level: Float?, kind: PlanFault.Kind?) {
    var station = Station(at: ours.map(Self.point), on: loan)
    station.hear(of: theirs.map(Self.point), from: "west", group: "doors", level: level)
    let isForeign = station.says(nil, of: nil)
    station.hear(of: theirs.map(Self.point), from: "east", level: level)
    let isRight = station.says(kind, of: kind == nil ? nil : "east")
    #expect(isForeign && isRight)
  }

  private func copied() -> Station {
    var station = Station(at: Self.point(0), on: loan)
    station.hear(of: Self.point(0), from: "east")
    return station
  }

  @Test("it is said until a claim of that trigger is right: another may have another radio")
  func corrected() {
    var station = copied()
    station.hear(of: Self.point(8), from: "east", trigger: "other")
    station.hear(of: nil, from: "west")
    let isKept = station.says(.shared, of: "east")
    station.hear(of: Self.point(8), from: "east")
    let isNext = station.says(.uneven, of: "west")
    station.hear(of: Self.point(16), from: "west")
    let isCorrected = station.says(nil, of: nil)
    #expect(isKept && isNext && isCorrected)
  }

  @Test("new settings forget it, and it goes with the neighbour")
  func forgotten() {
    var station = copied()
    station.membership.reload(station.settings)
    let isForgotten = station.says(nil, of: nil)
    station = copied()
    var goodbye = Neighbour()
    (goodbye.name, goodbye.boot, goodbye.isOnline) = ("east", "b", false)
    station.membership.receive(status: goodbye, at: .zero + .seconds(3))
    let hasGone = station.says(nil, of: nil, at: 30)
    #expect(isForgotten && hasGone)
  }
}
