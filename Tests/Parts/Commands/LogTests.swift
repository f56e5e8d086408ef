import Foundation
import Synchronization
import Testing

@Suite("the log") struct LogTests {
  /// What a gateway without a broker says in five seconds.
  private func said(_ format: String, _ level: String, _ starter: [String] = []) throws -> [String] {
    var program = try Program()
    defer { program.remove() }
    try program.write("site.toml", TuningTests.site)
    try program.write(
      "config.toml",
      TuningTests.configuration + """
        [[radio]]
        name = "hci0"
        adapter = "simulate:site.toml"
        [mqtt]
        host = "127.0.0.1"
        port = 1
        [outbox]
        path = "outbox.db"
        [log]
        format = "\(format)"
        level = "\(level)"
        """)
    program.starter = starter + ["/usr/bin/timeout", "-s", "TERM", "5"]
    let run = try program("run")
    #expect(run.out.isEmpty)
    return run.errorLines.sorted()
  }

  @Test("each line has its level, and lines below the level of the settings are not written") func levels() throws {
    let (radio, broker) = ("radio hci0: scanning", "no connection to the broker at 127.0.0.1: Connection refused")
    let lines = [
      "text": ["forecourt: " + broker, "forecourt: " + radio],
      "json": [#"{"level":"info","message":"\#(radio)"}"#, #"{"level":"warning","message":"\#(broker)"}"#],
    ]
    // All at once: each takes five seconds, and most of them sleep.
    let cases = ["text", "json"].flatMap { format in ["info", "warning", "error"].map { (format, $0) } }
    let told = Mutex([String: [String]]())
    let done = DispatchGroup()
    for (format, level) in cases {
      done.enter()
      Thread.detachNewThread {
        let said = try? said(format, level)
        told.withLock { $0[format + " " + level] = said }
        done.leave()
      }
    }
    done.wait()
    for (format, lines) in lines {
      #expect(told.withLock { $0[format + " info"] } == lines)
      #expect(told.withLock { $0[format + " warning"] } == lines.filter { $0.contains("broker") })
      #expect(told.withLock { $0[format + " error"] } == [])
    }
  }

  @Test("in the journal each line begins with its priority; not where standard error is another file than the journal's") func priorities()
    throws
  {
    let broker = "no connection to the broker at 127.0.0.1: Connection refused"
    for (format, inode, lines) in [
      ("text", "%i", ["<4>forecourt: " + broker, "<6>forecourt: radio hci0: scanning"]),
      ("json", "%i", [#"<4>{"level":"warning","message":"\#(broker)"}"#, #"<6>{"level":"info","message":"radio hci0: scanning"}"#]),
      ("text", "%i0", ["forecourt: " + broker, "forecourt: radio hci0: scanning"]),
    ] {
      let line = "JOURNAL_STREAM=$(/usr/bin/stat -L -c %d:\(inode) /dev/fd/2) exec \"$@\""
      #expect(try said(format, "info", ["/bin/sh", "-c", line, "sh"]) == lines)
    }
  }
}
