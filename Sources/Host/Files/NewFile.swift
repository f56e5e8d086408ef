import CLinux
package import Core

/// Writes a file in few, large pieces, which spares an SD card.
///
/// It stands beside its place until `keep`: whoever opens the path sees the old file or the whole new one. Without `keep` it is deleted.
package final class NewFile {
  package enum Manner {
    /// Somebody named it: replaces an existing file only with `force`. A pipe or a device gets the bytes directly.
    case asked(force: Bool)
    /// The gateway's own file: replaces the old one.
    case own
  }

  private let descriptor: CInt
  private let path: String
  /// Where it is until `keep`; nil: written directly.
  private let part: String?
  private let mayReplace: Bool
  private var isKept = false
  private var waiting: [UInt8] = []
  /// The errno of the first failed call.
  package private(set) var failure: CInt = 0
  /// In bytes, including those not yet written.
  package private(set) var size: Int64 = 0
  /// How many bytes the system has taken.
  private var stored: Int64 = 0
  /// After how many bytes the file could end, of those not yet written.
  private var marks: [Int64] = []
  /// The last of them that is written, and how many that makes.
  private var whole: (bytes: Int64, marks: Int) = (0, 0)

  private static let enough = 32_768

  package init(creating path: String, mode: UInt32 = 0o644, _ manner: Manner) throws(FileRefusal) {
    self.path = path
    switch manner {
    case .own:
      guard !FileSystem.isSpecial(path) else { throw FileRefusal(.special) }
      (part, mayReplace) = (path + ".new", true)
    case .asked(let force):
      part = try FileSystem.isStream(path) ? nil : path + ".part"
      mayReplace = force
      if part != nil { try FileSystem.mustBeFree(path, force: force) }
    }
    descriptor = try FileSystem.opened(part ?? path, isNew: part != nil, mode: mode)
    waiting.reserveCapacity(Self.enough + 512)
  }

  deinit {
    close(descriptor)
    if let part, !isKept { FileSystem.remove(part) }
  }

  /// The file is complete and takes its place. 0, or the errno. `lasting`: synced first, so that it survives a power cut.
  @discardableResult
  package func keep(lasting: Bool = false) -> CInt {
    flush()
    guard failure == 0, !isKept, let part else { return failure }
    if lasting, fsync(descriptor) != 0 { failure = linux_errno() }
    if failure == 0 { failure = mayReplace ? FileSystem.replace(path, by: part) : FileSystem.renameIfFree(part, to: path) }
    isKept = failure == 0
    if lasting, isKept { FileSystem.syncFolder(of: path) }
    return failure
  }

  /// Beyond what the process's umask leaves. A file system without modes has nothing to permit.
  func permit(_ mode: mode_t) { _ = fchmod(descriptor, mode) }

  /// What has been appended so far would be a whole file.
  func mark() { marks.append(size) }

  /// After a call has failed: keeps what was whole by then, if anything was. Returns where it stands: beside its place if
  /// there is another file, for a part replaces no whole one.
  func keepWhole() -> (path: String, bytes: Int64, marks: Int)? {
    guard failure != 0, !isKept, whole.marks > 0, let part, ftruncate(descriptor, Int(whole.bytes)) == 0 else { return nil }
    isKept = true
    let isInPlace = FileSystem.renameIfFree(part, to: path) == 0
    return (isInPlace ? path : part, whole.bytes, whole.marks)
  }

  /// Replaces one of the gateway's own files as a whole. `lasting`: a power cut leaves either the old one or the new one.
  @export(interface) package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, lasting: Bool = true)
    throws(FileRefusal)
  {
    let file = try NewFile(creating: path, mode: mode, .own)
    file.write(bytes)
    let failure = file.keep(lasting: lasting)
    guard failure == 0 else { throw FileRefusal(writing: failure) }
  }

  package func line<let capacity: Int>(_ text: Text<capacity>) {
    append(text.bytes)
    waiting.append(UInt8(ascii: "\n"))
    flushIfFull()
  }

  package func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    flushIfFull()
  }

  func write(_ bytes: [UInt8]) {
    waiting.append(contentsOf: bytes)
    flushIfFull()
  }

  func append(_ byte: UInt8) {
    waiting.append(byte)
    size += 1
  }

  func append(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount { waiting.append(bytes[index]) }
    size += Int64(bytes.byteCount)
  }

  /// Writes what has gathered, if it is enough for a piece.
  func flushIfFull() {
    if waiting.count >= Self.enough { flush() }
  }

  package func flush() {
    var written = 0
    while written < waiting.count, failure == 0 {
      let rest = waiting[written...]
      // SAFETY: the count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe CLinux.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
        stored += Int64(count)
      } else if linux_errno() != EINTR {
        failure = linux_errno()
      }
    }
    waiting.removeAll(keepingCapacity: true)
    for mark in marks where mark <= stored { whole = (mark, whole.marks + 1) }
    marks.removeAll(keepingCapacity: true)
  }
}
