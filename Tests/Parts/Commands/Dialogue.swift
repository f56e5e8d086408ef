import Foundation
import Testing

extension Program {
  /// A command on a terminal of this size, and how it ended after what the test did.
  func onTerminal(
    _ words: [String], columns: UInt16 = 120, rows: UInt16 = 12, environment: [String: String] = [:], _ body: (Terminal, Int32) -> Void
  ) throws -> (terminal: Terminal, exit: Int32, reason: Process.TerminationReason) {
    let terminal = Terminal()
    terminal.resize(columns: columns, rows: rows)
    let process = Process()
    (process.executableURL, process.arguments) = (Self.executable, words)
    (process.currentDirectoryURL, process.environment) = (folder, environment.isEmpty ? ["LC_ALL": "C.UTF-8"] : environment)
    let slave = try terminal.slave()
    (process.standardInput, process.standardOutput, process.standardError) = (slave, slave, slave)
    // The test's thread blocks signals, which a child would inherit.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    try process.run()
    pthread_sigmask(SIG_SETMASK, &before, nil)
    body(terminal, process.processIdentifier)
    let end = ContinuousClock.now + .seconds(5)
    while process.isRunning, ContinuousClock.now < end { _ = terminal.shows { _ in !process.isRunning } }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    try slave.close()
    terminal.drain()
    return (terminal, process.terminationStatus, process.terminationReason)
  }

  /// A person who waits for each question before answering it: what stands on the terminal at the end, and the exit code.
  func dialogue(
    _ words: [String], _ answers: [String], columns: UInt16 = 100, environment: [String: String] = [:]
  ) throws -> (lines: [String], exit: Int32) {
    let told = try onTerminal(words, columns: columns, rows: 60, environment: environment) { terminal, _ in
      var seen = 0
      for answer in answers {
        guard terminal.shows(within: 20, { $0.bytes.count > seen && $0.isAsking }) else {
          Issue.record("nobody asks for \(answer): \(terminal.lines.suffix(5))")
          return
        }
        // What is typed is shown as well, unless it is a password or the end.
        let isShown = answer != Self.end && !terminal.text.hasSuffix("Password: ")
        seen = terminal.bytes.count + (isShown ? answer.utf8.count + 1 : 0)
        terminal.type(answer == Self.end ? answer : answer + "\n")
      }
    }
    return (told.terminal.lines, told.exit)
  }
  /// Control-D.
  static var end: String { "\u{4}" }
}

extension Terminal {
  /// A question stands last, and no progress bar; or calibrate waits for Enter.
  fileprivate var isAsking: Bool {
    if text.hasSuffix("start.\r\n") { return true }
    guard bytes.last == UInt8(ascii: " "), let line = lines.last, !line.hasPrefix("[") else { return false }
    return line.hasSuffix(":") || line.hasSuffix("]")
  }
}
