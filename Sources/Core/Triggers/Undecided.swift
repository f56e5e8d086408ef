/// Why a device that stands at a trigger is not served.
extension Encounter {
  private static let patience = Interval.seconds(1)

  /// The device has stood here long enough to deserve a reason why nothing happens.
  func doubt(_ evidence: TriggerEvidence, at now: Instant, _ limits: TriggerLimits) -> Event? {
    let since: Instant
    switch stage {
    case .dwelling(let start): since = start
    case .claiming(let asked, let start):
      // It may have stood here for long before its neighbours were asked, and they have not had time to answer.
      guard now - asked >= Self.patience else { return nil }
      since = start
    case .absent, .armed, .fired, .leaving: return nil
    }
    guard reported == nil, evidence.isNear, now - since >= limits.dwell * 3 + .seconds(2) else { return nil }
    if wasHereAtStart { return .undecided(.presentAtStart) }
    if mustBeAway { return .undecided(.notAway) }
    if now < rests { return .undecided(.taken) }
    if case .claiming = stage { return .undecided(evidence.isConnected ? .silentNeighbour : .noBroker) }
    if evidence.mayBeTaken { return .undecided(.silentNeighbour) }
    if evidence.isAhead { return evidence.isTaken ? .undecided(.taken) : nil }
    if evidence.uncomparedLead > 0 { return .undecided(.rival) }
    return .undecided(evidence.pattern != nil || evidence.isUpToPattern ? .unclearPlace : evidence.isPowerKnown ? .rival : .unknownPower)
  }

  /// It is near, but its adverts are too few for `min_rate_hz`.
  func doubtOfRate(_ evidence: TriggerEvidence, _ limits: TriggerLimits, at now: Instant) -> Event? {
    guard reported == nil, evidence.isNear, approach.samples >= 4, approach.rate < limits.minimumRate else { return nil }
    return mustBeAway || now < rests ? nil : .undecided(.fewAdverts)
  }
}
