import CLinux
import Core
import Host

/// A line on standard error that fills while something takes longer than two seconds; nothing where that is no terminal.
final class ProgressBar {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var begun = Instant.never
  private var due = Instant.never
  private var columns = 0

  private static let patience = Interval.seconds(2)
  private static let frame = Interval.milliseconds(100)
  private static let width = 40

  /// How much is done, from 0 to 1; nil where nobody knows, and then the seconds are counted. `atOnce`: somebody waits for it.
  func show(_ part: @autoclosure () -> Double?, atOnce: Bool = false) {
    guard isTerminal else { return }
    let now = Clock.now()
    if begun == .never { (begun, due) = (now, atOnce ? now : now + Self.patience) }
    guard now >= due else { return }
    due = now + Self.frame
    draw(part().map { Self.line($0) } ?? "\(Int((now - begun).seconds)) s …")
  }

  /// When whoever sleeps meanwhile must look again.
  var wakes: Instant { isTerminal ? Clock.now() + Self.frame : .never }

  /// The line is as it was.
  func clear() {
    if columns > 0 { draw("") }
  }

  private static func line(_ part: Double) -> String {
    let part = min(max(part, 0), 1)
    let filled = Int(part * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    return "[\(bar)] " + "\(Int(part * 100)) %".right(in: 5)
  }

  /// Over what stood there: not every terminal can erase.
  private func draw(_ line: String) {
    let shown = line.columns
    whisper("\r" + line.padded(to: columns) + (shown < columns ? "\r" + line : ""))
    columns = shown
  }
}

/// So many seconds from now that somebody waits through; without a number, until he stops it.
struct Stretch {
  let begin = Clock.now()
  let end: Instant

  init(seconds: Int?) { end = seconds.map { [begin] in begin + .seconds(Double($0)) } ?? .never }

  func part(at now: Instant) -> Double? { end == .never ? nil : (now - begin).seconds / (end - begin).seconds }
}
