import Core
import Host

/// The daemon's log: a line each on standard error, where systemd's journal picks them up.
struct Log: Sendable {
  private var settings: LogSettings

  init(_ settings: LogSettings) { self.settings = settings }

  mutating func reload(_ configuration: borrowing Configuration) { settings = configuration.host.log }

  func say(_ level: LogSettings.Level, _ sentence: String) {
    guard level.rawValue <= settings.level.rawValue else { return }
    switch settings.format {
    case .text: sayOrDrop("forecourt: " + sentence)
    case .json: sayOrDrop("{\"level\":\"\(level.name)\",\"message\":\(json(sentence))}")
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
      say(level, String(words))
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
}
