import Core
import Host

/// What triggers decide by at one sample: the average that their events show.
struct DecidingAverage {
  /// Of the trigger that listens to the sample's radio; not a number where none does.
  private(set) var level = Float.nan
  /// A trigger follows the device, by this radio or another.
  private(set) var isFollowed = false
}

extension DecidingAverage {
  init(_ slot: Int, radio: Int, at now: Instant, _ gateway: borrowing Gateway) {
    self.init()
    var furthest = -1
    var place = gateway.devices[slot].encounters
    while place >= 0 {
      let encounter = gateway.triggers.encounters[place]
      place = encounter.nextOfDevice
      if now - encounter.approach.heard < .seconds(2) { isFollowed = true }
      let rank = encounter.stage.rank(at: now)
      guard encounter.approach.heard == now, Int(encounter.radio) == radio, rank > furthest else { continue }
      (furthest, level) = (rank, encounter.approach.level.value)
    }
  }
}

extension Encounter.Stage {
  /// Of several triggers at one radio, the one that is furthest; above all, one that fires now.
  func rank(at now: Instant) -> Int {
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
    /// The next one, or when it was forgotten.
    var end: Double
    let here: Float
    let rival: Float
    /// Its place in `rivals`.
    let name: Int
  }

  let trigger: Int
  private(set) var rivals: [String] = []
  private(set) var judgements: [Judgement] = []

  private static let most = 400_000

  init(_ trigger: Int) { self.trigger = trigger }

  mutating func observe(_ likelihood: Likelihood) {
    let at = likelihood.at.microsecondsAsSeconds
    if let last = judgements.last {
      guard last.at != at, judgements.count < Self.most else { return }
      judgements[judgements.count - 1].end = min(last.end, at)
    }
    let rival = String(likelihood.rivalName)
    let name = rivals.firstIndex { same($0, rival) } ?? rivals.count
    if name == rivals.count { rivals.append(rival) }
    judgements.append(
      Judgement(at: at, end: at + LikelihoodRecord.memory, here: likelihood.here, rival: likelihood.rival, name: name))
  }
}

extension ReportRun.DeviceCurve {
  /// After each of the device's samples.
  mutating func observeShares(_ slot: Int, _ gateway: borrowing Gateway) {
    var place = gateway.devices[slot].encounters
    while place >= 0 {
      let trigger = Int(gateway.triggers.encounters[place].trigger)
      if let likelihood = gateway.triggers.likelihood(of: place, gateway.settings) {
        // In the configuration's order.
        let index = shares.firstIndex { $0.trigger >= trigger } ?? shares.count
        if index == shares.count || shares[index].trigger > trigger { shares.insert(ReportShares(trigger), at: index) }
        shares[index].observe(likelihood)
      }
      place = gateway.triggers.encounters[place].nextOfDevice
    }
  }
}
