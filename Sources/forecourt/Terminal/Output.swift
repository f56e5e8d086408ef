import CLinux
import Core
import Host
import Synchronization

/// Standard output, written in large pieces; and words for people on standard error.
///
/// A reader that goes away (`forecourt … | head`) is no failure: the rest is dropped, and `isClosed` tells long work to stop.
final class Output {
  private(set) var isClosed = false
  private var failure: Int32 = 0
  private var waiting: [UInt8] = []
  private let descriptor: Int32
  let isTerminal: Bool
  /// Shows how far long work is; drawn between the lines, never into them.
  let bar = ProgressBar()

  private static let enough = 16_384

  /// To another file for tests.
  init(to descriptor: Int32 = STDOUT_FILENO) { (self.descriptor, isTerminal) = (descriptor, isatty(descriptor) == 1) }

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

  func line(_ bytes: RawSpan) {
    write(bytes)
    line("")
  }

  func flush() {
    if isTerminal, waiting.count > 0 { bar.clear() }
    var written = 0
    while written < waiting.count, !isClosed {
      let rest = waiting[written...]
      // SAFETY: the count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe CLinux.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if linux_errno() == EAGAIN {
        // Somebody made the pipe so. It waits as any other pipe would; of a gateway that must end meanwhile the last resort makes an end.
        wait(-1, Awaited(descriptor, toRead: false, toWrite: true), forAtMost: nil)
      } else if linux_errno() != EINTR {
        if linux_errno() != EPIPE { failure = linux_errno() }
        isClosed = true
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// False when data was lost, unless the reader went away.
  func close() -> Bool {
    flush()
    if failure != 0 { say("forecourt: standard output: \(systemWords(failure))") }
    return failure == 0
  }
}

/// Words for people, on standard error.
func say(_ sentence: String) { writeError(sentence + "\n") }

/// The same for threads that must not wait: while the reader hangs, lines are dropped and counted in the next.
func sayOrDrop(_ sentence: String) {
  guard canTakeWords(STDERR_FILENO) else {
    unheard.wrappingAdd(1, ordering: .relaxed)
    return
  }
  let lost = unheard.exchange(0, ordering: .relaxed)
  if lost > 0 { say("forecourt: \(lost) lines were dropped here: nobody read them") }
  say(sentence)
}

private let unheard = Atomic<Int>(0)

/// The same without an end of line.
func writeError(_ words: String) {
  let line = Array(words.utf8)
  // SAFETY: the count is the array's own. A failure is ignored: there is nowhere left to report it.
  _ = unsafe line.withUnsafeBytes { unsafe CLinux.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Whether standard error is systemd's journal. systemd.exec(5): $JOURNAL_STREAM has the device and the inode of what it gave us, which
/// somebody may have redirected since.
func isErrorJournal() -> Bool {
  var status = stat()
  // SAFETY: the call fills the structure, which is ours.
  guard let stream = environment("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
  var file = Text<40>()
  file.append(decimal: UInt64(truncatingIfNeeded: status.st_dev))
  file.append(byte: UInt8(ascii: ":"))
  file.append(decimal: UInt64(truncatingIfNeeded: status.st_ino))
  return same(stream, String(file))
}
