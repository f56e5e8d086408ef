import Core
import Host

/// Puts how the radios, the courier and the neighbours are into one `status` message; published again whenever it changed.
struct StatusPublisher {
  private var report = StatusReport()
  private var isNews = true
  private var troubles: Troubles?
  private let adapters: [Adapter]
  private var late: DiskThread.Job?
  private var isHung = false
  /// Whether the last reload met a configuration file that the next start would refuse.
  private var isFileWrong = false
  /// For each radio: why its adapter is not its own.
  private var misplaced: [Sentence?] = []
  private var conditions: [Condition]
  /// For each radio: the log lines of this minute, and how many more were left out.
  private var lines: [(since: Instant, count: Int, leftOut: Int)]
  /// For each transmission: what the radio reported last, and why the controller refuses it.
  private var transmits: [(report: StatusReport.Transmit, refusal: Sentence)] = []
  private let identifies: Bool
  /// For each radio: how often in a row its controller refused to connect to a phone that was to be asked.
  private var refusals: [Int]
  private var failedPeers = FailedPeers()
  /// For each radio: why it asks no phone.
  private var askingTroubles: [AskingTrouble?]
  private var hasListened = false
  var clock = ClockWatch()
  private var planFault: PlanFault?
  /// Which neighbour is not heard.
  private var unheard: Unheard?
  /// Whether the broker was connected at the last question; Core believes the same.
  private(set) var isOnline = false

  init(_ settings: borrowing Settings, _ boot: Text<16>, _ radios: [Radio], _ adapters: [Adapter]) {
    self.adapters = adapters
    identifies = settings.peer.identify
    conditions = radios.map { _ in .opening }
    lines = radios.map { _ in (.zero, 0, 0) }
    (refusals, askingTroubles) = (radios.map { _ in 0 }, radios.map { _ in nil })
    report.version = Text(release)
    report.boot = Name(boot.bytes)
    for radio in radios { _ = report.radios.append(.init(name: radio.name, state: Name(Condition.opening.name))) }
    for index in settings.transmissions.indices { transmits.append((.init(settings.transmissions[index].kind), Sentence())) }
    if settings.peer.serve { transmits.append((.init(nil), Sentence())) }
    for transmit in transmits { _ = report.transmits.append(transmit.report) }
    apply(settings)
  }

  mutating func reload(_ configuration: borrowing Configuration) { apply(configuration.core) }

  private mutating func apply(_ settings: borrowing Settings) {
    report.purpose = settings.gateway.purpose
    report.simulated = settings.gateway.simulated
    report.groups = settings.groups
    report.isAuthenticated = settings.site.isAuthenticated
    report.site = settings.groups.isEmpty ? nil : report.site ?? StatusReport.Site()
    if settings.groups.isEmpty { (unheard, planFault) = (nil, nil) }
    isNews = true
  }

  func isListening(_ radio: Int) -> Bool { conditions[radio].isListening }

  /// What a disk keeps waiting for too long; returns the log's words if it is the courier, which can publish nothing then.
  mutating func record(late job: DiskThread.Job?, isHung: Bool = false) -> (level: LogSettings.Level, sentence: String)? {
    if job != late || isHung != self.isHung { isNews = true }
    late = job
    defer { self.isHung = isHung }
    if isHung == self.isHung { return nil }
    return isHung ? (.error, String(Sentence(Self.hung))) : (.info, "the outbox's disk answers again")
  }

  private static let hung: StaticString = "the outbox's disk does not answer: until it does, events are neither stored nor sent"

  /// What the last reload made of the configuration file. A file that only changes what is fixed at start is right: the next start takes it.
  mutating func record(isFileWrong: Bool) {
    if isFileWrong != self.isFileWrong { isNews = true }
    self.isFileWrong = isFileWrong
  }

  private static let wrongFile: StaticString =
    "the configuration file is wrong or cannot be read: the old one is in force, the next start would fail; forecourt check says where"

  /// Which radios have another's adapter, and what to do.
  mutating func record(misplaced words: [Sentence?]) { (misplaced, isNews) = (words, true) }

