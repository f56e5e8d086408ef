import CLinux
import Core
import Host

/// A line on standard error that fills while work takes longer than two seconds; on a terminal only.
final class ProgressBar {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var started = Instant.never
  private var due = Instant.never
  private var columns = 0

  private static let patience = Interval.seconds(2)
  private static let frame = Interval.milliseconds(100)
  private static let width = 40

  /// `part`: how much is done, from 0 to 1; nil when unknown, and then the line counts seconds. `atOnce`: without the first two seconds.
  func show(_ part: @autoclosure () -> Double?, atOnce: Bool = false) {
    guard isTerminal else { return }
    let now = Clock.now()
    if started == .never { (started, due) = (now, atOnce ? now : now + Self.patience) }
    guard now >= due else { return }
    due = now + Self.frame
    draw(part().map { Self.line($0) } ?? "\(Int((now - started).seconds)) s …")
  }

  /// When a sleeping loop must wake to draw again.
  var wakes: Instant { isTerminal ? Clock.now() + Self.frame : .never }

  /// Removes it from the line.
  func clear() {
    if columns > 0 { draw("") }
  }

  private static func line(_ part: Double) -> String {
    let part = min(max(part, 0), 1)
    let filled = Int(part * Double(width))
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    return "[\(bar)] " + "\(Int(part * 100)) %".right(in: 5)
  }

  /// Draws over what stood there: not every terminal can erase.
  private func draw(_ line: String) {
    let shown = line.columns
    writeError("\r" + line.padded(to: columns) + (shown < columns ? "\r" + line : ""))
    columns = shown
  }
}

/// How long a command listens: so many seconds from now; without a number, until it is interrupted.
struct TimeSpan {
  let start = Clock.now()
  let end: Instant

  init(seconds: Int?) { end = seconds.map { [start] in start + .seconds(Double($0)) } ?? .never }

  func part(at now: Instant) -> Double? { end == .never ? nil : (now - start).seconds / (end - start).seconds }
}
