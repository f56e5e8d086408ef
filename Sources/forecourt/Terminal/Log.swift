import Core
import Host

/// Words about the gateway's own doings, a line each on standard error, where systemd's journal finds them.
struct Log: Sendable {
  private let settings: LogSettings

  init(_ settings: LogSettings) { self.settings = settings }

  func say(_ level: LogSettings.Level, _ sentence: String) {
    guard level.rawValue <= settings.level.rawValue else { return }
    switch settings.format {
    case .text: sayUnheard("forecourt: " + sentence)
    case .json: sayUnheard("{\"level\":\"\(level.name)\",\"message\":\(json(sentence))}")
    }
  }

  /// For the courier, which speaks in Core's texts.
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
