// The bring-up: one command after another, and what follows from each answer.

extension Controller {
  static let shortestBackOff = Interval.milliseconds(250)
  /// Even with an unanswered Reset (1.5 s) and the bring-up, at most 5 s after the cause has gone.
  static let longestBackOff = Interval.milliseconds(2_000)
  /// For the answer to another part's command.
  static let commandPatience = Interval.milliseconds(2_000)
  /// Twice the longest identification.
  static let connectPatience = Interval.seconds(10)
  /// Another program that switched scanning off on a shared adapter may be about to switch it on again.
  static let courtesy = Interval.milliseconds(500)

  // MARK: Asking

  mutating func ask(_ step: BringUpStep, at now: Instant) -> Action {
    sawNonsense = false
    if step == .reset || step == .version && isShared { startBringUp() }
    guard step.isNeeded(profile, isShared: isShared) else { return proceed(after: step, at: now) }
    return send(step, now + step.patience)
  }

  /// A bring-up from its start: nothing known of the controller need still be true.
  private mutating func startBringUp() {
    let lasting = profile.shortfalls.intersection(.extended)
    let generation = profile.generation
    profile = Profile()
    profile.generation = generation &+ 1
    profile.shortfalls = lasting
    credits = 1
    answerDue = .never
    interrupted = nil
  }

  /// Its line was given up, and is to be opened again some time. Only an advert ends a silence.
  package mutating func released() {
    let former = self
    self = Controller(settings, isShared: isShared, spareAddress)
    (hearing, silence, silencedAddress) = (former.hearing, former.silence, former.silencedAddress)
    guard former.trouble == .silent else { return }
    (trouble, isDegraded) = (.silent, former.isDegraded)
  }

  mutating func send(_ step: BringUpStep, _ deadline: Instant) -> Action {
    phase = .asking(step, isSent: credits > 0, deadline: deadline)
    guard credits > 0 else { return .none }
    credits -= 1
    return .send(step.command(profile, settings))
  }

  private mutating func proceed(after step: BringUpStep, at now: Instant) -> Action {
    if let next = step.next { return ask(next, at: now) }
    hasListened = true
    profile.isWhole = true
    remedy = .rescan
    backOff = Self.shortestBackOff
    if isReplaced {
      silence.ended()
      recovered()
    } else if trouble != nil, silence.tries > 0, silencedAddress != nil {
      trouble = .silent
    }
    // Only an advert ends a silence, whatever else has failed and was cured meanwhile.
    if trouble != .silent, trouble != .noLevels { rise(at: now) }
    hearing.resumed(at: now)
    silence.listening(since: interrupted.map { silence.start(hearing) + (now - $0) } ?? now)
    interrupted = nil
    phase = .listening(check: silence.deadline(hearing), isDisturbed: false)
    return .none
  }

  /// Whether another controller than the one that fell silent answers now: that one's silence says nothing of it. Two without addresses of
  /// their own look the same.
  private var isReplaced: Bool {
    guard silence.tries > 0, let former = silencedAddress, former.isDistinctive, profile.address.isDistinctive else { return false }
    return former != profile.address
  }

  /// The last command: stop scanning.
  package var farewell: RadioCommand? { profile.isWhole ? BringUpStep.stopScan.command(profile, settings) : nil }

  // MARK: Answers

  mutating func conclude(_ step: BringUpStep, _ result: RawSpan, at now: Instant) -> Action {
    let status = result.byteCount > 0 ? result[0] : 0xFF
    return status == 0 && learn(step, result) ? proceed(after: step, at: now) : refused(step, status: status, at: now)
  }

  /// False when the answer is too short. Core 6.0, Vol 4, Part E, 7.4.1, 7.4.2, 7.4.5, 7.4.6, 7.8.2, 7.8.3.
  private mutating func learn(_ step: BringUpStep, _ result: RawSpan) -> Bool {
    switch step {
    case .version:
      guard result.byteCount >= 9 else { return false }
      profile.manufacturer = result.little16(at: 5)
    case .address:
      guard result.byteCount >= 7, result.little48(at: 1) != 0 else { return false }
      profile.address = Address(result.little48(at: 1), type: 0)
    case .commands:
      guard result.byteCount >= 65 else { return false }
      // LE Set Extended Scan Parameters and Enable: octet 37, bits 5 and 6. Linux decides by the same bits, so a shared adapter is
      // not mixed.
      profile.isExtended = result[1 + 37] & 0x60 == 0x60 && !profile.shortfalls.contains(.extended)
    case .features:
      guard result.byteCount >= 9 else { return false }
      profile.features = result.little64(at: 1)
      profile.hasCodedPhy = profile.features & Profile.codedPhy != 0
      if profile.features & Profile.extendedAdvertising == 0 && !isShared { profile.isExtended = false }
    case .buffers:
      guard result.byteCount >= 4 else { return false }
      profile.aclLength = Int(result.little16(at: 1))
      profile.aclCount = Int(result[3])
      profile.sharesBuffers = !profile.connects
    case .sharedBuffers:
      guard result.byteCount >= 6 else { return false }
      profile.aclLength = Int(result.little16(at: 1))
      profile.aclCount = Int(result.little16(at: 4))
    case .reset, .eventMask, .lowEnergyEventMask, .randomAddress, .stopScan, .scanParameters, .startScan: break
    }
    return true
  }

