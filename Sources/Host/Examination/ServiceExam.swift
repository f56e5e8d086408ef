import Core

extension Examined {
  /// What the shipped unit (deploy/systemd/forecourt.service) leaves the service of the file system, and where drop-ins may allow more.
  struct ServiceView {
    var state = "/var/lib/forecourt"
    var user = "forecourt"
    /// What ProtectHome= hides, and what PrivateTmp= does.
    var homes = ["/home", "/root", "/run/user"]
    var hidden = ["/tmp", "/var/tmp"]
    /// A copy of the unit that takes the shipped one's place; the drop-ins, of which `systemctl edit forecourt` writes one, lie in a folder
    /// of its name with .d.
    var unit = "/etc/systemd/system/forecourt.service"
  }

  /// Where the unit keeps the service from writing although this user may. The service finds its configuration by an absolute name, so a
  /// relative path is not its own. `owner`: whose rights the files were judged with.
  static func service(
    _ settings: borrowing Settings, _ host: HostSettings, as owner: String, _ view: ServiceView = ServiceView()
  ) -> [Examined] {
    var written = [("outbox.path", String(host.outbox.path))]
    if let file = host.metricsFile { written.append(("metrics_file", file)) }
    // These are made once, and only read from then on.
    if settings.peer.serve, !FileSystem.exists(Path(host.idFile)) { written.append(("id_file", host.idFile)) }
    if settings.publish.unknown == .hash, !FileSystem.exists(Path(host.saltFile)) { written.append(("salt_file", host.saltFile)) }
    var grants = Grants()
    for file in [view.unit] + FileSystem.files(in: view.unit + ".d", ending: ".conf") { grants.read(file) }
    let hidden = view.hidden + (grants.hidesHomes ? view.homes : [])
    var found: [Examined] = []
    for (key, path) in written where path.bytes.first == UInt8(ascii: "/") {
      let named = FileSystem.folder(of: path)
      let folder = FileSystem.real(named) ?? named
      if isIn(folder, FileSystem.real(view.state) ?? view.state) { continue }
      if let hidden = hidden.first(where: { isIn(folder, $0) }) {
        let words = "\(path): forecourt.service does not see this machine's \(hidden): leave \(key) out, or name a folder elsewhere"
        found.append(Examined("service", .doubtful, words))
        continue
      }
      if grants.allow(folder) { continue }
      let ownership = same(owner, view.user) ? "" : "; the folder must be \(view.user)'s own"
      let words =
        "\(path): forecourt.service may write only below \(view.state): leave \(key) out; or systemctl edit forecourt: "
        + "ReadWritePaths=\(named) below [Service]\(ownership)"
      found.append(Examined("service", .doubtful, words))
    }
    return found
  }

  /// What unit files let the service write, read one after another: each may take back what those before it said.
  private struct Grants {
    private var paths: [String] = []
    private var isStrict = true
    private(set) var hidesHomes = true
    private static let shown = ["no", "false", "off", "0", "read-only"]

    mutating func read(_ file: String) {
      guard let read = try? File(reading: file, atMost: Limits.configurationBytes) else { return }
      for line in read.bytes.split(separator: 0x0A) {
        let line = String(decoding: trimmed(line), as: UTF8.self)
        if let value = line.rest(after: "ProtectSystem=") { isStrict = same(value, "strict") }
        // What is shown may still be for reading only: ProtectSystem= decides that.
        if let value = line.rest(after: "ProtectHome=") { hidesHomes = !Self.shown.contains { same(value, $0) } }
        // An empty value takes back what stands above.
        if same(line, "ReadWritePaths=") { paths = [] }
        guard let value = line.rest(after: "ReadWritePaths=") else { continue }
        for word in value.bytes.split(separator: UInt8(ascii: " ")) {
          // - and + say what happens without the folder, and below which root it lies.
          paths.append(String(decoding: word.drop { "-+\"".bytes.contains($0) }.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
        }
      }
    }

    func allow(_ folder: String) -> Bool { !isStrict || paths.contains { isIn(folder, FileSystem.real($0) ?? $0) } }
  }
}

/// Whether the first path is the second, or lies below it. Both without a slash at the end, unless it is all.
private func isIn(_ path: String, _ folder: String) -> Bool {
  guard let rest = path.rest(after: folder) else { return same(path, folder) }
  return rest.bytes.first == UInt8(ascii: "/") || same(folder, "/")
}
