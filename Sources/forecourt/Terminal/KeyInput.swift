import CLinux

/// Reads what is typed, byte by byte.
enum Keys {
  /// nil at the end, or when nothing waits.
  static func byte() -> UInt8? {
    var byte: UInt8 = 0
    // SAFETY: one byte, which is ours.
    return unsafe read(STDIN_FILENO, &byte, 1) == 1 ? byte : nil
  }
}
