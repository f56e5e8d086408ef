import CLinux

/// Why a file could not be read or written.
package struct FileRefusal: Error {
  package enum Reason {
    case missing
    case forbidden
    case folder
    /// A pipe, a device, a socket: reading may never end, and opening may have effects.
    case special
    case tooLarge(Int)
    /// A file is there already, or the .part file of an unfinished run.
    case taken
    case unfinished
    case noRoom(Int)
    case system(Int32)
  }
  package let reason: Reason
  package var isForbidden: Bool { if case .forbidden = reason { true } else { false } }
  /// The system failed, which may pass: no editor helps.
  package var isPassing: Bool {
    if case .system(let code) = reason { code != ELOOP && code != ENAMETOOLONG } else { false }
  }
  private var isWritten = false

  /// As it follows a file's name: "cannot be read: permission denied".
  package var sentence: String {
    switch reason {
    case .missing: isWritten ? "cannot be written: its folder does not exist" : "does not exist"
    case .forbidden: "cannot be \(verb) by this user: permission denied"
    case .folder: "is a folder, not a file"
    case .special: "is a pipe or a device, not a file"
    case .taken: "is there already: name another file, or replace it with --force"
    case .unfinished: "has a .part file beside it, which another run writes or left behind: move that away, or replace it with --force"
    case .tooLarge(let limit): "is longer than the \(limit) bytes that are read"
    case .noRoom(let least): "is not written: less than \(least) MB would be left on this disk for events"
    case .system(let code): "cannot be \(verb): " + systemWords(code)
    }
  }

  private var verb: String { isWritten ? "written" : "read" }

  init(_ reason: Reason) { self.reason = reason }

  init(errno code: Int32) {
    switch code {
    case ENOENT, ENOTDIR: self.init(.missing)
    case EACCES, EPERM: self.init(.forbidden)
    case EISDIR: self.init(.folder)
    default: self.init(.system(code))
    }
  }

  /// For a file that was to be written.
  init(writing code: Int32) {
    self.init(errno: code)
    isWritten = true
  }
}

/// What the system calls an error.
package func systemWords(_ code: Int32) -> String {
  // SAFETY: strerror answers every number with a terminated text; it is copied before anything else can ask.
  unsafe String(cString: strerror(code))
}

/// The variable's value; nil if it is missing or empty.
package func environment(_ name: StaticString) -> String? {
  // SAFETY: the literal is terminated; nothing here changes the environment, so the answer stays while it is copied.
  guard let value = unsafe getenv(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) else { return nil }
  let text = unsafe String(cString: value)
  return text.isEmpty ? nil : text
}

/// Whether a String can hold the variable; it would be another word otherwise.
func isText(environment name: StaticString) -> Bool {
  // SAFETY: as above.
  guard let value = unsafe getenv(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) else { return true }
  return unsafe String(cString: value).withCString { unsafe strcmp($0, value) } == 0
}

/// What a path names.
enum FileKind {
  case file, folder, pipe, other

  init(_ status: stat) {
    switch status.st_mode & mode_t(S_IFMT) {
    case mode_t(S_IFREG): self = .file
    case mode_t(S_IFDIR): self = .folder
    case mode_t(S_IFIFO): self = .pipe
    default: self = .other
    }
  }

  init(of path: String) throws(FileRefusal) {
    var status = stat()
    // SAFETY: the name is terminated and lives while it is used; the system fills the structure that it is lent.
    guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else { throw FileRefusal(errno: linux_errno()) }
    self.init(status)
  }

  func mustBeFile(orPipe: Bool = false) throws(FileRefusal) {
    switch self {
    case .file: break
    case .folder: throw FileRefusal(.folder)
    case .pipe where orPipe: break
    case .pipe, .other: throw FileRefusal(.special)
    }
  }
}

/// The bytes of a file, and who may read it.
package struct File {
  package let bytes: [UInt8]
  package let mode: UInt32
  package let isOwnedByRoot: Bool
  package let hasOwnGroup: Bool

  package init(reading path: String, atMost limit: Int) throws(FileRefusal) {
    // Check before opening, which has effects on some devices, and again after: it may be another file by then.
    try FileKind(of: path).mustBeFile()
    // SAFETY: the name is terminated and lives while it is used.
    let descriptor = unsafe path.withCString { name in unsafe linux_open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { throw FileRefusal(errno: linux_errno()) }
    defer { close(descriptor) }
    var status = stat()
    // SAFETY: the system fills the structure that it is lent.
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileRefusal(errno: linux_errno()) }
    try FileKind(status).mustBeFile()
    guard Int(status.st_size) <= limit else { throw FileRefusal(.tooLarge(limit)) }
    bytes = try Self.contents(of: descriptor, atMost: limit)
    mode = UInt32(status.st_mode) & 0o7777
    isOwnedByRoot = status.st_uid == 0
    hasOwnGroup = status.st_gid != 0
  }

  private static func contents(of descriptor: Int32, atMost limit: Int) throws(FileRefusal) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      // SAFETY: the count is the array's own.
      let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 && linux_errno() == EINTR { continue }
      guard count > 0 else { throw FileRefusal(errno: linux_errno()) }
      guard bytes.count + count <= limit else { throw FileRefusal(.tooLarge(limit)) }
      bytes.append(contentsOf: piece[0..<count])
    }
  }
}
