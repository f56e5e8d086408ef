import CLinux
package import Core

/// A file that is being written, in fewer, larger pieces: they spare an SD card.
///
/// It stands beside its place until `keep`: whoever opens the place finds the old one or the whole new one. What is not kept is gone.
package final class NewFile {
  package enum Manner {
    /// Somebody named it: what stands there stays, unless he insists. Where no file stands but a pipe or a device, it gets the bytes.
    case asked(force: Bool)
    /// The gateway's own: the new one takes the old one's place.
    case own
  }

  private let descriptor: CInt
  private let path: String
  /// Where it is until it is kept; nil: written straight to what stands there.
  private let part: String?
  private let mayReplace: Bool
  private var isKept = false
  private var waiting: [UInt8] = []
  /// The errno that ended it.
  package private(set) var failure: CInt = 0
  /// In bytes, with what is still to be written.
  package private(set) var size = 0

  private static let enough = 32_768

  package init(creating path: String, mode: UInt32 = 0o644, _ manner: Manner) throws(FileRefusal) {
    self.path = path
    switch manner {
    case .own: (part, mayReplace) = (path + ".new", true)
    case .asked(let force):
      part = try Files.isStream(path) ? nil : path + ".part"
      mayReplace = force
      if part != nil { try Files.mustBeFree(path, force: force) }
    }
    descriptor = try Files.opened(part ?? path, isNew: part != nil, mode: mode)
    waiting.reserveCapacity(Self.enough + 512)
  }

  deinit {
    close(descriptor)
    if let part, !isKept { Files.remove(part) }
  }

  /// All of it has been said: it takes its place. 0, or the errno that hindered it. `lasting`: also if the power fails at once.
  @discardableResult
  package func keep(lasting: Bool = false) -> CInt {
    flush()
    guard failure == 0, !isKept, let part else { return failure }
    if lasting, fsync(descriptor) != 0 { failure = linux_errno() }
    if failure == 0 { failure = mayReplace ? Files.replace(path, by: part) : Files.settle(path, part) }
    isKept = failure == 0
    if lasting, isKept { Files.syncFolder(of: path) }
    return failure
  }

  /// The gateway's own file is replaced as a whole. `lasting`: and only by what has reached the disk, so that a power cut leaves the old
  /// one or the new one.
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
    settle()
  }

  package func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    settle()
  }

  func write(_ bytes: [UInt8]) {
    waiting.append(contentsOf: bytes)
    settle()
  }

  func append(_ byte: UInt8) {
    waiting.append(byte)
    size += 1
  }

  func append(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount { waiting.append(bytes[index]) }
    size += bytes.byteCount
  }

  /// What waits is written if it is enough.
  func settle() {
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
      } else if linux_errno() != EINTR {
        failure = linux_errno()
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
