import Core
import Host
import Synchronization

/// The daemon's log: a line each on standard error, where systemd's journal picks them up. All threads share it, so that a reload reaches
/// each of them.
final class Log: Sendable {
  private let most: Atomic<Int>
  private let isJSON: Atomic<Bool>
  /// Then each line begins with its priority, which the journal takes off: sd-daemon(3).
  private let isJournal = isErrorJournal()

  init(_ settings: LogSettings) {
    most = Atomic(settings.level.rawValue)
    isJSON = Atomic(settings.format == .json)
  }

  func reload(_ configuration: borrowing Configuration) {
    most.store(configuration.host.log.level.rawValue, ordering: .relaxed)
    isJSON.store(configuration.host.log.format == .json, ordering: .relaxed)
  }

  func say(_ level: LogSettings.Level, _ sentence: String) {
    guard level.rawValue <= most.load(ordering: .relaxed) else { return }
    let priority = isJournal ? level.priority : ""
    if isJSON.load(ordering: .relaxed) {
      sayOrDrop("\(priority){\"level\":\"\(level.name)\",\"message\":\(json(sentence))}")
    } else {
      sayOrDrop(priority + "forecourt: " + sentence)
    }
  }

  /// For the courier, whose words are Core's texts.
  var courier: CourierLog {
    { severity, words in
      let level: LogSettings.Level =
        switch severity {
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
      self.say(level, String(words))
    }
  }
}

extension LogSettings.Level {
  fileprivate var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// syslog(3)
  fileprivate var priority: String {
    switch self {
    case .error: "<3>"
    case .warning: "<4>"
    case .info: "<6>"
    case .debug: "<7>"
    }
  }
}
