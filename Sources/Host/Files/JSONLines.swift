import Core

/// A small file of our own for the next run: one JSON object per line.
enum JSONLines {
  /// Hands over line after line; a missing file has none.
  static func read(_ path: String, atMost most: Int, _ body: (RawSpan) -> Void) throws(FileRefusal) {
    let bytes: [UInt8]
    do throws(FileRefusal) {
      bytes = try File(reading: path, atMost: most).bytes
    } catch {
      guard case .missing = error.reason else { throw error }
      return
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      var text = Text<512>()
      for byte in line { text.append(byte: byte) }
      body(text.bytes)
    }
  }

  /// A line that had no room is left out: nobody could read it.
  static func append(_ line: Text<512>, to text: inout [UInt8]) {
    if line.overflowed { return }
    for index in 0..<line.count { text.append(line[index]) }
    text.append(UInt8(ascii: "\n"))
  }
}
