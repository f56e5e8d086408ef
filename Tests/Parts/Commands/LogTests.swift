import Testing

@Suite("the log") struct LogTests {
  /// What a gateway without a broker says in five seconds.
  private func said(_ format: String, _ level: String) throws -> [String] {
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
    program.starter = ["/usr/bin/timeout", "-s", "TERM", "5"]
    let run = try program("run")
    #expect(run.out.isEmpty)
    return run.errorLines.sorted()
  }

  @Test("each line has its level, and lines below the level of the settings are not written", arguments: ["text", "json"])
  func levels(format: String) throws {
    let (radio, broker) = ("radio hci0: scanning", "no connection to the broker at 127.0.0.1: Connection refused")
    let lines =
      format == "text"
      ? ["forecourt: " + broker, "forecourt: " + radio]
      : [#"{"level":"info","message":"\#(radio)"}"#, #"{"level":"warning","message":"\#(broker)"}"#]
    #expect(try said(format, "info") == lines)
    #expect(try said(format, "warning") == lines.filter { $0.contains("broker") })
    #expect(try said(format, "error") == [])
  }
}
