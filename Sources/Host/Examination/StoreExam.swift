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
      return Examined(
        "clock", .doubtful,
        "says \(written), but nothing has synchronised it: the times in events may be wrong, and those from before a power cut wait: "
          + "timedatectl set-ntp true")
    }
    return Examined("clock", .good, "says \(written)")
  }

  /// An event takes about half a kilobyte, and as much again in the log.
  private static let bytesPerEvent = 1_024

  /// `user`: whose rights this thread has. `isInUse`: a gateway with this outbox runs.
  static func outbox(_ host: HostSettings, as user: String, isInUse: Bool = false) -> [Examined] {
    let settings = host.outbox
    let (file, path) = (settings.path, String(settings.path))
    let folder = Path(FileSystem.folder(of: path))
    guard FileSystem.isFolder(folder) else {
      return [Examined("outbox", .bad(.other), "\(path): its folder does not exist: mkdir -p \(String(folder))")]
    }
    if FileSystem.isFolder(file) {
      return [Examined("outbox", .bad(.other), "\(path): is a folder, not a file: outbox.path names a file")]
    }
    if FileSystem.isSpecial(path) {
      return [Examined("outbox", .bad(.other), "\(path): \(FileRefusal(.special).sentence): outbox.path names a file")]
    }
    let place = FileSystem.exists(file) ? file : folder
    guard FileSystem.isWritable(place), FileSystem.isWritable(folder) else {
      if FileSystem.isReadOnly(place) || FileSystem.isReadOnly(folder) {
        let words = "its file system is read-only: dmesg says why; if it tells of errors, the card or the disk fails"
        return [Examined("outbox", .bad(.other), "\(path): \(words)")]
      }
      let named = FileSystem.isWritable(folder) ? file : folder
      return [
        Examined("outbox", .bad(.forbidden), "\(path): \(user) may not write there: once as root: chown \(user) \(String(named))")
      ]
    }
    if let name = foreign(host) {
      return [Examined("outbox", .bad(.forbidden), "\(name): belongs to somebody else: once as root: chown \(user) \(name)")]
    }
    let found = isInUse ? held(path) : contents(of: path, file)
    return FileSystem.freeBytes(folder).map { [found, disk(free: $0, at: String(folder), settings)] } ?? [found]
  }

  static func disk(free: Int64, at folder: String, _ settings: OutboxSettings) -> Examined {
    let wanted = Int64(settings.maxEvents) * Int64(bytesPerEvent)
    let room = "\(free / 1_048_576) MB are free"
    if free < 1_048_576 {
      return Examined("disk", .bad(.other), "\(room) at \(folder): events will be held in memory and be lost with it")
    }
    if free < wanted {
      return Examined(
        "disk", .doubtful, "\(room), and max_events = \(settings.maxEvents) may take \(wanted / 1_048_576) MB: fewer, or another place")
    }
    return Examined("disk", .good, room)
  }

  /// A file there that another user's run has left.
  private static func foreign(_ host: HostSettings) -> String? {
    let path = String(host.outbox.path)
    for name in [path + "-wal", path + "-shm", SideFiles.path(LearntFile.name, beside: path)] where FileSystem.exists(Path(name)) {
      if !FileSystem.isWritable(Path(name)) { return name }
    }
    for name in [host.idFile, host.saltFile] where FileSystem.exists(Path(name)) && !FileSystem.isReadable(Path(name)) { return name }
    return nil
  }

  /// It is a gateway's own as a rule, but nothing tells whose: a second one gets no place here.
  private static func held(_ path: String) -> Examined {
    let words = "\(path): a running gateway has it; a second one would keep its events in memory, and lose them with it"
    if gatewayRuns { return Examined("outbox", .good, words + ": if forecourt.service is that second one, stop the first") }
    return Examined("outbox", .doubtful, words + ": if it is not this configuration's, stop it, or name another outbox.path")
  }

  /// A gateway sets aside what it cannot read, but no other program's database. SQLite must not open the file here: that would leave files
  /// beside it, perhaps with another owner.
  private static func contents(of path: String, _ file: Path) -> Examined {
    let good = Examined("outbox", .good, "\(path): can be written")
    guard FileSystem.exists(file), !FileSystem.isEmpty(file) else { return good }
    do throws(CaptureFault) {
      var source = try CaptureSource.opened(path, orPipe: false)
      if try source.has(16), Text<16>(source.bytes(16)) == Text<16>("SQLite format 3\0" as StaticString) {
        guard try source.has(72) else { return good }
        if isForeign(source.bytes(72), hasLog: FileSystem.exists(Path(path + "-wal"))) {
          return Examined(
            "outbox", .bad(.other),
            "\(path): is some other program's database: events will be held in memory and be lost with it; outbox.path names another file")
        }
        // The version of its tables.
        guard source.bytes(72).big32(at: 60) > UInt32(Schema.version) else { return good }
        return Examined(
          "outbox", .doubtful,
          "\(path): a newer version wrote it: the gateway will set it aside until such a one runs again, and start a new one")
      }
    } catch {}
    return Examined("outbox", .doubtful, "\(path): is no outbox: the gateway will set it aside and start a new one")
  }

  /// SQLite's header has the number of the program that made the file, and how often tables have changed: a new outbox may have both in the
  /// log alone.
  private static func isForeign(_ header: RawSpan, hasLog: Bool) -> Bool {
    let owner = header.big32(at: 68)
    return owner != UInt32(Schema.owner) && (owner != 0 || !hasLog && header.big32(at: 40) != 0)
  }
}
