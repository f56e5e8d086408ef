import Foundation
import Testing

/// What a file can be instead of what it should be.
private enum Wrong: String, CaseIterable {
  case missing, empty, truncated, picture, program, folder, device, pipe, huge, hugeAndBegunWell

  func name(_ beginning: String) -> String {
    switch self {
    case .missing: "none"
    case .folder: "."
    case .device: "/dev/null"
    case .truncated, .hugeAndBegunWell: beginning + "-" + rawValue
    case .empty, .picture, .program, .pipe, .huge: rawValue
    }
  }
}

@Suite("every command answers a missing, empty, truncated, foreign or huge file with a sentence and the right exit code")
final class WrongFilesTests {
  var program: Program
  private static let id = TuningTests.anna
  private static let most = UInt64(5) << 30

  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    try program.write("site.toml", TuningTests.site)
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
    // Whatever the machine does besides: ten seconds of computing, a gigabyte of addresses, a minute before it counts as hung.
    program.starter = ["/bin/sh", "-c", "ulimit -t 10; ulimit -v 1000000; exec timeout 60 \"$0\" \"$@\""]
    try write("empty", Data())
    try write("picture", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52] + (0..<99)))
    try FileManager.default.createSymbolicLink(at: program.folder.appending(path: "program"), withDestinationURL: Program.executable)
    try grow("huge", from: Data())
    // Nobody writes into it: opening it like a file would wait for ever.
    #expect(mkfifo(program.folder.appending(path: "pipe").path, 0o600) == 0)
    let visit = try Data(contentsOf: program.folder.appending(path: "visit.btsnoop"))
    try write("capture-truncated", visit.dropLast(7))
    try grow("capture-hugeAndBegunWell", from: visit)
    try write("played-truncated", visit.prefix(100))
    try grow("played-hugeAndBegunWell", from: visit.prefix(16))
    for (kind, text) in [("config", TuningTests.configuration), ("scenario", TuningTests.site)] {
      try write(kind + "-truncated", Data(text.utf8.dropLast(3)))
      try grow(kind + "-hugeAndBegunWell", from: Data(text.utf8))
    }
    try write("outbox-truncated", Data("SQLite format 3\u{0}".utf8) + Data([16, 0, 1, 1, 0, 64, 32, 32]))
    try grow("outbox-hugeAndBegunWell", from: Data("SQLite format 3\u{0}".utf8) + Data([16, 0, 1, 1, 0, 64, 32, 32]))
  }
  deinit { program.remove() }

  private func write(_ name: String, _ data: Data) throws { try data.write(to: program.folder.appending(path: name)) }

  /// Five gigabytes of holes behind the beginning.
  private func grow(_ name: String, from beginning: Data) throws {
    try write(name, beginning)
    let file = try FileHandle(forWritingTo: program.folder.appending(path: name))
    try file.truncate(atOffset: Self.most)
    try file.close()
  }

  /// Ends with `exit`, and names the file and its fault on standard error.
  private func expect(_ exit: Int32, naming file: String, _ arguments: [String], isSilent: Bool = true) throws {
    let result = try program.run(arguments)
    let line = "\(arguments.joined(separator: " ")): \(result.exit), \(result.error)"
    #expect(result.exit == exit, "\(line)")
    #expect(result.error.contains(file) && result.error.hasSuffix("\n") && result.errorLines.count <= 2, "\(line)")
    for word in ["Fatal", "rror:", "Illegal", "Optional("] { #expect(!result.error.contains(" " + word), "\(line)") }
    if isSilent { #expect(result.out.isEmpty, "\(line)") }
  }

  @Test("a bad configuration gives 78") func configurations() throws {
    for wrong in Wrong.allCases {
      let file = wrong.name("config")
      for command in [
        ["check"], ["check", "--lint"], ["run", "--print"], ["replay", "visit.btsnoop"], ["replay", "visit.btsnoop", "--decoded"],
        ["replay", "visit.btsnoop", "--report", "out.html"], ["explain", Self.id, "--capture", "visit.btsnoop"],
        ["calibrate", "fixed", "--id", Self.id, "--capture", "visit.btsnoop"], ["simulate", "site.toml"], ["scan"], ["events"],
        ["capture", "out.btsnoop"], ["identify", "aa:bb:cc:dd:ee:ff"],
      ] { try expect(78, naming: file, command + ["--config", file]) }
      let told = try program("check", "--json", "--config", file)
      let object = try JSONSerialization.jsonObject(with: Data(told.out.utf8)) as? [String: Any]
      #expect(told.exit == 78 && object?["ok"] as? Bool == false, "\(file)")
    }
  }

  @Test("a bad capture gives 65 after its readable part; a pipe is read until it ends") func captures() throws {
    for wrong in Wrong.allCases where wrong != .pipe {
      let file = wrong.name("capture")
      let isPart = wrong == .truncated || wrong == .hugeAndBegunWell
      for command in [
        ["replay", file], ["replay", file, "--decoded"], ["replay", file, "--report", "out.html", "--force"],
        ["explain", Self.id, "--capture", file],
        ["replay", "visit.btsnoop", file],
      ] {
        try expect(65, naming: file, command, isSilent: false)
        let told = try program.run(command)
        #expect(told.out.isEmpty != (isPart || command[1] == "visit.btsnoop"), "\(command)")
      }
      for measure in [["fixed"], ["walk", "--place", "12@0-9", "--place", "1@19-30"]] {
        try expect(65, naming: file, ["calibrate"] + measure + ["--id", Self.id, "--capture", file])
      }
    }
  }

  @Test("what follows a bad capture is still the second radio's: it does not fire at the first one's pump") func order() throws {
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    let near = TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\nradio = \"left\"")
    try program.write("two.toml", near + radios)
    let swapped = try program("replay", "visit.btsnoop", "none", "--config", "two.toml")
    #expect(swapped.exit == 65 && swapped.out.contains("\"event\":\"fire\""))
    let told = try program("replay", "none", "visit.btsnoop", "--config", "two.toml")
    #expect(told.exit == 65 && told.error.contains("none does not exist") && !told.out.contains("\"event\":\"fire\""), "\(told.out)")
  }

  @Test("a bad capture as a radio gives 65; a gateway goes on when a good recording ends") func played() throws {
    for wrong in Wrong.allCases {
      let file = wrong.name("played")
      let isPart = wrong == .truncated || wrong == .hugeAndBegunWell
      try expect(65, naming: file, ["scan", "--radio", "capture:" + file], isSilent: !isPart)
      if !isPart { try expect(65, naming: file, ["run", "--print", "--radio", "capture:" + file]) }
      try expect(64, naming: file, ["capture", "out.btsnoop", "--radio", "capture:" + file])
      try expect(64, naming: file, ["identify", "aa:bb:cc:dd:ee:ff", "--radio", "capture:" + file])
      let radio = "[[radio]]\nname = \"left\"\nadapter = \"capture:\(file)\"\n"
      try program.write("played.toml", "mqtt.port = 9\noutbox.path = \"outbox\"\n" + TuningTests.configuration + radio)
      let checked = try program("check", "--config", "played.toml").out.split(separator: "\n")
      let line = try #require(checked.first { $0.hasPrefix("radio left") })
      #expect(line.contains(isPart ? "  warning  capture:\(file): a rehearsal" : "  error    capture:\(file): "), "\(line)")
    }
  }

  @Test("a bad scenario gives 78") func scenarios() throws {
    for wrong in Wrong.allCases {
      let file = wrong.name("scenario")
      for command in [["simulate", file], ["simulate", file, "--out", "out.btsnoop"], ["simulate", file, "--truth", "out.jsonl"]] {
        try expect(78, naming: file, command)
      }
      for command in [["scan"], ["run", "--print"]] { try expect(78, naming: file, command + ["--radio", "simulate:" + file]) }
    }
  }

  @Test("a bad outbox gives 1") func outboxes() throws {
    for wrong in Wrong.allCases {
      let file = wrong.name("outbox")
      try program.write("events.toml", "gateway.purpose = \"told\"\noutbox.path = \"\(file)\"\n")
      for options in [[], ["--json"]] { try expect(1, naming: file, ["events", "--config", "events.toml"] + options) }
    }
  }

  @Test("an output that cannot be written gives 1") func outputs() throws {
    // A program with a mistake may remove the link, but not the device.
    try FileManager.default.createSymbolicLink(atPath: program.folder.appending(path: "full").path, withDestinationPath: "/dev/full")
    for (place, words) in [
      (".", "is a folder, not a file"), ("none/out", "cannot be written: its folder does not exist"),
      ("full", "cannot be written: No space left on device"),
    ] {
      for command in [
        ["simulate", "site.toml", "--out", place], ["simulate", "site.toml", "--truth", place],
        ["replay", "visit.btsnoop", "--report", place],
      ] { try expect(1, naming: place + " " + words, command, isSilent: command[0] == "simulate") }
    }
    for place in [".", "none/out.btsnoop"] { try expect(1, naming: place, ["capture", place, "--radio", "tcp:127.0.0.1:9"]) }
  }

  @Test("several captures are not named after a folder, beside which nobody would look, nor any file -") func names() throws {
    try program.write("two.toml", TuningTests.site + "\n[[gateway]]\nname = \"pump-2\"\nat_m = [8, 0]\n")
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    try program.write("radios.toml", "gateway.purpose = \"told\"\n" + radios)
    try FileManager.default.createDirectory(at: program.folder.appending(path: "build"), withIntermediateDirectories: false)
    for command in [["simulate", "two.toml", "--out"], ["capture", "--config", "radios.toml"]] {
      for place in ["build", "build/"] { try expect(1, naming: ": \(place) is a folder, not a file: name one in it\n", command + [place]) }
      try expect(64, naming: ": - would be a file of that name: name another one, or /dev/stdout\n", command + ["-"])
    }
    for command in [["simulate", "site.toml", "--truth"], ["replay", "visit.btsnoop", "--report"]] {
      try expect(64, naming: ": - would be a file", command + ["-"])
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(!names.contains { $0.hasPrefix("build.") || $0.hasPrefix("-") }, "\(names)")
  }
}
