import Foundation
import Seeds
import Testing

@testable import Core
@testable import Host

@Suite("check lints the configuration")
final class CheckTests {
  var program: Program
  init() throws { program = try Program() }
  deinit { program.remove() }

  static let right = "gateway.purpose = \"told\"\n"
  /// With something to do.
  static let useful = right + "privacy.unknown = \"publish\"\n"
  static let wrong = "[gateway]\npurpose = \"told\"\n[[trigger]]\nname = \"pump-3\"\nmatch = \"*\"\n  leave_m = 1.0\n  fire_mm = 1\n"

  @Test("a right configuration is confirmed") func correct() throws {
    try program.write("config.toml", Self.useful)
    let result = try program("check", "--lint", "--config", "config.toml")
    #expect(result.exit == 0 && result.error.isEmpty)
    #expect(result.out == "config.toml: no errors (1 radio, 0 regions and 0 triggers)\n")
  }

  @Test("every error is listed, and the exit code is 78") func incorrect() throws {
    try program.write("config.toml", Self.wrong)
    let result = try program("check", "--lint", "--config", "config.toml")
    #expect(result.exit == 78 && result.out.isEmpty)
    #expect(
      result.errorLines == [
        #"config.toml:6:3: trigger "pump-3": leave_m (1.0) must be greater than fire_m (1.5, the default)"#,
        #"config.toml:7:3: trigger "pump-3": unknown key "fire_mm"; did you mean "fire_m"?"#,
      ])
  }

  @Test("warnings are printed and are no errors") func warnings() throws {
    try program.write("config.toml", Self.right + "[[region]]\nname = \"r\"\nmatch = \"peer:*\"\n")
    let result = try program("check", "--lint")
    #expect(result.exit == 0)
    #expect(result.errorLines.count == 1 && result.error.hasPrefix("config.toml:4:9: warning: region \"r\": "))
  }

  @Test("what can never work is said, and what a missing broker needs") func futile() throws {
    let trigger = "[[trigger]]\nname = \"p\"\nmatch = \"*\"\n"
    try program.write("config.toml", Self.right + "gateway.authorization = \"denied\"\nmqtt.port = 9\n" + trigger)
    let lint = try program("check", "--lint")
    #expect(lint.exit == 0 && lint.errorLines.count == 1 && lint.error.contains("2:9: warning: gateway: authorization = \"denied\" keeps"))
    #expect(
      try program("check").out.contains("Connection refused: no broker runs here: apt install mosquitto, or systemctl start mosquitto"))
  }

  @Test("settings that physics forbids are warnings") func physics() throws {
    let trigger = "[[trigger]]\nname = \"p\"\nmatch = \"*\"\n"
    try program.write("config.toml", Self.right + trigger + "fire_m = 0.3\nleave_m = 0.4\narm_m = 180\ndwell_s = 0.1\n")
    let result = try program("check", "--lint")
    #expect(result.exit == 0)
    #expect(result.errorLines.map { $0.split(separator: ":")[1] } == ["5", "6", "7", "8"], "\(result.error)")
    for words in ["is less than levels can tell", "visits will end too early", "no radio hears that", "shorter than three adverts"] {
      #expect(result.error.contains(words))
    }
    try program.write("config.toml", Self.right + "[[region]]\nname = \"r\"\nmatch = \"*\"\nminimum_dbm = -20\n" + trigger)
    #expect(try program("check", "--lint").errorLines.map { $0.contains("minimum_dbm (-20) is never reached") } == [true])
  }

  @Test("without --lint the machine is examined, too, and the worst finding is the exit code") func machine() throws {
    try program.write(
      "config.toml", Self.useful + "mqtt.port = 9\noutbox.path = \"outbox.db\"\n[[radio]]\nname = \"left\"\nadapter = \"h4:/dev/none\"\n")
    let result = try program("check")
    #expect(result.exit == 69 && result.error.isEmpty, "\(result.error)")
    let lines = result.out.split(separator: "\n").map(String.init)
    #expect(lines[0].contains(#/^config +ok +config.toml: no errors/#))
    #expect(lines[1].contains(#/^radio left +error +h4:.dev.none@1000000: cannot be opened: No such file or directory/#))
    #expect(lines.contains { $0.contains(#/^outbox +ok +outbox.db: can be written/#) })
    #expect(lines.contains { $0.contains(#/^disk +ok +[0-9]+ MB/#) })
    #expect(lines.contains { $0.contains(#/^broker +error +localhost:9: /#) })
    let json = try program("check", "--json")
    #expect(json.exit == 69 && json.error.isEmpty)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: Any])
    let machine = try #require(object["machine"] as? [[String: String]])
    #expect(object["ok"] as? Bool == false && machine.map { $0["subject"] } == ["radio left", "clock", "outbox", "disk", "broker"])
    #expect(machine.map { $0["state"] == "error" } == [true, false, false, false, true])
  }

  @Test("a missing permission counts more than a missing thing, and that more than another fault; each line has its columns")
  func worst() throws {
    let broker = ModelBroker()
    defer { broker.close() }
    try program.write("site.toml", TuningTests.site)
    let place = "[mqtt]\nport = \(broker.port)\n"
    let radios = "[[radio]]\nname = \"left\"\nadapter = \"simulate:site.toml\"\n"
    let gone = "[[radio]]\nname = \"the one behind\"\nadapter = \"h4:/dev/none\"\n"
    let noFolder = "[outbox]\npath = \"none/outbox.db\"\n"
    for (more, mayWrite, exit) in [
      ("", true, 0), (noFolder, true, 1), (noFolder + gone, true, 69), (gone, false, 77), (noFolder + gone, false, 77),
    ] as [(String, Bool, Int32)] {
      broker.answer { $0.publication = { _ in mayWrite ? 0 : 0x87 } }
      let outbox = more.contains(noFolder) ? "" : "[outbox]\npath = \"outbox.db\"\n"
      try program.write("config.toml", Self.useful + place + radios + outbox + more)
      let told = try program("check")
      #expect(told.exit == exit && told.error.isEmpty, "\(more): \(told)")
      let width = more.contains(gone) ? 22 : 12
      for line in told.out.split(separator: "\n") {
        let state = line.dropFirst(width).prefix(9)
        #expect(["ok       ", "warning  ", "error    "].contains(state) && line.prefix(width).hasSuffix("  "), "\(line)")
      }
    }
  }

  @Test("an outbox that is a folder, has no folder, or is another file is named as such") func outbox() throws {
    try program.write("junk", "something else entirely")
    try program.write("empty", "")
    for (path, words) in [
      ("new", "  ok       new: can be written"), ("empty", "  ok       empty: can be written"),
      (".", "  error    .: is a folder, not a file"), ("none/new", "  error    none/new: its folder does not exist: mkdir -p none"),
      ("/dev/null", "  error    /dev/null: is a pipe or a device, not a file: outbox.path names a file"),
      ("junk", "  warning  junk: is no outbox: the gateway will set it aside"),
    ] {
      try program.write("config.toml", Self.right + "mqtt.port = 9\noutbox.path = \"\(path)\"\n")
      let line = try #require(try program("check").out.split(separator: "\n").first { $0.hasPrefix("outbox") })
      #expect(line.contains(words), "\(line)")
    }
  }

  @Test("on a read-only file system it is not the owner that is wrong", .enabled(if: geteuid() == 0)) func readOnly() throws {
    let mounting = "mkdir box && mount --bind box box && mount -o remount,bind,ro box && exec \"$@\""
    program.starter = ["/usr/bin/unshare", "-m", "/bin/sh", "-c", mounting, "sh"]
    try program.write("config.toml", Self.right + "mqtt.port = 9\noutbox.path = \"box/outbox.db\"\n")
    let told = try program("check").out.split(separator: "\n")
    // A container may forbid the mount.
    guard !told.isEmpty else { return }
    let line = try #require(told.first { $0.hasPrefix("outbox") })
    #expect(line.contains("  error    box/outbox.db: its file system is read-only: dmesg says why"), "\(line)")
  }

  @Test("the database of another program is no outbox, and the gateway would keep events in memory only") func foreign() throws {
    for (name, sql, log, isBad) in [
      ("other", "CREATE TABLE t (x)", false, true), ("numbered", "CREATE TABLE t (x); PRAGMA application_id = 1", true, true),
      // What a power cut may leave of a new one.
      ("begun", "PRAGMA journal_mode = WAL", false, false), ("logged", "CREATE TABLE t (x)", true, false),
      ("ours", "CREATE TABLE t (x); PRAGMA application_id = 1178817108", false, false),
    ] as [(String, StaticString, Bool, Bool)] {
      try Database(path: Path(program.folder.path + "/" + name)).run(sql)
      if log { try program.write(name + "-wal", "") }
      try program.write("config.toml", Self.useful + "mqtt.port = 9\noutbox.path = \"\(name)\"\n")
      let line = try #require(try program("check").out.split(separator: "\n").first { $0.hasPrefix("outbox") })
      let bad = "  error    \(name): is some other program's database: events will be held in memory and be lost with it"
      #expect(line.contains(isBad ? bad : "  ok       \(name): can be written"), "\(line)")
    }
  }

  @Test("a secret that is longer than the gateway makes it is an error, as it is at the start, and its name is not told") func secrets()
    throws
  {
    for (key, line, most) in [
      ("id_file", "peer.serve = true\npeer.id_file", 4), ("salt_file", "privacy.unknown = \"hash\"\nprivacy.salt_file", 16),
    ] {
      for count in [most - 1, most, most + 1] {
        try program.write("secret", String(repeating: "x", count: count))
        for isUsed in [true, false] {
          let use = isUsed ? line : String(line.split(separator: "\n")[1])
          try program.write(
            "config.toml", Self.useful.replacing("privacy.unknown = \"publish\"\n", with: "") + "mqtt.port = 9\n\(use) = \"secret\"\n")
          let told = try program("check").out.split(separator: "\n").filter { $0.hasPrefix(key + " ") }
          let words = "  error    the file that it names is longer than the \(most) bytes that are read: the gateway would not start"
          #expect(told.count == (isUsed && count > most ? 1 : 0) && told.allSatisfy { $0.hasSuffix(words) }, "\(told)")
        }
      }
    }
  }

  @Test("a file that a start makes, and that cannot be one where it is named, is an error; nobody is told to open its folder")
  func files() throws {
    let folder = program.folder.path
    for (key, line) in [
      ("metrics_file", "publish.metrics_file"), ("id_file", "peer.serve = true\npeer.id_file"),
      ("salt_file", "privacy.unknown = \"hash\"\nprivacy.salt_file"),
    ] {
      for (path, words) in [
        (folder, "is a folder, not a file: \(key) names a file"),
        (folder + "/none/new", "its folder does not exist: mkdir -p \(folder)/none"), (folder + "/new", nil),
      ] {
        try program.write("config.toml", Self.right + "mqtt.port = 9\n\(line) = \"\(path)\"\n")
        let told = try program("check").out.split(separator: "\n").filter { $0.hasPrefix(key + " ") }
        #expect(told.count == (words == nil ? 0 : 1) && told.allSatisfy { $0.contains("  error    \(path): \(words ?? "")") }, "\(told)")
        let service = try program("check").out.split(separator: "\n").filter { $0.hasPrefix("service ") && $0.contains(path) }
        #expect(service.isEmpty == (path == folder), "\(service)")
      }
    }
    try program.write("config.toml", Self.right + "mqtt.port = 9\npublish.metrics_file = \"/dev/null\"\n")
    #expect(try program("check").out.contains("error    /dev/null: is a pipe or a device, not a file: metrics_file names a file"))
  }

  @Test("check tells of an outbox that the shipped service may not write, and does not fail for it") func service() throws {
    let place = program.folder.path + "/outbox.db"
    for (path, isTold) in [(place, true), ("outbox.db", false)] {
      try program.write("config.toml", Self.right + "mqtt.port = 9\noutbox.path = \"\(path)\"\n")
      let lines = try program("check").out.split(separator: "\n").filter { $0.hasPrefix("service ") }
      #expect(lines.count == (isTold ? 1 : 0), "\(lines)")
      #expect(lines.allSatisfy { $0.contains("  warning  \(place): forecourt.service ") && $0.contains(": leave outbox.path out") })
    }
  }

  @Test("--json prints one object for scripts") func json() throws {
    try program.write("odd \"name\".toml", Self.wrong)
    let result = try program("check", "--lint", "--json", "--config", "odd \"name\".toml")
    #expect(result.exit == 78 && result.error.isEmpty && result.out.hasSuffix("}\n"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(result.out.utf8)) as? [String: Any])
    #expect(object["v"] as? Int == 1 && object["ok"] as? Bool == false && object["config"] as? String == "odd \"name\".toml")
    let findings = try #require(object["findings"] as? [[String: Any]])
    #expect(findings.count == 2)
    #expect(findings[1]["severity"] as? String == "error" && findings[1]["line"] as? Int == 7 && findings[1]["column"] as? Int == 3)
    #expect(findings[1]["subject"] as? String == "trigger \"pump-3\"")
    #expect(findings[1]["message"] as? String == "unknown key \"fire_mm\"; did you mean \"fire_m\"?")

    try program.write("config.toml", Self.useful)
    let right = try program("check", "--lint", "--json")
    #expect(right.exit == 0 && right.out == "{\"v\":1,\"ok\":true,\"config\":\"config.toml\",\"findings\":[]}\n")
  }

  @Test("a configuration that is missing, a folder, or too long gives a sentence and exit code 78") func unreadable() throws {
    let missing = try program("check", "--lint", "--config", "none.toml")
    #expect(missing.exit == 78 && missing.error == "forecourt: none.toml does not exist\n")
    #expect(try program("check", "--lint", "--config", ".").error == "forecourt: . is a folder, not a file\n")
    #expect(
      try program("check", "--lint", "--config", "/dev/zero").error
        == "forecourt: /dev/zero is a pipe or a device, not a file\n")
    let json = try program("check", "--lint", "--json", "--config", "none.toml")
    #expect(json.exit == 78 && json.out == "{\"v\":1,\"ok\":false,\"error\":\"none.toml does not exist\",\"findings\":[]}\n")
  }

  @Test("what the system fails to read is code 1, so that systemd tries again; not if anything else is wrong") func failing() throws {
    // Reading it gives EIO, as a bad card does.
    let bad = "/proc/self/mem"
    let whole = try program("check", "--lint", "--config", bad)
    #expect(whole.exit == 1 && whole.error == "forecourt: \(bad) cannot be read: Input/output error\n", "\(whole)")
    let files = Self.right + "privacy.unknown = \"publish\"\nsecurity.signing_key_file = \"\(bad)\"\nmqtt.tls_ca = \"\(bad)\"\n"
    for command in ["check", "run"] {
      try program.write("config.toml", files)
      let passing = try program(command, "--config", "config.toml")
      #expect(passing.exit == 1 && passing.errorLines.count { $0.hasSuffix("cannot be read: Input/output error") } == 2, "\(passing)")
      try program.write("config.toml", files + "mqtt.tls_cert = \"none.pem\"\n")
      #expect(try program(command, "--config", "config.toml").exit == 78)
    }
  }

  @Test("a configuration that this user may not read gives exit code 77", .enabled(if: getuid() != 0)) func forbidden() throws {
    try program.write("config.toml", Self.right)
    chmod(program.folder.appending(path: "config.toml").path, 0)
    let result = try program("check", "--lint")
    #expect(result.exit == 77 && result.error == "forecourt: config.toml cannot be read by this user: permission denied\n")
  }

  @Test("--config overrides the variable, the variable overrides the folder") func order() throws {
    for name in ["option.toml", "variable.toml", "config.toml"] { try program.write(name, Self.right) }
    program.environment["FORECOURT_CONFIG"] = "variable.toml"
    #expect(try program("check", "--lint", "--config=option.toml").out.hasPrefix("option.toml: "))
    #expect(try program("check", "--lint").out.hasPrefix("variable.toml: "))
    program.environment["FORECOURT_CONFIG"] = "none.toml"
    #expect(try program("check", "--lint").error == "forecourt: none.toml does not exist\n")
    program.environment["FORECOURT_CONFIG"] = ""
    #expect(try program("check", "--lint").out.hasPrefix("config.toml: "))
  }

  @Test(
    "without a configuration the message names the places searched",
    .enabled(if: !FileManager.default.fileExists(atPath: "/etc/forecourt/config.toml"))
  )
  func nowhere() throws {
    let result = try program("check", "--lint")
    #expect(result.exit == 78)
    let words = "there is no configuration: neither /etc/forecourt/config.toml nor ./config.toml exists: forecourt setup"
    #expect(result.error.hasPrefix("forecourt: " + words))
  }
}
