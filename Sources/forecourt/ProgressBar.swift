import CLinux
import Host

/// A line on standard error that fills while something long goes on; nothing where that is no terminal.
struct ProgressBar {
  private let whole: Double
  private let isShown = isatty(STDERR_FILENO) == 1
  private var shown = -1

  private static let width = 40

  init(_ whole: Double) { self.whole = max(whole, 1e-9) }

  mutating func show(_ done: Double) {
    let filled = Int(min(max(done / whole, 0), 1) * Double(Self.width))
    guard isShown, filled != shown else { return }
    shown = filled
    write("\r[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled) + "]")
  }

  mutating func clear() {
    guard isShown, shown >= 0 else { return }
    shown = -1
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { whisper(text) }
}