  mutating func publishAgain() { isNews = true }

  /// How the neighbours hear us; returns the log's words when that is news.
  mutating func record(_ hearing: SiteHearing, _ fault: PlanFault? = nil) -> (level: LogSettings.Level, sentence: String)? {
    guard var site = report.site,
      hearing.unheard != unheard || hearing.heard != site.heard || hearing.missing != site.missing || fault != planFault
    else { return nil }
    let (before, faultBefore) = (unheard, planFault)
    (site.heard, site.missing, site.missingLeftOut) = (hearing.heard, hearing.missing, hearing.missingLeftOut)
    (unheard, planFault, report.site, isNews) = (hearing.unheard, fault, site, true)
    guard unheard != before else {
      if planFault == faultBefore { return nil }
      return planFault.map { (.warning, String($0.sentence)) } ?? (.info, "what the neighbours say of at_m fits ours again")
    }
    guard let unheard else { return (.info, "every neighbour that matters is heard again, and hears us") }
    return (.warning, String(unheard.sentence))
  }

  /// Returns whether that is news. The broker has replaced the retained status by the will: after a reconnection it is published again.
  mutating func record(isOnline: Bool) -> Bool {
    guard isOnline != self.isOnline else { return false }
    if isOnline { isNews = true }
    self.isOnline = isOnline
    return true
  }

  /// Returns the log's words when that is news.
  mutating func examineClock(at now: Instant) -> (level: LogSettings.Level, sentence: String)? {
    guard !report.simulated, let words = clock.turned(at: now) else { return nil }
    (report.isClockUnsynchronised, isNews) = (clock.isUnsynchronised, true)
    return words
  }

  private static let minute = Interval.seconds(60)
  private static let linesAMinute = 10

  /// Returns the log's words when there is news; a radio that comes and goes all the time gets ten lines a minute.
  mutating func record(_ news: Radio.Status, radio: Int) -> (level: LogSettings.Level, sentence: String)? {
    guard var words = words(of: news, radio: radio) else { return nil }
    let leftOut = lines[radio].leftOut
    if news.at - lines[radio].since >= Self.minute { lines[radio] = (news.at, 0, 0) }
    guard lines[radio].count < Self.linesAMinute else {
      lines[radio].leftOut += 1
      return nil
    }
    lines[radio].count += 1
    if leftOut > 0, lines[radio].count == 1 { words.sentence += " (the log leaves out \(leftOut) earlier changes)" }
    return words
  }

  private mutating func words(of news: Radio.Status, radio: Int) -> (level: LogSettings.Level, sentence: String)? {
    let before = conditions[radio]
    conditions[radio] = news.condition
    if news.condition != before { isNews = true }
    report.radios[radio].state = Name(news.condition.name)
    if news.condition.isListening { hasListened = true }
    let name = String(report.radios[radio].name)
    if let trouble = news.condition.trouble {
      guard trouble != before.trouble else { return nil }
      return (.warning, "radio \(name): " + advice(trouble, adapters[radio], code: news.code))
    }
    if !news.profile.isWhole { refusals[radio] = 0 }
    if let words = record(asking: askingTroubles[radio].after(news.profile), radio) { return words }
    guard news.condition != before else { return nil }
    // Whoever watches a rehearsal would wait for ever.
    let isOver = conditions.allSatisfy { $0 == .ended }
    return (.info, "radio \(name): \(news.condition.name)" + (isOver ? "; nothing more will come: Ctrl-C ends" : ""))
  }

  /// Returns the log's words when a radio asks phones no longer.
  private mutating func record(asking trouble: AskingTrouble?, _ radio: Int) -> (level: LogSettings.Level, sentence: String)? {
    guard identifies, askingTroubles[radio] != trouble else { return nil }
    (askingTroubles[radio], isNews) = (trouble, true)
    return trouble.map { (.warning, String($0.sentence(report.radios[radio].name))) }
  }

  private static let mostRefusals = 3

