import Foundation
import Synchronization
import Testing

@Suite("long work shows its progress, on a terminal only") final class ProgressTests {
  let program: Program
  private static let id = TuningTests.anna

  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    try program.write("site.toml", TuningTests.site)
    // A day of people, interrupted before its end.
    let crowd = "[bystanders]\ncount = 50\ncorner_m = [-25, -25]\nopposite_m = [33, -3]\n"
    let day = "duration_s = 86400\ngateway = [{ name = \"pump-1\", at_m = [0, 0], clock_s = 90000 }]\n"
    let head = "duration_s = 45\n[[gateway]]\nname = \"pump-1\"\nat_m = [0, 0]\n"
    try program.write("day.toml", TuningTests.site.replacing(head, with: day) + "\n" + crowd)
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
    let visit = try Data(contentsOf: program.folder.appending(path: "visit.btsnoop"))
    try Self.long(of: [UInt8](visit)).write(to: program.folder.appending(path: "long.btsnoop"))
  }
  deinit { program.remove() }

  /// The same visit again and again, cut off in its last record.
  private static func long(of visit: [UInt8]) -> Data {
    long.withLock { known in
      if let known { return known }
      var records: [(start: Int, end: Int, time: UInt64)] = []
      while true {
        let start = records.last?.end ?? 16
        guard start < visit.count else { break }
        let length = visit[(start + 4)..<(start + 8)].reduce(0) { $0 << 8 | Int($1) }
        let time = visit[(start + 16)..<(start + 24)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        records.append((start, start + 24 + length, time))
      }
      var long = Data(visit[..<16])
      for round in 0..<400 {
        for (start, end, time) in records {
          long += visit[start..<(start + 16)]
          withUnsafeBytes(of: (time + UInt64(round) * 60_000_000).bigEndian) { long.append(contentsOf: $0) }
          long += visit[(start + 24)..<end]
        }
      }
      known = long.dropLast(5)
      return known!
    }
  }
  private static let long = Mutex<Data?>(nil)

  /// Runs with standard error on a terminal. The clock says more than two seconds soon, however fast the machine is: the program is held
  /// still so long. `isEnded`: at the first bar.
  private static func run(
    _ arguments: [String], in folder: URL, isHeld: Bool = true, isEnded: Bool = false, toTerminal: Bool = false
  ) throws -> (Terminal, Int32) {
    let terminal = Terminal()
    let process = Process()
    process.executableURL = Program.executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = [:]
    process.standardInput = FileHandle.nullDevice
    let slave = try terminal.slave()
    process.standardOutput = toTerminal ? slave : FileHandle.nullDevice
    process.standardError = slave
    try process.run()
    try slave.close()
    let pid = process.processIdentifier
    if isHeld {
      usleep(100_000)
      kill(pid, SIGSTOP)
      usleep(2_200_000)
      kill(pid, SIGCONT)
    }
    terminal.drain(untilBar: isEnded)
    if isEnded { kill(pid, SIGKILL) }
    process.waitUntilExit()
    return (terminal, process.terminationStatus)
  }

  /// All at once: each is held for two seconds.
  private func together(_ commands: [[String]], isEnded: Bool = false) -> [[String]: (terminal: Terminal, exit: Int32)] {
    let told = Mutex([[String]: (terminal: Terminal, exit: Int32)]())
    let (done, folder) = (DispatchGroup(), program.folder)
    for command in commands {
      done.enter()
      Thread.detachNewThread {
        let result = try? Self.run(command, in: folder, isEnded: isEnded)
        told.withLock { $0[command] = result.map { ($0.0, $0.1) } }
        done.leave()
      }
    }
    done.wait()
    return told.withLock { $0 }
  }

  @Test("a progress bar is drawn, and its line is restored") func bar() {
    let commands = [
      ["replay", "long.btsnoop"], ["replay", "long.btsnoop", "--decoded"], ["replay", "long.btsnoop", "--report", "out.html"],
      ["explain", Self.id, "--capture", "long.btsnoop", "--brief"], ["calibrate", "fixed", "--id", Self.id, "--capture", "long.btsnoop"],
    ]
    let begun = ContinuousClock.now
    let told = together(commands)
    #expect(told.count == commands.count)
    for (command, (terminal, exit)) in told {
      #expect(terminal.bars <= Int((ContinuousClock.now - begun) / .milliseconds(100)), "ten times a second at most")
      #expect(exit == 65, "\(command): \(terminal.text)")
      #expect(terminal.bars > 0 && terminal.text.contains(" %"), "\(command): \(terminal.text)")
      for bar in terminal.text.matches(of: #/\[(#*)(\.*)\] +(\d+) %/#) {
        let (filled, percent) = (bar.1.count, Int(bar.3) ?? -1)
        #expect(filled + bar.2.count == 40 && percent * 2 / 5...(percent + 1) * 2 / 5 ~= filled, "\(bar.0)")
      }
      #expect(terminal.lines.count == 2 && terminal.lines[0].hasPrefix("forecourt: long.btsnoop is truncated at byte "), "\(command)")
      #expect(terminal.lines.last == "", "\(command): \(terminal.lines)")
    }
  }

  @Test("simulate shows a progress bar, too") func simulation() {
    let told = together([["--out", "day.btsnoop"], ["--truth", "day.jsonl"], []].map { ["simulate", "day.toml"] + $0 }, isEnded: true)
    #expect(told.count == 3)
    for (command, (terminal, _)) in told {
      #expect(terminal.bars > 0 && terminal.text.contains(" %") && !terminal.text.contains("100 %"), "\(command): \(terminal.text)")
    }
  }

  @Test("lines on the same terminal stay whole") func mixed() throws {
    let (terminal, exit) = try Self.run(["replay", "long.btsnoop"], in: program.folder, toTerminal: true)
    #expect(exit == 65 && terminal.bars > 0)
    let lines = terminal.lines
    #expect(lines.count > 500 && lines.dropLast(2).allSatisfy { $0.hasPrefix("{\"t_us\":") && $0.hasSuffix("}") })
    #expect(lines.dropLast().last?.hasPrefix("forecourt: long.btsnoop is truncated") ?? false && lines.last == "")
  }

  @Test("quick work shows no progress bar, and nothing but a terminal gets one") func none() throws {
    let (terminal, exit) = try Self.run(["replay", "visit.btsnoop"], in: program.folder, isHeld: false)
    #expect(exit == 0 && terminal.bytes.isEmpty, "\(terminal.text)")
    let told = try program("replay", "long.btsnoop")
    #expect(told.exit == 65 && told.errorLines.count == 1 && !told.error.contains("\r"))
  }
}
