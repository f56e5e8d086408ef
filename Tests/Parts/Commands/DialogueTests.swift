import Foundation
import Seeds
import Testing

/// Whole dialogues, as a person has them who reads each question before answering it.
@Suite("a dialogue is as ever, word for word") final class DialogueTests {
  let program: Program
  private let broker = ModelBroker()
  private static let options = [
    "--purpose", "x", "--name", "g", "--site", "s", "--match", "name:a@*", "--call", "A", "--trigger", "t", "--distance", "1", "--group",
    "doors", "--radio", "simulate:site.toml", "--broker", "localhost:9", "--seconds", "0",
  ]

  init() throws {
    program = try Program()
    try program.write("site.toml", TuningTests.site)
    try program.write("config.toml", TuningTests.configuration)
    // What mends a missing broker is another command where mosquitto is installed, and none of them shall run here.
    let folder = program.folder.appending(path: "bin")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, line) in [("sudo", "exec \"$@\""), ("systemctl", "echo asked; test -e well"), ("apt-get", "echo asked; test -e well")] {
      try program.write("bin/" + name, "#!/bin/sh\n\(line)\n")
      chmod(folder.appending(path: name).path, 0o755)
    }
  }

  deinit {
    broker.close()
    program.remove()
  }

  /// Without what this machine and this moment add, and with the exit code.
  private func expect(
    _ name: String, _ words: [String], _ answers: [String], columns: UInt16 = 100, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = program.folder.appending(path: "bin").path + ":/usr/sbin:/usr/bin:/sbin:/bin"
    let told = try program.dialogue(words, answers, columns: columns, environment: ["PATH": path])
    let lines = told.lines.filter { $0.firstMatch(of: #/^(kernel|clock|outbox|disk|forecourt: files are read as) /#) == nil }
    let text = (lines + ["# exit \(told.exit)"]).joined(separator: "\n")
      .replacing(#/\n  This machine (?s).*?\nradio \[/#, with: "\n  ADAPTERS\nradio [")
      .replacing(#/"(sudo )?(systemctl|apt-get) [^"]*"/#, with: "\"MENDS\"").replacing(#/20\d\d-\d\d-\d\dT[0-9:.]*Z/#, with: "TODAY")
    try Said(name).expect(text.replacing("\(broker.port)", with: "PORT"), sourceLocation: sourceLocation)
  }

  private func file(_ name: String) -> String? { try? String(contentsOf: program.folder.appending(path: name), encoding: .utf8) }

  @Test("setup from the first question to the last, with wrong answers, ways back and changes at the end") func whole() throws {
    try expect(
      "setup-whole", ["setup", "--config", "new.toml", "--seconds", "0"],
      [
        "hci77x", "simulate:none.toml", "what", "", "simulate:site.toml", "", "<", "", "Opens it", "<", "", "a/b", "g", "",
        "localhost:9x", "localhost:\(broker.port)", "nonsense", "<", "", "name:a@*", "", "", "two", "2.9", "", "0", "11", "x", "9", "3",
        "<", "doors", "6", "", "1", "<", "",
      ])
    try Said("setup-file").expect((file("new.toml") ?? "").replacing("\(broker.port)", with: "PORT"))
    // It is tried after each answer, then once more for what to say of it; and by check. Each writes a long message last.
    let topics = broker.record.published.map(\.topic)
    let claims = ["check.dot", "check"].map { "forecourt/site/claim/site/\($0)/g" }
    #expect(topics == Array(repeating: "forecourt/site/g/check", count: 9) + claims + ["forecourt/site/g/check"])
  }

  @Test("a broker that is not there: what mends it is run when somebody agrees, and it is tried again") func mended() throws {
    try program.write("well", "")
    let options = Array(Self.options.dropLast(4)) + ["--seconds", "0"]
    try expect(
      "setup-mended", ["setup", "--config", "new.toml"] + options,
      ["localhost:1", "", "n", "what", "n", "localhost:1", "no", "yes", "q"])
    try FileManager.default.removeItem(at: program.folder.appending(path: "well"))
    try expect("setup-unmended", ["setup", "--config", "new.toml"] + options, ["localhost:1", "y", "y", Program.end])
    #expect(file("new.toml") == nil)
  }

  @Test("a broker that wants a name gets one; the password is not shown, and stands in a file of its own") func login() throws {
    broker.answer { $0.password = "open sesame" }
    let options = Self.options.filter { !["--broker", "localhost:9", "--group", "doors"].contains($0) }
    let place = "localhost:\(broker.port)"
    let answers = [place, "", "n", place, "gate", "wrong", "gate", "open sesame", "", ""]
    try expect("setup-login", ["setup", "--config", "new.toml"] + options, answers)
    #expect(file("mqtt.password") == "open sesame\n")
    #expect(file("new.toml")?.contains("\nusername = \"gate\"\npassword_file = \"mqtt.password\"\n") == true)
    let mode = try FileManager.default.attributesOfItem(atPath: program.folder.path + "/mqtt.password")[.posixPermissions] as? Int
    #expect(mode == 0o640)
    let passwords = broker.record.greetings.map { $0.password ?? "-" }
    #expect(passwords == ["-", "-", "-", "wrong", "open sesame", "open sesame", "open sesame"])
    // Whoever ends it at the name or at the password is not asked again.
    for answers in [[place, Program.end], [place, "gate", Program.end]] {
      let told = try program.dialogue(["setup", "--config", "other.toml"] + options, answers)
      #expect(told.exit == 1 && file("other.toml") == nil, "\(told.lines)")
    }
  }

  @Test("a file that is there is replaced after a yes; one that keeps the radios off, as shipped, unless somebody says no") func replaced()
    throws
  {
    for (name, text, answers) in [
      ("setup-mine", "gateway.purpose = \"mine\"\n", ["what", "no"]), ("setup-odd", "nonsense", [""]),
      ("setup-shipped", "gateway.purpose = \"mine\"\ngateway.authorization = \"denied\"\n", ["", ""]),
    ] {
      try program.write("new.toml", text)
      try expect(name, ["setup", "--config", "new.toml"] + Self.options, answers)
    }
    #expect(file("new.toml.old")?.contains("denied") == true && file("new.toml")?.contains("denied") == false)
    try expect("setup-folder", ["setup", "--config", "."] + Self.options, [])
  }

  @Test("words fill a narrow terminal's lines") func narrow() throws {
    try expect("setup-narrow", ["setup", "--config", "new.toml"] + Self.options, ["9", "", "q"], columns: 50)
  }

  private func writeCapture(_ name: String, _ add: (inout PacketFile) -> Void) throws {
    var capture = PacketFile()
    add(&capture)
    try capture.file.write(to: program.folder.appending(path: name))
  }

  @Test("setup listens again, shows who is near, and says what does not last") func held() throws {
    try writeCapture("near.btsnoop") { capture in
      for step in 0..<30 as Range<UInt64> {
        // A beacon, one across the room, and a phone that changes its address.
        capture.add(DaemonRig.advert(1, level: -40), at: step * 100_000)
        capture.add(DaemonRig.advert(2, level: -72), at: step * 100_000 + 9_000)
        capture.add([4, 0x3E, 12, 2, 1, 3, 1, 2, 0x55, 0x7E, 0xC1, 0, 0x4A, 0, 0xB0], at: step * 100_000 + 20_000)
      }
    }
    let options =
      ["--radio", "capture:near.btsnoop"]
      + Self.options.filter { $0 != "--match" && $0 != "name:a@*" && $0 != "simulate:site.toml" && $0 != "--radio" }
    try expect(
      "setup-held", ["setup", "--config", "new.toml"] + options,
      ["", "4", "-1", "three", "0", "3", "l", "", "0", "4", "2", ""])
    #expect(
      file("new.toml")?.contains("# Whom it is for: all beacons with its UUID and major number.\nmatch = \"ibeacon:\(Machine.uuid):7:*\"")
        == true)
  }

  @Test("calibrate asks for each place, counts what it hears there, and says what follows") func calibrated() throws {
    // Nobody presses Enter at once.
    for (name, start) in [("yard.btsnoop", 4_000_000), ("soon.btsnoop", 0)] as [(String, UInt64)] {
      try writeCapture(name) { capture in
        capture.add([4, 0x0E, 4, 1, 3, 0x0C, 0], at: 0)
        for step in 0..<14 as Range<UInt64> { capture.add(DaemonRig.advert(1, level: -60), at: start + step * 50_000) }
      }
    }
    let words = ["--id", "ibeacon:\(Machine.uuid):7:1", "--radio", "capture:yard.btsnoop", "--seconds", "5"]
    try expect("calibrate-asked", ["calibrate", "walk", "--place", "1", "--place", "15"] + words, ["", ""])
    try expect("calibrate-ended", ["calibrate", "fixed"] + words, [Program.end])
    let other = ["calibrate", "fixed", "--id", "irk:nobody", "--radio", "capture:soon.btsnoop"]
    try expect("calibrate-unheard", other, [""])
  }
}
