import Core
import Host

/// How the radios and the courier are, put into one `status`; told again whenever it changed.
struct StatusBoard {
  private var report = StatusReport()
  private var isNews = true
  private var troubles: Troubles?
  private let adapters: [Adapter]
  private var conditions: [Condition]
  private var hasListened = false
  /// Whether the broker was there when the courier was last asked; the machine believes the same.
  private(set) var isOnline = false

  init(_ settings: borrowing Settings, _ boot: Text<16>, _ radios: [Radio], _ adapters: [Adapter]) {
    self.adapters = adapters
    conditions = radios.map { _ in .opening }
    report.version = Text(release)
    report.boot = Name(boot.bytes)
    for radio in radios { _ = report.radios.append(.init(name: radio.name, state: Name(Condition.opening.name))) }
    adopt(settings)
  }

  mutating func adopt(_ settings: borrowing Settings) {
    report.purpose = settings.gateway.purpose
    report.simulated = settings.gateway.simulated
    report.groups = settings.groups
    isNews = true
  }

  /// Whether that is news. A connection lost the retained status to the will: it is told again.
  mutating func connected(_ isOnline: Bool) -> Bool {
    guard isOnline != self.isOnline else { return false }
    if isOnline { isNews = true }
    self.isOnline = isOnline
    return true
  }

  /// The words for the log, when there is news.
  mutating func reported(_ news: Radio.Report, radio: Int) -> (level: LogSettings.Level, sentence: String)? {
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
    if let words = troubles?.words { degrade(Sentence(words)) }
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

  private mutating func degrade(_ reason: Sentence) {
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
    return words
  }
}
