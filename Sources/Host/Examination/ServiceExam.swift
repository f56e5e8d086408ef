import Core

extension Examined {
  /// What the shipped unit (deploy/systemd/forecourt.service) leaves the service of the file system, and where drop-ins may allow more.
  struct ServiceView {
    static let ownFolder = "/var/lib/forecourt"

    var state = Self.ownFolder
    var user = "forecourt"
    /// What ProtectHome= hides, and what PrivateTmp= does.
    var homes = ["/home", "/root", "/run/user"]
    var hidden = ["/tmp", "/var/tmp"]
    /// Where systemd looks for the unit, and for its drop-ins in a folder of its name with .d: a file takes the place of one of the same name
    /// in the folders before. `systemctl edit forecourt` writes to the last.
    var folders = ["/usr/lib/systemd/system", "/run/systemd/system", "/etc/systemd/system"]
    var isClockTheKernels = Clock.isTheKernels
    var root = Examined.gatewaysRoot

    /// A folder in which the service may write when it starts. If it, or that leave, is newer, the running one has another, or only reads.
    fileprivate func isNew(_ folder: String) -> Bool {
      guard let root, FileSystem.isFolder(Path(root)), let ours = FileSystem.imprint(of: Path(folder)) else { return false }
      let seen = Path(root + folder)
      guard let its = FileSystem.imprint(of: seen) else { return !seen.overflowed }
      return !its.isSameFile(as: ours) || FileSystem.isReadOnly(seen) && !FileSystem.isReadOnly(Path(folder))
    }

    /// The unit, then the drop-ins in the order in which systemd reads them: by their names alone.
    fileprivate var files: [String] {
      var dropIns: [String] = []
      for folder in folders {
        for path in FileSystem.files(in: folder + "/forecourt.service.d", ending: ".conf") {
          var place = 0
          while place < dropIns.count, FileSystem.isNamed(dropIns[place], before: path) { place += 1 }
          if place < dropIns.count, !FileSystem.isNamed(path, before: dropIns[place]) {
            dropIns[place] = path
          } else {
            dropIns.insert(path, at: place)
          }
        }
      }
      for folder in folders.reversed() where FileSystem.exists(Path(folder + "/forecourt.service")) {
        return [folder + "/forecourt.service"] + dropIns
      }
      return dropIns
    }
  }

  /// Where the unit keeps the service from writing although this user may. The service finds its configuration by an absolute name, so a
  /// relative path is not its own. `owner`: whose rights the files were judged with.
  static func service(
    _ settings: borrowing Settings, _ host: HostSettings, as owner: String, _ view: ServiceView = ServiceView()
  ) -> [Examined] {
    var written = [("outbox.path", String(host.outbox.path))]
    for file in Self.written(settings, host) where !file.isSecret || !FileSystem.exists(Path(file.path)) {
      written.append((file.key, file.path))
    }
    var grants = Grants()
    let files = view.files
    for file in files { grants.read(file) }
    let hidden = view.hidden + (grants.hidesHomes ? view.homes : [])
    var found: [Examined] = []
    if view.isClockTheKernels, !files.isEmpty, !grants.showsClock { found.append(Examined("service", .doubtful, clockHidden)) }
    for (key, path) in written where path.bytes.first == UInt8(ascii: "/") && !FileSystem.isFolder(Path(path)) {
      let named = FileSystem.folder(of: path)
      let folder = FileSystem.real(named) ?? named
      let isOwn = isIn(folder, FileSystem.real(view.state) ?? view.state)
      let hiding = isOwn ? nil : hidden.first(where: { isIn(folder, $0) })
      if isOwn || hiding == nil && grants.allow(folder, isHome: view.homes.contains { isIn(folder, $0) }) {
        guard same(key, "outbox.path"), view.isNew(folder) else { continue }
        let words =
          "\(path): the running forecourt.service cannot write there, for the folder, or leave to write there, came later: "
          + "systemctl restart forecourt"
        found.append(Examined("service", .doubtful, words))
        continue
      }
      if let hiding {
        let words = "\(path): forecourt.service does not see this machine's \(hiding): leave \(key) out, or name a folder elsewhere"
        found.append(Examined("service", .doubtful, words))
        continue
      }
      let ownership = same(owner, view.user) ? "" : "; the folder must be \(view.user)'s own"
      let words =
        "\(path): forecourt.service may write only below \(view.state): leave \(key) out; or systemctl edit forecourt: "
        + "ReadWritePaths=\(named) below [Service]\(ownership)"
      found.append(Examined("service", .doubtful, words))
    }
    return found
  }

  private static var clockHidden: String {
    "forecourt.service cannot see whether the clock is synchronised: no systemd-timesyncd says so in a file, and chrony and ntpd tell only "
      + "the kernel; events that expire wait after a power cut: systemctl edit forecourt: ProtectClock=no and "
      + "SystemCallFilter=adjtimex clock_adjtime clock_adjtime64 below [Service]"
  }

  /// What unit files let the service do, read one after another: each may take back what those before it said.
  private struct Grants {
    private var paths: [String] = []
    private(set) var showsClock = false
    private var isStrict = true
    private var opensHomes = false
    private(set) var hidesHomes = true
    private static let open = ["no", "false", "off", "0"]

    mutating func read(_ file: String) {
      guard let read = try? File(reading: file, atMost: Limits.configurationBytes) else { return }
      for line in read.bytes.split(separator: 0x0A) {
        let line = String(decoding: trimmed(line), as: UTF8.self)
        if let value = line.rest(after: "ProtectSystem=") { isStrict = same(value, "strict") }
        if let value = line.rest(after: "ProtectClock=") { showsClock = Self.open.contains { same(value, $0) } }
        // What is open may still be for reading only: ProtectSystem= decides that.
        if let value = line.rest(after: "ProtectHome=") {
          opensHomes = Self.open.contains { same(value, $0) }
          hidesHomes = !opensHomes && !same(value, "read-only")
        }
        // An empty value takes back what stands above.
        if same(line, "ReadWritePaths=") { paths = [] }
        guard let value = line.rest(after: "ReadWritePaths=") else { continue }
        for word in value.bytes.split(separator: UInt8(ascii: " ")) {
          // - and + say what happens without the folder, and below which root it lies.
          paths.append(String(decoding: word.drop { "-+\"".bytes.contains($0) }.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
        }
      }
    }

    func allow(_ folder: String, isHome: Bool) -> Bool {
      !isStrict && (opensHomes || !isHome) || paths.contains { isIn(folder, FileSystem.real($0) ?? $0) }
    }
  }
}

/// Whether the first path is the second, or lies below it. Both without a slash at the end, unless it is all.
private func isIn(_ path: String, _ folder: String) -> Bool {
  guard let rest = path.rest(after: folder) else { return same(path, folder) }
  return rest.bytes.first == UInt8(ascii: "/") || same(folder, "/")
}
