import CLinux
import Core

/// What we ask of the file system.
package enum FileSystem {
  // SAFETY: here and below a path is lent with its zero, and the system keeps nothing of it.
  package static func exists(_ path: Path) -> Bool { unsafe path.withCString { unsafe access($0, F_OK) } == 0 }
  package static func isReadable(_ path: Path) -> Bool { unsafe path.withCString { unsafe linux_may($0, R_OK) } == 0 }
  static func isWritable(_ path: Path) -> Bool { unsafe path.withCString { unsafe linux_may($0, W_OK) } == 0 }

  /// How many bytes this user may still write; nil if unknown.
  static func freeBytes(_ path: Path) -> Int64? {
    // SAFETY: as above.
    let bytes = unsafe path.withCString { unsafe linux_free_bytes($0) }
    return bytes < 0 ? nil : bytes
  }

  static func isReadOnly(_ path: Path) -> Bool { unsafe path.withCString { unsafe linux_is_read_only($0) } != 0 }

  /// When it was last written, in microseconds since 1970; nil if there is no file.
  static func written(_ path: Path) -> Int64? {
    var status = stat()
    // SAFETY: the call fills the structure, which is ours.
    guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1_000
  }

  package static func isFolder(_ path: Path) -> Bool {
    var status = stat()
    // SAFETY: the call fills the structure, which is ours.
    return unsafe path.withCString { unsafe stat($0, &status) } == 0 && status.st_mode & 0o170_000 == 0o040_000
  }

  /// Identifies a file and its last change.
  struct Imprint: Equatable {
    let device, inode: UInt64
    let size, seconds, nanoseconds: Int64

    func isSameFile(as other: Imprint) -> Bool { device == other.device && inode == other.inode }
  }

  /// nil if there is no file.
  static func imprint(of path: Path) -> Imprint? {
    var status = stat()
    // SAFETY: the call fills the structure, which is ours.
    guard unsafe path.withCString({ unsafe stat($0, &status) }) == 0 else { return nil }
    return Imprint(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int64(status.st_mtim.tv_sec),
      nanoseconds: Int64(status.st_mtim.tv_nsec))
  }

  /// Does nothing if there is no file.
  package static func remove(_ path: Path) {
    // SAFETY: as above.
    _ = unsafe path.withCString { unsafe unlink($0) }
  }
  /// Throws if the path names something else than a file, where opening could block, or one that this user may not read.
  package static func mustBeFile(_ path: String) throws(FileRefusal) {
    do throws(FileRefusal) { try FileKind(of: path).mustBeFile() } catch {
      if case .missing = error.reason { return }
      throw error
    }
    if !isReadable(Path(path)) { throw FileRefusal(.forbidden) }
  }

  static func isEmpty(_ path: Path) -> Bool {
    var status = stat()
    // SAFETY: the call fills the structure, which is ours.
    return unsafe path.withCString { unsafe stat($0, &status) } == 0 && status.st_size == 0
  }

  /// Atomically: whoever opens the path sees either the old file or the new one. 0 or the errno.
  static func replace(_ path: String, by new: String) -> CInt {
    // SAFETY: as above.
    unsafe new.withCString { from in unsafe path.withCString { to in unsafe CLinux.rename(from, to) } } == 0 ? 0 : linux_errno()
  }

  /// The same, unless a file is there by now.
  static func renameIfFree(_ new: String, to path: String) -> CInt {
    // SAFETY: as above.
    unsafe new.withCString { from in unsafe path.withCString { to in unsafe linux_rename_new(from, to) } } == 0 ? 0 : linux_errno()
  }

  static func remove(_ path: String) {
    // SAFETY: as above.
    _ = unsafe path.withCString { unsafe unlink($0) }
  }

  /// A rename survives a power cut only if the folder is synced, too.
  static func syncFolder(of path: String) {
    // SAFETY: as above.
    let descriptor = unsafe folder(of: path).withCString { unsafe linux_open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// The path without links, dots and a slash at the end; nil if it leads nowhere.
  package static func real(_ path: String) -> String? {
    // SAFETY: as above; the system's text is terminated, copied, and given back.
    guard let real = unsafe path.withCString({ unsafe realpath($0, nil) }) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Their paths, in the order of their names.
  static func files(in folder: String, ending: String) -> [String] {
    // SAFETY: the structure is ours; what the call allots there is copied, and given back.
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    let pattern = folder + "/*" + ending
    guard unsafe pattern.withCString({ unsafe glob($0, 0, nil, &found) }) == 0 else { return [] }
    var paths: [String] = []
    for index in unsafe 0..<Int(found.gl_pathc) {
      // SAFETY: as above; so many were found.
      if let path = unsafe found.gl_pathv[index] { paths.append(unsafe String(cString: path)) }
    }
    return paths
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// By the bytes of their names alone, wherever they lie.
  static func isNamed(_ path: String, before other: String) -> Bool {
    name(of: path).bytes.lexicographicallyPrecedes(name(of: other).bytes)
  }

  static func name(of path: String) -> String { String(decoding: path.bytes[path.folder.bytes.count...], as: UTF8.self) }

  // MARK: For a new file

  /// Opens for writing: a new file, or what is there.
  static func opened(_ path: String, isNew: Bool, mode: UInt32) throws(FileRefusal) -> CInt {
    // Remove what an unfinished run left; `mustBeFree` has checked before that nobody loses it.
    if isNew { remove(path) }
    // SAFETY: as above.
    let descriptor = unsafe path.withCString { name in
      unsafe isNew ? linux_create(name, O_WRONLY | O_NOCTTY | O_EXCL, mode) : linux_open(name, O_WRONLY | O_CLOEXEC | O_NOCTTY, mode)
    }
    guard descriptor >= 0 else { throw FileRefusal(writing: linux_errno()) }
    return descriptor
  }

  /// A pipe, a device or a socket: to put a file in its place would destroy it.
  static func isSpecial(_ path: String) -> Bool {
    switch try? FileKind(of: path) {
    case .pipe?, .other?: true
    case .file?, .folder?, nil: false
    }
  }

  /// Whether to write directly: to a pipe, a device, or our own standard output.
  static func isStream(_ path: String) throws(FileRefusal) -> Bool {
    var (named, output) = (stat(), stat())
    // SAFETY: the path as above; the calls fill the structures, which are ours.
    guard unsafe path.withCString({ unsafe stat($0, &named) }) == 0 else { return false }
    switch FileKind(named) {
    case .folder: throw FileRefusal(.folder)
    case .pipe, .other: return true
    // SAFETY: as above.
    case .file: return unsafe fstat(STDOUT_FILENO, &output) == 0 && named.st_ino == output.st_ino && named.st_dev == output.st_dev
    }
  }

  /// Throws if a file or another run's .part file is there, unless `force` replaces them.
  package static func mustBeFree(_ path: String, force: Bool) throws(FileRefusal) {
    if force { return }
    if try isStream(path) { return }
    if (try? FileKind(of: path)) != nil { throw FileRefusal(.taken) }
    if (try? FileKind(of: path + ".part")) != nil { throw FileRefusal(.unfinished) }
  }

  /// Throws if the path's folder takes no new file; a pipe or a device needs none.
  package static func mustTakeFile(_ path: String) throws(FileRefusal) {
    if try isStream(path) { return }
    let folder = Path(folder(of: path))
    guard isFolder(folder) else { throw FileRefusal(writing: ENOENT) }
    guard isWritable(folder) else { throw FileRefusal(writing: linux_errno()) }
  }

  /// Whether both paths lead to the same file, or would once it is written.
  package static func isSame(_ a: String, _ b: String) -> Bool {
    if same(a, b) { return true }
    var (one, other) = (stat(), stat())
    // SAFETY: as above.
    guard unsafe a.withCString({ unsafe stat($0, &one) }) == 0, unsafe b.withCString({ unsafe stat($0, &other) }) == 0 else {
      return same(name(of: a), name(of: b)) && isSame(folder(of: a), folder(of: b))
    }
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev
  }

  /// Best effort: does nothing if there is no file.
  static func rename(_ old: Path, _ new: Path, suffix: StaticString) {
    var (old, new) = (old, new)
    old.append(suffix)
    new.append(suffix)
    // SAFETY: as above.
    _ = unsafe old.withCString { from in unsafe new.withCString { to in unsafe CLinux.rename(from, to) } }
  }
}

/// The user that runs this program, for messages.
// SAFETY: the system's text is terminated, and copied before anybody can ask again.
var userName: String { unsafe String(cString: linux_user(geteuid())) }

/// Locks the outbox for this process: another gateway on the same outbox would publish our events again.
final class FileLock: Sendable {
  private let descriptor: CInt

  init(_ path: Path) throws(StoreFault) {
    // SAFETY: the path is lent with its zero.
    let descriptor = unsafe path.withCString { unsafe linux_create($0, O_RDWR, 0o640) }
    guard descriptor >= 0 else {
      let code = linux_errno()
      throw StoreFault(Self.kind(of: code), systemWords(code))
    }
    self.descriptor = descriptor
    // From here on `deinit` closes it, even if the next line throws.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StoreFault(.taken, "another forecourt uses this outbox") }
  }

  private static func kind(of code: CInt) -> StoreFault.Kind {
    switch code {
    case EROFS: .readOnly
    case EACCES, EPERM: .forbidden
    case ENOENT: .gone
    default: .other
    }
  }

  /// Whether a gateway uses this outbox now. Creates nothing.
  static func isHeld(_ path: Path) -> Bool {
    // SAFETY: as above.
    let descriptor = unsafe path.withCString { unsafe linux_open($0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // Closing gives it back.
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && linux_errno() == EWOULDBLOCK
  }

  /// Unlock before closing: a child process before its exec has it open, too.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
