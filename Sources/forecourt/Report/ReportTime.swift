import Core
import Host

/// The page's time axis: clock times (UTC) where the capture has them, else seconds since its first packet.
struct ReportTime {
  struct Tick {
    let at: Double
    let words: String
    /// 0 is always shown; 1, 2 and 3 need a wide screen or zoom, each four times as much.
    let detail: Int
  }

  let seconds: Double
  /// Microseconds since 1970 at the first packet.
  private let epoch: Int64?

  init(seconds: Double, epoch: Int64?) { (self.seconds, self.epoch) = (max(seconds, 1), epoch) }

  private static let width = 960.0

  func x(_ at: Double) -> String { fixed(at / seconds * Self.width, 2) }
  func percent(_ at: Double) -> String { fixed(at / seconds * 100, 2) + "%" }
  /// Of so many for each part of the width.
  func column(_ at: Double, finer: Double) -> Int { Int(at / seconds * Self.width * finer) }

  /// In tenths of a second. Each divides the next.
  private static let steps: [Int64] = [1, 5, 10, 50, 150, 600, 3_000, 9_000, 36_000, 216_000, 864_000]

  /// Four on a phone, without zoom.
  var ticks: [Tick] {
    let first = (epoch ?? 0) / 100_000
    let count = Int64(seconds * 10)
    var ticks: [Tick] = []
    var coarser: Int64 = .max
    for step in Self.steps.reversed() {
      let shown = count / step
      let detail = shown <= 4 ? 0 : shown <= 16 ? 1 : shown <= 64 ? 2 : 3
      guard shown <= 256 else { break }
      var tick = (first + step - 1) / step * step
      while tick <= first + count {
        if coarser == .max || tick % coarser != 0 {
          let at = Double(tick - first) / 10
          let end = step % 600 == 0 ? 16 : step % 10 == 0 ? 19 : 21
          ticks.append(Tick(at: at, words: epoch == nil ? length(at) : clock(at, to: end), detail: detail))
        }
        tick += step
      }
      coarser = step
    }
    return ticks
  }

  /// Of an event, to the tenth of a second.
  func words(_ at: Double) -> String { epoch == nil ? fixed(at, 1) + " s" : clock(at, to: 21) }

  /// `2026-11-22T15:33:45.454Z` from the hour on, up to the given byte.
  private func clock(_ at: Double, to end: Int) -> String {
    // Of the day alone: a recording's date may be any, also one that cannot be written.
    let moment = String(Text<32>(moment: ((epoch ?? 0) &+ Int64(at * 1e6)) % 86_400_000_000))
    return String(decoding: Array(moment.utf8)[11..<end], as: UTF8.self)
  }

  private func length(_ at: Double) -> String {
    guard seconds >= 120 else { return String(number: at) + " s" }
    let whole = Int(at)
    let minutes = digits(whole / 60 % 60), rest = digits(whole % 60)
    let short = (minutes.utf8.count < 2 && whole >= 3_600 ? "0" : "") + minutes + ":" + (rest.utf8.count < 2 ? "0" : "") + rest
    return whole >= 3_600 ? joined(digits(whole / 3_600), ":", short) : short
  }
}
