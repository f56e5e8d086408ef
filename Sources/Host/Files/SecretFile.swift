/// Random bytes made at the first run and kept in a file that only its owner may read: a salt, an id.
package enum SecretFile {
  /// So many bytes each.
  package static let (id, salt) = (4, 16)

  /// `former`: a file whose bytes it takes over instead of new ones.
  package static func bytes(_ count: Int, keptIn path: String, before former: String? = nil) throws(FileRefusal) -> [UInt8] {
    do throws(FileRefusal) {
      let bytes = try File(reading: path, atMost: count).bytes
      // A power cut may have left it empty.
      if bytes.count == count { return bytes }
    } catch {
      guard case .missing = error.reason else { throw error }
    }
    var bytes: [UInt8] = []
    if let former, let file = try? File(reading: former, atMost: count) { bytes = file.bytes }
    if bytes.count != count { bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: SystemRandom.word()) } }
    try NewFile.write(bytes, to: path)
    return bytes
  }

  /// Why `bytes` would throw; it makes no file.
  static func refusal(of path: String, atMost count: Int) -> FileRefusal? {
    do throws(FileRefusal) {
      _ = try File(reading: path, atMost: count)
      return nil
    } catch {
      if case .missing = error.reason { return nil }
      return error
    }
  }
}
