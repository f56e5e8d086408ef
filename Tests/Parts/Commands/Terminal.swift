import Foundation
import Testing

/// A terminal for standard error, and perhaps for standard output, too: what was written to it, and what stands on it at the end. One thread
/// has it at a time.
final class Terminal: @unchecked Sendable {
  private let master: Int32
  private let place: String
  private(set) var bytes: [UInt8] = []

  init() {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, number): (Int32, Int32) = (0, 0)
    // TIOCSPTLCK and TIOCGPTN: Swift sees neither unlockpt nor ptsname.
    precondition(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    place = "/dev/pts/\(number)"
  }

  deinit { close(master) }

  /// How it behaves now: as whoever has it left it.
  var manner: termios {
    var manner = termios()
    tcgetattr(master, &manner)
    return manner
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    // TIOCSWINSZ
    precondition(ioctl(master, 0x5414, &size) == 0)
  }

  func type(_ words: String) { precondition(write(master, words, words.utf8.count) == words.utf8.count) }

  /// Reads until the text is as it should be, for five seconds at most.
  func shows(within seconds: Double = 5, _ isRight: (Terminal) -> Bool) -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let end = ContinuousClock.now + .seconds(seconds)
    while !isRight(self) {
      var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard ContinuousClock.now < end, poll(&polled, 1, 20) >= 0 else { return false }
      guard polled.revents & Int16(POLLIN) != 0 else { continue }
      let count = read(master, &piece, piece.count)
      guard count > 0 else { return isRight(self) }
      bytes += piece[..<count]
    }
    return true
  }

  /// The last whole picture of a live table, without colours.
  var frame: [String] {
    let pictures = text.components(separatedBy: "\u{1B}[H").dropFirst().filter { $0.contains("\u{1B}[J") }
    let plain = (pictures.last ?? "").replacing(#/\x1B\[[0-9;?]*[A-Za-z]/#, with: "")
    // A carriage return and a line feed are one character to Swift.
    return String(decoding: plain.utf8.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self).components(separatedBy: "\n")
  }

  func slave() throws -> FileHandle {
    let slave = open(place, O_RDWR | O_NOCTTY | O_CLOEXEC)
    return FileHandle(fileDescriptor: try #require(slave >= 0 ? slave : nil), closeOnDealloc: true)
  }

  /// Until everybody has closed it, or there is a bar and that is enough.
  func drain(untilBar isEnough: Bool = false) {
    var piece = [UInt8](repeating: 0, count: 65_536)
    while !(isEnough && bars > 0) {
      let count = read(master, &piece, piece.count)
      guard count > 0 else { return }
      bytes += piece[..<count]
    }
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// How often one was drawn.
  var bars: Int { bytes.indices.dropLast().count { bytes[$0] == UInt8(ascii: "\r") && bytes[$0 + 1] == UInt8(ascii: "[") } }

  /// Carriage returns go back to the beginning of the line, as on glass.
  var lines: [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      var shown: [UInt8] = []
      for piece in line.split(separator: UInt8(ascii: "\r"), omittingEmptySubsequences: false) {
        shown.replaceSubrange(..<min(piece.count, shown.count), with: piece)
      }
      while shown.last == UInt8(ascii: " ") { shown.removeLast() }
      return String(decoding: shown, as: UTF8.self)
    }
  }
}
