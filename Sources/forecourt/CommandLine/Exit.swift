/// How a command ends. The numbers are those of sysexits.h; scripts rely on them.
enum Exit: Int32, Error {
  case done = 0
  case failed = 1
  case usage = 64
  case unreadable = 65
  case unavailable = 69
  case forbidden = 77
  case configuration = 78

  var meaning: String {
    switch self {
    case .done: "Done."
    case .failed: "Failed while running, or the system could not read a file."
    case .usage: "The command line is wrong."
    case .unreadable: "A capture cannot be read, or only in part."
    case .unavailable: "An adapter or the broker is needed and not there."
    case .forbidden: "A permission is missing."
    case .configuration: "The configuration is missing or wrong."
    }
  }
}
