import CLinux
import Core

extension Examined {
  static var clock: Examined {
    let moment = Moment.now()
    guard let wall = moment.wall else {
      return Examined(
        "clock", .doubtful, "is not set: events will say \"at\":null, EIDs cannot be resolved: timedatectl set-ntp true, or date --set")
    }
    var text = Text<40>()
    WallClock(started: .zero, epoch: 0).write(Instant(microseconds: wall), to: &text)
    let written = String(text)
    if moment.trustedWall == nil {
      return Examined("clock", .doubtful, "says \(written), but is neither synchronised nor kept by a battery: timedatectl set-ntp true")
    }
    return Examined("clock", .good, "says \(written)")
  }

  /// An event takes about half a kilobyte, the journal beside it as much again.
  private static let bytesPerEvent = 1_024

  static func outbox(_ settings: OutboxSettings) -> [Examined] {
    let file = Path(settings.path)
    let folder = Path(folder(of: settings.path))
    guard Files.isFolder(folder) else {
      return [Examined("outbox", .bad(.other), "\(settings.path): its folder does not exist: mkdir -p \(String(folder))")]
    }
    let place = Files.exists(file) ? file : folder
    guard Files.isWritable(place), Files.isWritable(folder) else {
      return [
        Examined(
          "outbox", .bad(.forbidden),
          "\(settings.path): this user may not write there: once as root: chown the user that runs forecourt \(String(folder))")
      ]
    }
    var found = [Examined("outbox", .good, "\(settings.path): can be written")]
    guard let free = Files.freeBytes(folder) else { return found }
    let wanted = Int64(settings.maxEvents * bytesPerEvent)
    let room = "\(free / 1_048_576) MB are free"
    if free < 1_048_576 {
      found.append(Examined("disk", .bad(.other), "\(room) at \(String(folder)): events will be held in memory and be lost with it"))
    } else if free < wanted {
      found.append(
        Examined(
          "disk", .doubtful, "\(room), and max_events = \(settings.maxEvents) may take \(wanted / 1_048_576) MB: fewer, or another place"))
    } else {
      found.append(Examined("disk", .good, room))
    }
    return found
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }
}
