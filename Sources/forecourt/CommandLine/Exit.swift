/// How a command ends. The numbers are those of sysexits.h, and part of the contract.
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
    case .failed: "Failed while running."
    case .usage: "The command line is wrong."
    case .unreadable: "A capture cannot be read, or not to its end."
    case .unavailable: "There is no adapter or no broker where one is required."
    case .forbidden: "A permission is missing."
    case .configuration: "The configuration is missing or wrong."
    }
  }
}
