import Foundation
import Testing

import struct Host.Thread

@testable import forecourt

@Suite("a command never overwrites what somebody may want") final class OutputTests {
  let program: Program
  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    try program.write("site.toml", TuningTests.site)
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  private func text(_ name: String) -> Data? { try? Data(contentsOf: program.folder.appending(path: name)) }
  private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: program.folder.path)) ?? []).sorted() }

  @Test("a standard file that is closed at the start is no number for the next file that is opened") func closed() throws {
    var program = try Program()
    defer { program.remove() }
    let scenario = GoldenCase.repository.appending(path: "Tests/Firing/Scenarios/first-visit.toml").path
    try program.write(
      "run.toml",
      "gateway.purpose = \"told\"\nmqtt.port = 1\noutbox.path = \"o.db\"\n[[radio]]\nname = \"r\"\nadapter = \"simulate:\(scenario)\"\n")
    program.starter = [
      "/bin/sh", "-c",
      #"exec 3>&1; "$0" "$@" <&- >&- 2>&- 3>&- & until [ -e o.db ]; do sleep 0.1; done; readlink /proc/$!/fd/0 /proc/$!/fd/1 /proc/$!/fd/2; kill $!"#,
    ]
    #expect(try program("run", "--config", "run.toml").out == "/dev/null\n/dev/null\n/dev/null\n")
  }

  /// What a thread has read; looked at after its end.
  private final class Taken: @unchecked Sendable { var bytes = 0 }

  @Test("a pipe that does not block loses nothing while its reader pauses, and is closed when the reader goes", arguments: [true, false])
  func pausing(isPatient: Bool) throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    signal(SIGPIPE, SIG_IGN)
    let (reader, taken) = (ends[0], Taken())
    let thread = Thread("reader") {
      usleep(200_000)
      var piece = [UInt8](repeating: 0, count: 65_536)
      var count = isPatient ? read(reader, &piece, 65_536) : 0
      while count > 0 {
        taken.bytes += count
        count = read(reader, &piece, 65_536)
      }
      close(reader)
    }
    let (out, line) = (Output(to: ends[1]), String(repeating: "x", count: 999))
    for _ in 0..<300 { out.line(line) }
    #expect(out.close() && out.isClosed != isPatient)
    close(ends[1])
    thread.join()
    #expect(taken.bytes == (isPatient ? 300_000 : 0))
  }

  @Test("an existing file stays unless --force; an incomplete file never takes its place") func existing() throws {
    for (name, command) in [
      ("out.html", ["replay", "visit.btsnoop", "--report", "out.html"]),
      ("two.btsnoop", ["simulate", "site.toml", "--out", "two.btsnoop"]),
      ("truth.jsonl", ["simulate", "site.toml", "--truth", "truth.jsonl"]),
      ("yard.btsnoop", ["capture", "yard.btsnoop", "--radio", "tcp:127.0.0.1:9", "--seconds", "1"]),
    ] {
      try program.write(name, "precious")
      let refused = try program.run(command)
      #expect(refused.exit == 1 && refused.errorLines.count == 1 && refused.error.contains("--force"), "\(command): \(refused.error)")
      #expect(text(name) == Data("precious".utf8), "\(command)")
      let forced = try program.run(command + ["--force"])
      // Nothing answers at that port: there is nothing to record.
      let isEmpty = command[0] == "capture"
      #expect((forced.exit == 0) != isEmpty && (text(name) == Data("precious".utf8)) == isEmpty, "\(command): \(forced.error)")
      if !isEmpty { #expect(try program.run(command + ["--force"]).exit == 0) }
    }
    try program.write("fresh.html.part", "half a page")
    let unfinished = try program("replay", "visit.btsnoop", "--report", "fresh.html")
    #expect(unfinished.exit == 1 && unfinished.error.contains(".part") && text("fresh.html.part") == Data("half a page".utf8))
    #expect(try program("replay", "visit.btsnoop", "--report", "fresh.html", "--force").exit == 0 && text("fresh.html") != nil)
    #expect(!names.contains { $0.hasSuffix(".part") }, "\(names)")
  }

  @Test("an input is never overwritten, whatever its name, even with --force") func itself() throws {
    let (visit, site) = (text("visit.btsnoop"), text("site.toml"))
    try FileManager.default.createSymbolicLink(atPath: program.folder.appending(path: "link").path, withDestinationPath: "visit.btsnoop")
    for command in [
      ["replay", "visit.btsnoop", "--report", "visit.btsnoop"], ["replay", "visit.btsnoop", "--report", "./visit.btsnoop"],
      ["replay", "link", "--report", "visit.btsnoop"], ["replay", "visit.btsnoop", "--report", "config.toml", "--config", "config.toml"],
      ["simulate", "site.toml", "--out", "site.toml"], ["simulate", "site.toml", "--truth", "./site.toml"],
      ["simulate", "site.toml", "--out", "new", "--truth", "new"],
      ["simulate", "site.toml", "--out", "new", "--truth", "./new"], ["simulate", "site.toml", "--out", "new", "--truth", "new.part"],
    ] {
      let refused = try program.run(command + ["--force"])
      #expect(refused.exit == 64 && refused.errorLines.count == 2, "\(command): \(refused.error)")
    }
    #expect(text("visit.btsnoop") == visit && text("site.toml") == site && text("config.toml") == Data(TuningTests.configuration.utf8))
    #expect(text("new") == nil && text("new.part") == nil)
  }

  @Test("a command line or a configuration that is wrong writes nothing") func wrongLine() throws {
    try program.write("out.html", "precious")
    try program.write("wrong.toml", "purpose = 1")
    let before = names
    for (exit, command) in [
      (64, ["replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "a", "--config", "b", "--config", "c"]),
      (78, ["replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "wrong.toml"]),
      (78, ["simulate", "site.toml", "--truth", "truth.jsonl", "--config", "wrong.toml"]),
      (65, ["replay", "site.toml", "--report", "out.html", "--force"]),
    ] as [(Int32, [String])] {
      #expect(try program.run(command).exit == exit, "\(command)")
    }
    #expect(text("out.html") == Data("precious".utf8) && names == before, "\(names)")
  }
}
