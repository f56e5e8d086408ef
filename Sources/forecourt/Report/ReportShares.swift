import Core

/// What a trigger decides by at one sample: the average that its events show.
struct DecidingAverage {
  /// Of the trigger that listens to the sample's radio; nil where none does.
  private(set) var level: Float?
  /// A trigger follows the device, by this radio or another.
  private(set) var isFollowed = false
  private var rank = -1

  init(_ slot: Int, radio: Int, at now: Instant, _ gateway: borrowing Gateway) {
    for trigger in gateway.settings.triggers.indices where gateway.devices[slot].interest.triggers >> UInt64(trigger) & 1 == 1 {
      let place = gateway.triggers.encounters.find(trigger: trigger, from: gateway.devices[slot].encounters)
      guard place >= 0 else { continue }
      let encounter = gateway.triggers.encounters[place]
      if now - encounter.approach.heard < .seconds(2) { isFollowed = true }
      guard encounter.approach.heard == now, Int(encounter.radio) == radio, encounter.stage.rank(at: now) > rank else { continue }
      (rank, level) = (encounter.stage.rank(at: now), encounter.approach.level.value)
    }
  }
}

extension Encounter.Stage {
  /// Of several triggers at one radio, the one that is furthest; above all, one that fires now.
  fileprivate func rank(at now: Instant) -> Int {
    switch self {
    case .absent: 0
    case .armed: 1
    case .dwelling: 2
    case .claiming: 3
    case .fired(let at): at == now ? 5 : 4
    case .leaving: 4
    }
  }
}

/// Where one device stood likeliest, as one trigger's plan had it: what the report draws below the levels.
struct ReportShares {
  struct Judgement {
    let at: Double
    let here: Float
    let rival: Float
    /// Its place in `rivals`.
    let name: Int
  }

  let trigger: Int
  private(set) var rivals: [Name] = []
  private(set) var judgements: [Judgement] = []
  private var last = Instant.never

  private static let most = 400_000

  init(_ trigger: Int) { self.trigger = trigger }

  mutating func observe(_ likelihood: Likelihood) {
    guard likelihood.at != last, judgements.count < Self.most else { return }
    last = likelihood.at
    var name = rivals.firstIndex { $0 == likelihood.rivalName }
    if name == nil {
      name = rivals.count
      rivals.append(likelihood.rivalName)
    }
    judgements.append(
      Judgement(at: likelihood.at.microsecondsAsSeconds, here: likelihood.here, rival: likelihood.rival, name: name ?? 0))
  }
}

extension ReportRun.DeviceCurve {
  /// After each of the device's samples.
  mutating func observeShares(_ slot: Int, _ gateway: borrowing Gateway) {
    for trigger in gateway.settings.triggers.indices where gateway.devices[slot].interest.triggers >> UInt64(trigger) & 1 == 1 {
      let encounter = gateway.triggers.encounters.find(trigger: trigger, from: gateway.devices[slot].encounters)
      guard encounter >= 0, let likelihood = gateway.triggers.likelihood(of: encounter, gateway.settings) else { continue }
      let mine = shares.firstIndex { $0.trigger == trigger }
      // In the configuration's order.
      let place = mine ?? shares.firstIndex { $0.trigger > trigger } ?? shares.count
      if mine == nil { shares.insert(ReportShares(trigger), at: place) }
      shares[place].observe(likelihood)
    }
  }
}