  /// What a radio reports of phones and of its transmissions. `sentence` is the log's; returns more for it.
  mutating func record(_ news: PeerNews, _ sentence: String, radio: Int) -> (level: LogSettings.Level, sentence: String)? {
    switch news {
    case .failed(_, .refused): refusals[radio] += 1
    case .identified, .stranger, .failed: refusals[radio] = 0
    case .sends(let transmission, let power):
      record(transmission, .on, power, Sentence())
      return nil
    case .withheld(let transmission, _, _):
      record(transmission, .refused, nil, Sentence(sentence))
      return nil
    case .offers, .level: return nil
    }
    let failed = failedPeers.record(news, from: report.radios[radio].name, at: Clock.now())
    return record(asking: refusals[radio] >= Self.mostRefusals ? .refused : nil, radio) ?? failed
  }

  private mutating func record(_ transmission: UInt8, _ state: StatusReport.Transmit.State, _ power: Int8?, _ refusal: Sentence) {
    let place = transmission == PeerNews.ownServices ? transmits.count - 1 : Int(transmission)
    // A recording may mention beacons that this configuration does not have.
    guard transmits.indices.contains(place), (transmits[place].report.kind == nil) == (transmission == PeerNews.ownServices) else { return }
    (transmits[place].report.state, transmits[place].report.power, transmits[place].refusal) = (state, power, refusal)
    isNews = true
  }

  /// Set when every radio has failed for good and none has ever listened.
  var lastingTrouble: Trouble? {
    guard !hasListened, !conditions.isEmpty else { return nil }
    for condition in conditions { if !(condition.trouble?.isLasting ?? false) { return nil } }
    return conditions[0].trouble
  }

  /// The status, if it has changed since the last call.
  mutating func nextReport(_ troubles: Troubles?, _ authorization: Authorization) -> StatusReport? {
    guard isNews || troubles != self.troubles || authorization != report.authorization else { return nil }
    isNews = false
    self.troubles = troubles
    report.authorization = authorization
    report.state = .online
    report.reason = Sentence()
    report.reasonsLeftOut = 0
    composeTransmits()
    for index in askingTroubles.indices.reversed() {
      if let trouble = askingTroubles[index] { degrade(trouble.sentence(report.radios[index].name)) }
    }
    if authorization == .denied { degrade(Sentence("authorization is \"denied\": the radios are off; set it to \"always\"")) }
    if let planFault { degrade(planFault.sentence) }
    if let unheard { degrade(unheard.sentence) }
    if let words = troubles?.words { degrade(Sentence(words)) }
    // Before what the broker and the outbox lack: whoever restarts the gateway to mend that must know.
    if isFileWrong { degrade(Sentence(Self.wrongFile)) }
    if isHung { degrade(Sentence(Self.hung)) }
    if let late {
      var reason = Sentence("a disk does not answer: ")
      reason.append(late.words)
      degrade(reason)
    }
    for index in conditions.indices.reversed() {
      guard let trouble = conditions[index].trouble else { continue }
      if trouble == .misplaced, misplaced.indices.contains(index), let words = misplaced[index] {
        degrade(words)
        continue
      }
      var reason = Sentence("radio ")
      reason.append(report.radios[index].name)
      reason.append(": ")
      reason.append(trouble.sentence)
      degrade(reason)
    }
    return report
  }

  /// A radio that does not listen does not transmit either.
  private mutating func composeTransmits() {
    let isOff = !(conditions.first?.isListening ?? false)
    for index in transmits.indices.reversed() {
      report.transmits[index] = isOff ? .init(transmits[index].report.kind) : transmits[index].report
      if !isOff && transmits[index].report.state == .refused { degrade(transmits[index].refusal) }
    }
  }

  /// The last call has the last word.
  private mutating func degrade(_ reason: Sentence) {
    if report.state == .degraded { report.reasonsLeftOut += 1 }
    report.state = .degraded
    report.reason = reason
  }
}

extension StatusReport {
  /// What `systemctl status` shows.
  var summary: Sentence {
    var words = Sentence(state.name)
    if reason.isEmpty { return words }
    words.append(": ")
    words.append(reason)
    if reasonsLeftOut > 0 { words.append(" (and more)") }
    return words
  }
}
