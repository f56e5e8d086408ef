import CLinux
package import Core

/// A file that is being written, in fewer, larger pieces: they spare an SD card.
package final class NewFile {
  private let descriptor: CInt
  private var waiting: [UInt8] = []
  /// The errno that ended it.
  package private(set) var failure: CInt = 0
  /// In bytes, with what is still to be written.
  package private(set) var size = 0

  private static let enough = 32_768

  package init(creating path: String, mode: UInt32 = 0o644) throws(FileRefusal) {
    // SAFETY: the name is terminated and lives while it is used.
    descriptor = unsafe path.withCString { unsafe linux_create($0, O_WRONLY | O_TRUNC, mode) }
    guard descriptor >= 0 else { throw FileRefusal(writing: linux_errno()) }
    waiting.reserveCapacity(Self.enough + 512)
  }

  deinit { close(descriptor) }

  package func line<let capacity: Int>(_ text: Text<capacity>) {
    append(text.bytes)
    waiting.append(UInt8(ascii: "\n"))
    settle()
  }

  package func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
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