  private mutating func refused(_ step: BringUpStep, status: UInt8, at now: Instant) -> Action {
    switch step {
    case .reset: return fail(.refusing, at: now)
    // Unknown HCI Command: this controller has no LE.
    case .features where status == 0x01: return fail(.noLowEnergy, at: now)
    case .scanParameters, .startScan: return refusedToScan(at: now)
    case .version: profile.shortfalls.insert(.version)
    case .address:
      profile.shortfalls.insert(.address)
      if isShared { profile.shortfalls.insert(.randomAddress) }
      if !isShared { profile.address = spareAddress }
    case .commands: profile.shortfalls.insert(.commands)
    case .features:
      profile.shortfalls.insert(.features)
      if !isShared { profile.isExtended = false }
    case .buffers, .sharedBuffers: profile.shortfalls.insert(.buffers)
    case .eventMask: profile.shortfalls.insert(.masks)
    // Extended commands have been sent before: only a reset allows legacy ones.
    case .lowEnergyEventMask where profile.isExtended && remedy == .rescan && hasListened: return fail(.refusing, at: now)
    case .lowEnergyEventMask:
      profile.shortfalls.insert(.masks)
      profile.isExtended = false
    // Disallowed while in use: it was set before.
    case .randomAddress where status == 0x0C && remedy == .rescan && hasListened: break
    case .randomAddress: profile.shortfalls.insert(.randomAddress)
    // Nothing was scanning.
    case .stopScan: break
    }
    return proceed(after: step, at: now)
  }

  private mutating func refusedToScan(at now: Instant) -> Action {
    recoveries.refused &+= 1
    if profile.isExtended && settings.codedPhy && profile.hasCodedPhy && !profile.shortfalls.contains(.coded) {
      profile.shortfalls.insert(.coded)
      return ask(.scanParameters, at: now)
    }
    // Refused again after a reset. Only another reset allows the other family of commands.
    if profile.isExtended && remedy != .rescan && !isShared {
      profile.shortfalls.insert(.extended)
      return apply(.reset, at: now)
    }
    return fail(.refusing, at: now)
  }

  // MARK: Remedies

  /// The last remedy did not help: apply the next stronger one.
  mutating func fail(_ trouble: Trouble, at now: Instant) -> Action {
    self.trouble = trouble
    countRelapse(at: now)
    switch remedy {
    case .rescan where !trouble.isLasting: return apply(.reset, at: now)
    case .rescan, .reset: return apply(.reopen, at: now)
    case .reopen:
      degrade()
      return apply(.reopen, at: now)
    }
  }

  /// It listened until now.
  mutating func countRelapse(at now: Instant) {
    if case .listening = phase {} else if !isPaused { return probation = .never }
    failures.add(at: now, within: Self.relapse)
    probation = .never
  }

  mutating func apply(_ remedy: Remedy, at now: Instant) -> Action {
    switch remedy {
    case .rescan:
      recoveries.rescans &+= 1
      self.remedy = .rescan
      return ask(.eventMask, at: now)
    case .reset where !isShared:
      recoveries.resets &+= 1
      self.remedy = .reset
      return ask(.reset, at: now)
    case .reset, .reopen:
      reopen(at: now)
      return .close
    }
  }

  mutating func reopen(at now: Instant) {
    recoveries.reopens &+= 1
    remedy = .reopen
    // The next controller on this line may be a different one.
    profile.shortfalls.remove(.extended)
    phase = .closed(retry: now + backOff)
    backOff = min(backOff * 2, Self.longestBackOff)
  }

  mutating func degrade() {
    if !isDegraded { recoveries.degradations &+= 1 }
    isDegraded = true
  }

  /// It listens again. After several relapses in a row it must go on for a while before it counts as well.
  mutating func rise(at now: Instant) {
    let wasSilent = trouble == .silent
    guard trouble != nil, wasSilent ? silences.areMany : failures.areMany else { return recovered() }
    degrade()
    if probation == .never { probation = now + (wasSilent ? Self.silenceProbation : Self.failureProbation) }
  }

  static let silenceProbation = Interval.seconds(30)
  private static let relapse = Interval.seconds(5)
  private static let failureProbation = Interval.seconds(1)

  mutating func recovered() {
    if trouble != nil { recoveries.cures &+= 1 }
    trouble = nil
    isDegraded = false
  }
}
