import CLinux

/// Random bytes that are made once, at first run, and kept in a file that only its owner may read: a salt, an id.
package enum SecretFile {
  package static func bytes(_ count: Int, keptIn path: String) throws(FileRefusal) -> [UInt8] {
    do throws(FileRefusal) {
      let bytes = try File(reading: path, atMost: count).bytes
      // A power cut may have left it empty.
      if bytes.count == count { return bytes }
    } catch {
      guard case .missing = error.reason else { throw error }
    }
    let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: SystemRandom.word()) }
    try write(bytes, to: path)
    return bytes
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(FileRefusal) {
    // SAFETY: the name is terminated and lives while it is used; the count is the array's own.
    let descriptor = unsafe path.withCString { unsafe linux_create($0, O_WRONLY | O_TRUNC, 0o600) }
    guard descriptor >= 0 else { throw FileRefusal(errno: linux_errno()) }
    defer { close(descriptor) }
    let written = unsafe bytes.withUnsafeBytes { unsafe CLinux.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(descriptor) == 0 else { throw FileRefusal(errno: linux_errno()) }
  }
}
