import Core
import Host

/// How the radios and the courier are, put into one `status`; told again whenever it changed.
struct StatusPublisher {
  private var report = StatusReport()
  private var isNews = true
  private var troubles: Troubles?
  private let adapters: [Adapter]
  private var late: DiskThread.Job?
  private var conditions: [Condition]
  /// Of each radio: the minute's lines, and how many more there would have been.
  private var chatter: [(since: Instant, lines: Int, unsaid: Int)]
  /// Of each transmission: what was told of it last, and why it is refused.
  private var voices: [(heard: StatusReport.Transmit, refusal: Sentence)] = []
  private var hasListened = false
  /// Who of the site is not heard.
  private var unheard: Unheard?
  /// Whether the broker was there when the courier was last asked; the machine believes the same.
  private(set) var isOnline = false

  init(_ settings: borrowing Settings, _ boot: Text<16>, _ radios: [Radio], _ adapters: [Adapter]) {
    self.adapters = adapters
    conditions = radios.map { _ in .opening }
    chatter = radios.map { _ in (.zero, 0, 0) }
    report.version = Text(release)
    report.boot = Name(boot.bytes)
    for radio in radios { _ = report.radios.append(.init(name: radio.name, state: Name(Condition.opening.name))) }
    for index in settings.transmissions.indices { voices.append((.init(settings.transmissions[index].kind), Sentence())) }
    if settings.peer.serve { voices.append((.init(nil), Sentence())) }
    for voice in voices { _ = report.transmits.append(voice.heard) }
    adopt(settings)
  }

  mutating func adopt(_ settings: borrowing Settings) {
    report.purpose = settings.gateway.purpose
    report.simulated = settings.gateway.simulated
    report.groups = settings.groups
    report.isAuthenticated = settings.site.isAuthenticated
    if settings.groups.isEmpty { (report.site, unheard) = (nil, nil) } else { report.site = report.site ?? StatusReport.Site() }
    isNews = true
  }

  /// What a disk has kept waiting for too long.
  mutating func waits(for job: DiskThread.Job?) {
    if job != late { isNews = true }
    late = job
  }

  mutating func tellAgain() { isNews = true }

  /// How the neighbours hear us; the words for the log, when there is news.
  mutating func heard(_ hearing: SiteHearing) -> (level: LogSettings.Level, sentence: String)? {
    guard var site = report.site, hearing.unheard != unheard || hearing.heard != site.heard || hearing.missing != site.missing else {
      return nil
    }
    let before = unheard
    (site.heard, site.missing) = (hearing.heard, hearing.missing)
    (unheard, report.site, isNews) = (hearing.unheard, site, true)
    guard unheard != before else { return nil }
    guard let unheard else { return (.info, "every neighbour that matters is heard again, and hears us") }
    return (.warning, String(unheard.sentence))
  }

  /// Whether that is news. A connection lost the retained status to the will: it is told again.
  mutating func connected(_ isOnline: Bool) -> Bool {
    guard isOnline != self.isOnline else { return false }
    if isOnline { isNews = true }
    self.isOnline = isOnline
    return true
  }

  private static let minute = Interval.seconds(60)
  private static let linesAMinute = 10

  /// The words for the log, when there is news; a radio that comes and goes all the time has so many a minute.
  mutating func reported(_ news: Radio.Status, radio: Int) -> (level: LogSettings.Level, sentence: String)? {
    guard var words = words(of: news, radio: radio) else { return nil }
    let unsaid = chatter[radio].unsaid
    if news.at - chatter[radio].since >= Self.minute { chatter[radio] = (news.at, 0, 0) }
    guard chatter[radio].lines < Self.linesAMinute else {
      chatter[radio].unsaid += 1
      return nil
    }
    chatter[radio].lines += 1
    if unsaid > 0, chatter[radio].lines == 1 { words.sentence += " (\(unsaid) changes before this one were not told here)" }
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
    return news.condition == before ? nil : (.info, "radio \(name): " + String(Text<16>(news.condition.name)))
  }

  /// What a radio tells of what it sends; `sentence` is the log's.
  mutating func noted(_ news: PeerNews, _ sentence: String) {
    switch news {
    case .sends(let transmission, let power): note(transmission, .on, power, Sentence())
    case .withheld(let transmission, _, _): note(transmission, .refused, nil, Sentence(sentence))
    case .identified, .stranger, .failed, .offers, .level: break
    }
  }

  private mutating func note(_ transmission: UInt8, _ state: StatusReport.Transmit.State, _ power: Int8?, _ refusal: Sentence) {
    let place = transmission == PeerNews.ownServices ? voices.count - 1 : Int(transmission)
    // A recording may tell of beacons that this configuration does not have.
    guard voices.indices.contains(place), (voices[place].heard.kind == nil) == (transmission == PeerNews.ownServices) else { return }
    (voices[place].heard.state, voices[place].heard.power, voices[place].refusal) = (state, power, refusal)
    isNews = true
  }

  /// Set when every radio has failed for good and none has ever listened.
  var lastingTrouble: Trouble? {
    guard !hasListened, !conditions.isEmpty else { return nil }
    for condition in conditions { if !(condition.trouble?.isLasting ?? false) { return nil } }
    return conditions[0].trouble
  }

  /// The status, if it says something new.
  mutating func news(_ troubles: Troubles?, _ authorization: Authorization) -> StatusReport? {
    guard isNews || troubles != self.troubles || authorization != report.authorization else { return nil }
    isNews = false
    self.troubles = troubles
    report.authorization = authorization
    report.state = .online
    report.reason = Sentence()
    tellVoices()
    if let unheard { degrade(unheard.sentence) }
    if let words = troubles?.words { degrade(Sentence(words)) }
    if let late {
      var reason = Sentence("a disk does not answer: ")
      reason.append(late.words)
      degrade(reason)
    }
    for index in conditions.indices.reversed() {
      guard let trouble = conditions[index].trouble else { continue }
      var reason = Sentence("radio ")
      reason.append(report.radios[index].name)
      reason.append(": ")
      reason.append(trouble.sentence)
      degrade(reason)
    }
    return report
  }

  /// A radio that does not listen does not send either.
  private mutating func tellVoices() {
    let isOff = !(conditions.first?.isListening ?? false)
    for index in voices.indices.reversed() {
      report.transmits[index] = isOff ? .init(voices[index].heard.kind) : voices[index].heard
      if !isOff && voices[index].heard.state == .refused { degrade(voices[index].refusal) }
    }
  }

  private mutating func degrade(_ reason: Sentence) {
    report.state = .degraded
    report.reason = reason
  }
}

extension Unheard {
  /// What is wrong, what follows, what to do.
  var sentence: Sentence {
    var words = Sentence()
    switch self {
    case .ourselves:
      words.append("our own claims do not come back: nobody in a group fires here; the broker's access list must allow claim/#, to read ")
      words.append("and to write; forecourt check tells more")
    case .neighbour(let name):
      words.append("neighbour ")
      words.append(name)
      words.append(" is not heard: nobody in its groups fires here; start it, or send forget-neighbour, or take it off [site] gateways")
    case .oneWay(let name):
      words.append("neighbour ")
      words.append(name)
      words.append(" does not hear us: nobody in its groups fires here; see its log, and the broker's access list")
    }
    return words
  }
}

extension StatusReport {
  /// What `systemctl status` shows.
  var summary: Sentence {
    var words = Sentence(state.name)
    if reason.isEmpty { return words }
    words.append(": ")
    words.append(reason)
    return words
  }
}
