import CLinux
import Core
import Host
import Synchronization

/// Standard output: data, gathered and written in large pieces.
///
/// A reader that went away (`forecourt … | head`) is no failure: what follows is dropped, and `isClosed` tells long work to stop.
final class Output {
  private(set) var isClosed = false
  private var failure: Int32 = 0
  private var waiting: [UInt8] = []
  let isTerminal = isatty(STDOUT_FILENO) == 1
  /// How far long work is: drawn between the lines, never into them.
  let bar = ProgressBar()

  private static let enough = 16_384

  func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    if waiting.count >= Self.enough { flush() }
  }

  func write(_ bytes: RawSpan) {
    for index in 0..<bytes.byteCount { waiting.append(bytes[index]) }
    if waiting.count >= Self.enough { flush() }
  }

  func line(_ text: String) {
    write(text)
    write("\n")
    if isTerminal { flush() }
  }

  func flush() {
    if isTerminal, waiting.count > 0 { bar.clear() }
    var written = 0
    while written < waiting.count, !isClosed {
      let rest = waiting[written...]
      // SAFETY: the count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe CLinux.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if linux_errno() != EINTR {
        if linux_errno() != EPIPE { failure = linux_errno() }
        isClosed = true
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// The last word: false when data was lost for another reason than that nobody wanted it.
  func close() -> Bool {
    flush()
    if failure != 0 { say("forecourt: standard output: \(systemWords(failure))") }
    return failure == 0
  }
}

/// Words for people, on standard error.
func say(_ sentence: String) { whisper(sentence + "\n") }

/// The same for threads that wait for nobody: while whoever reads them hangs, lines are dropped, and counted in the next.
func sayUnheard(_ sentence: String) {
  guard canTakeWords(STDERR_FILENO) else {
    unheard.wrappingAdd(1, ordering: .relaxed)
    return
  }
  let lost = unheard.exchange(0, ordering: .relaxed)
  if lost > 0 { say("forecourt: \(lost) lines were lost here: nobody read them") }
  say(sentence)
}

private let unheard = Atomic<Int>(0)

/// The same without an end of line.
func whisper(_ words: String) {
  let line = Array(words.utf8)
  // SAFETY: the count is the array's own. Nobody is left to tell when this fails.
  _ = unsafe line.withUnsafeBytes { unsafe CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
