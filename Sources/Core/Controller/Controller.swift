/// One radio, from power-on to listening, and back to listening whatever happens. Bytes and time in; commands and deadlines out.
///
/// It runs on its radio's thread. README.md has the rules.
package struct Controller: BitwiseCopyable, Sendable {
  /// What the radio thread does next.
  package enum Action: BitwiseCopyable, Sendable {
    case none
    case send(RadioCommand)
    /// Open the line; then call `opened` or `lost`.
    case open
    /// Close the line, and call nothing.
    case close
  }

  enum Phase: BitwiseCopyable, Sendable {
    case closed(retry: Instant)
    case opening
    /// A step's command waits to be sent, or for its answer.
    case asking(BringUpStep, isSent: Bool, deadline: Instant)
    /// `isDisturbed`: something may have switched scanning off.
    case listening(check: Instant, isDisturbed: Bool)
    /// Scanning is being switched off for a connection attempt.
    case yielding(deadline: Instant)
    case yielded(deadline: Instant)
  }

  let settings: RadioSettings
  let isShared: Bool
  /// A static random address for a controller that has none of its own.
  let spareAddress: Address

  var phase = Phase.closed(retry: .zero)
  /// The last or present remedy; the next one is stronger.
  var remedy = Remedy.rescan
  var trouble: Trouble?
  var isDegraded = false
  var isQuiet = false
  var hasListened = false
  var backOff = Self.shortestBackOff
  /// How many commands the controller takes now. Core 6.0, Vol 4, Part E, 4.4.
  var credits = 1
  /// When another part's command must have been answered, while the controller takes no more.
  var answerDue = Instant.never
  var sawNonsense = false
  /// There is a connection: a reset would end it, and it proves that the radio works.
  package var isOccupied = false
  var silence = Silence()
  /// While `silence` has tried something: the address of the controller that fell silent after a lively past; nil after any other.
  var silencedAddress: Address?
  var babble = NoiseDetector()
  var failures = Relapses()
  /// After a lively past.
  var silences = Relapses()
  /// When a rescan for another reason than silence began: time without listening is no silence, nor does it end one.
  var interrupted: Instant?
  /// Reports without a level since the last one that had one, and when the first came.
  private var muteReports = 0
  private var muteSince = Instant.zero
  /// Until then a radio with many relapses does not count as well.
  var probation = Instant.never
  package internal(set) var hearing = SilenceDetector()
  package internal(set) var profile = Profile()
  package internal(set) var recoveries = Recoveries()

  /// `spare` supplies 46 random bits.
  package init(_ settings: RadioSettings, isShared: Bool, spare: UInt64) {
    // Core 6.0, Vol 6, Part B, 1.3.2.1: the two most significant bits of a static address are 11.
    self.init(settings, isShared: isShared, Address(spare & 0x3FFF_FFFF_FFFF | 0xC000_0000_0000, type: 1))
  }

  init(_ settings: RadioSettings, isShared: Bool, _ spareAddress: Address) {
    (self.settings, self.isShared, self.spareAddress) = (settings, isShared, spareAddress)
  }

  // MARK: What status tells

  package var condition: Condition {
    switch phase {
    case .closed, .opening:
      if let trouble { return trouble.isLasting ? .failed(trouble) : .degraded(trouble) }
      return hasListened ? listeningCondition : .opening
    case .asking, .listening, .yielding, .yielded:
      if let trouble { return isDegraded ? .degraded(trouble) : .recovering(trouble) }
      return hasListened ? listeningCondition : .starting
    }
  }

  /// A rescan in mere quiet is over before it could be seen.
  private var listeningCondition: Condition { isQuiet ? .quiet : .scanning }

  /// It does not listen for a moment, for a connection attempt.
  package var isPaused: Bool {
    switch phase {
    case .yielding, .yielded: true
    case .closed, .opening, .asking, .listening: false
    }
  }

  package var nextDeadline: Instant {
    switch phase {
    case .closed(let retry): retry
    case .asking(_, _, let deadline), .yielding(let deadline), .yielded(let deadline): deadline
    case .listening(let check, _): min(min(check, answerDue), probation)
    case .opening: .never
    }
  }

  /// It listens, and expects nothing but adverts.
  package var isAtRest: Bool { if case .listening(_, false) = phase { credits > 0 } else { false } }

  // MARK: The line

  package mutating func opened(at now: Instant) -> Action {
    if hearing.last == .zero { hearing.start(at: now) }
    return ask(isShared ? .version : .reset, at: now)
  }

  /// The line could not be opened, or broke.
  package mutating func lost(_ trouble: Trouble, at now: Instant) {
    self.trouble = trouble
    countRelapse(at: now)
    reopen(at: now)
  }

  /// The controller is to forget all that it was asked for. Another program's controller keeps it.
  package mutating func startAnew(at now: Instant) -> Action { isShared || !profile.isWhole ? .none : apply(.reset, at: now) }

  // MARK: Time

  @export(interface) package mutating func tick(at now: Instant) -> Action {
    guard now >= nextDeadline else { return .none }
    switch phase {
    case .closed:
      phase = .opening
      return .open
    case .asking, .yielding, .yielded: return unanswered(at: now)
    case .listening where now >= answerDue: return unanswered(at: now)
    case .listening where now >= probation:
      probation = .never
      recovered()
      return .none
    case .listening(_, let isDisturbed): return isDisturbed ? rescanIfListening(at: now) : listen(at: now)
    case .opening: return .none
    }
  }

  private mutating func unanswered(at now: Instant) -> Action {
    recoveries.unanswered &+= 1
    return fail(sawNonsense ? .nonsense : .notAnswering, at: now)
  }

  private mutating func listen(at now: Instant) -> Action {
    let deadline = silence.deadline(hearing)
    guard now >= deadline else {
      phase = .listening(check: deadline, isDisturbed: false)
      return .none
    }
    var next = silence.remedy(hearing, isShared: isShared, at: now)
    let isAlarming = silence.isAlarming(hearing, at: now)
    if silence.tries == 1 { silencedAddress = isAlarming ? profile.address : nil }
    if isAlarming {
      if silence.tries == 1 {
        silences.add(at: now, within: Self.silenceProbation)
        probation = .never
        // What helps for some seconds is no cure.
        if silences.areMany { next = .reset }
      }
      if next != .rescan { trouble = .silent }
    } else {
      if isOccupied { next = .rescan }
      isQuiet = silence.isQuiet(hearing, at: now)
    }
    if trouble == .silent && silence.tries > 3 { degrade() }
    if !isOccupied { profile.silences &+= 1 }
    return apply(next, at: now)
  }

  // MARK: What the controller says

  @export(interface) package mutating func receive(_ packet: RawSpan, at now: Instant) -> Action {
    guard packet.byteCount > 0, packet[0] == PacketType.event.rawValue else { return .none }
    guard let event = try? HCIEvent(packet) else { return refuse(at: now) }
    switch event {
    case .reports(var reports):
      do throws(Malformed) {
        while let report = try reports.next() { if report.isAudible { observe(report.address, at: now) } else { observeMute(at: now) } }
      } catch { return refuse(at: now) }
      judge(true, at: now)
      return .none
    case .commandComplete(let opcode, let credits, let result):
      self.credits = Int(credits)
      return answered(Opcode(opcode), result, at: now)
    case .commandStatus(let opcode, let credits, _):
      self.credits = Int(credits)
      return answered(Opcode(opcode), packet.extracting(3..<4), at: now)
    case .hardwareError:
      recoveries.hardwareErrors &+= 1
      return fail(.hardwareError, at: now)
    case .connected(let connection): return connected(connection, at: now)
    // LE Scan Timeout. Core 6.0, Vol 4, Part E, 7.7.65.17.
    case .lowEnergy(0x11, _): return rescanIfListening(at: now)
    case .lowEnergy(let subevent, _):
      judge(subevent <= Self.lastSubevent, at: now)
      return .none
    case .disconnected, .packetsCompleted, .other: return .none
    }
  }

  /// Core 6.0, Vol 4, Part E, 7.7.65, and some room for its successors.
  private static let lastSubevent: UInt8 = 0x3F

  private mutating func refuse(at now: Instant) -> Action {
    recoveries.malformed &+= 1
    sawNonsense = true
    judge(false, at: now)
    return .none
  }

  /// There is no remedy against babble, but `status` must show it.
  private mutating func judge(_ makesSense: Bool, at now: Instant) {
    guard let isBabble = babble.observe(makesSense, at: now) else { return }
    if isBabble {
      trouble = trouble ?? .nonsense
      degrade()
    } else if trouble == .nonsense, case .listening = phase {
      recovered()
    }
  }

  private mutating func observe(_ address: Address, at now: Instant) {
    hearing.observe(address, at: now)
    silence.ended()
    isQuiet = false
    guard trouble != nil else { return }
    if trouble == .silent { rise(at: now) }
    if trouble == .noLevels { recovered() }
  }

  private static let muteLeast = 20
  private static let muteFor = Interval.seconds(10)

  /// Core 6.0, Vol 4, Part E, 7.7.65.2: 127 is no level. If all reports have none, the radio might as well hear nothing.
  @inline(never) @_optimize(size)
  private mutating func observeMute(at now: Instant) {
    if hearing.last >= muteSince { (muteReports, muteSince) = (0, now) }
    muteReports += 1
    guard muteReports >= Self.muteLeast, now - muteSince >= Self.muteFor, trouble == nil else { return }
    trouble = .noLevels
    degrade()
  }

  /// Many controllers stop scanning when a connection succeeds or fails, so we resume it each time.
  private mutating func connected(_ connection: Connection, at now: Instant) -> Action {
    guard case .yielded = phase else { return rescanIfListening(at: now) }
    // A central that connects to us is not the answer to our own attempt.
    return connection.isCentral || connection.status != 0 ? apply(.rescan, at: now) : .none
  }

  private mutating func rescanIfListening(at now: Instant) -> Action {
    guard case .listening = phase else { return .none }
    interrupted = now
    return apply(.rescan, at: now)
  }

  private mutating func answered(_ opcode: Opcode, _ result: RawSpan, at now: Instant) -> Action {
    // One that accepts no more commands must say some time that it does again.
    answerDue = credits > 0 ? .never : min(answerDue, now + Self.commandPatience)
    let isRefused = result.byteCount == 0 || result[0] != 0
    switch phase {
    case .asking(let step, true, _) where opcode == step.opcode(profile): return conclude(step, result, at: now)
    case .asking(let step, false, let deadline): return send(step, deadline)
    case .yielding where opcode == BringUpStep.stopScan.opcode(profile): phase = .yielded(deadline: now + Self.connectPatience)
    case .yielded where opcode.connects && isRefused: return apply(.rescan, at: now)
    // A late refusal, or another program at a shared adapter: in both cases scanning may be off.
    case .listening where opcode == BringUpStep.startScan.opcode(profile) && (isRefused || isShared):
      phase = .listening(check: now + Self.courtesy, isDisturbed: true)
    default: break
    }
    return .none
  }
}
