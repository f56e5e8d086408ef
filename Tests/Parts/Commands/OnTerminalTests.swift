import Foundation
import Testing

/// Commands that talk with a person: on a terminal of their own.
@Suite("on a terminal") final class OnTerminalTests {
  let program: Program
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
  private static let anna = TuningTests.anna

  init() throws {
    program = try Program()
    let trigger = "[[trigger]]\nname = \"pump-1\"\nmatch = \"\(Self.anna)\"\narm_m = 100\n"
    let device =
      "[[device]]\nname = \"Bert\"\nmatch = \"ibeacon:\(Self.uuid):7:3\"\n[[region]]\nname = \"r\"\nmatch = \"ibeacon:\(Self.uuid):7:3\"\n"
    try program.write("config.toml", "gateway.purpose = \"told\"\n" + trigger + device)
    try Self.capture.write(to: program.folder.appending(path: "yard.btsnoop"))
  }
  deinit { program.remove() }

  /// Three beacons, four adverts each within a twentieth of a second; the last packet comes when nobody waits any more.
  private static let capture: Data = {
    var file = Data("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]
    func add(_ packet: [UInt8], at microseconds: UInt64) {
      let size = UInt8(packet.count)
      file += [0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, 3, 0, 0, 0, 0]
      withUnsafeBytes(of: (0x00DC_DDB3_0F2F_8000 + microseconds).bigEndian) { file.append(contentsOf: $0) }
      file += packet
    }
    for step in 0..<4 as Range<UInt64> {
      for (minor, level) in [(1, -50), (2, -80), (3, -62)] as [(UInt8, Int8)] {
        let key = (0..<16).map { UInt8(uuid.filter { $0 != "-" }.dropFirst(2 * $0).prefix(2), radix: 16)! }
        let data: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + key + [0, 7, 0, minor, 0xC5]
        let report = [3, 1, minor, 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [UInt8(bitPattern: level)]
        add([4, 0x3E, UInt8(report.count + 2), 2, 1] + report, at: step * 12_000 + UInt64(minor) * 1_000)
      }
    }
    add([4, 0x0E, 4, 1, 3, 0x0C, 0], at: 900_000_000)
    return file
  }()

  private static let scan = ["scan", "--radio", "capture:yard.btsnoop"]

  /// The beacons' minor numbers from the top down.
  private func order(_ terminal: Terminal) -> [String] {
    terminal.frame.compactMap { $0.firstMatch(of: #/^(?:Bert )?\S*:(\d) /#).map { String($0.1) } }
  }

  /// A table is drawn four times a second, and at each key; this one changes nothing.
  private func shows(_ terminal: Terminal, _ isRight: (Terminal) -> Bool) -> Bool {
    for _ in 0..<80 {
      if terminal.shows(within: 0.06, isRight) { return true }
      terminal.type("dd")
    }
    return false
  }

  private func sums(_ manner: termios) -> [tcflag_t] { [manner.c_iflag, manner.c_oflag, manner.c_cflag, manner.c_lflag] }

  @Test("scan has a row for each device, with its figures in their columns; keys sort, again reversed, and q ends") func table() throws {
    let told = try program.onTerminal(Self.scan) { terminal, _ in
      #expect(shows(terminal) { order($0) == ["1", "3", "2"] && $0.frame[2].contains("armed") }, "\(terminal.frame)")
      let lines = terminal.frame
      #expect(lines.count == 12 && lines[0].hasPrefix("forecourt scan  capture:yard.btsnoop scanning and nothing is published"), "\(lines)")
      #expect(
        lines[1]
          == "identity                            zone      metres▼               dBm     Hz   age  levels           triggers         ")
      for (line, words) in zip(
        lines[2...4],
        [
          "ibeacon:2f2344…f2-f4911ba9ffa6:7:1  immediate 0.32 (0.08–1.2)     -50.0 ",
          "Bert ibeacon:2f23…f4911ba9ffa6:7:3  near      1.5 (0.38–5.6)      -62.0 ",
          "ibeacon:2f2344…f2-f4911ba9ffa6:7:2  far       15 (3.8–56)         -80.0 ",
        ])
      {
        let rest = String(line.dropFirst(words.count))
        #expect(line.hasPrefix(words) && rest.prefix(7).wholeMatch(of: #/ *\d+\.\d /#) != nil, "\(line)")
        #expect(
          rest.dropFirst(7).prefix(6).wholeMatch(of: #/ *\d\.\d /#) != nil
            && rest.dropFirst(31) == (line == lines[2] ? "pump-1 armed" : ""), "\(line)")
      }
      #expect(
        lines.last?.hasPrefix("q quit  3 devices, ") == true
          && lines.last?.hasSuffix("d a r g i sort  m matched  ↑ ↓ select  space hold") == true)
      terminal.type("ii")
      #expect(terminal.shows { order($0) == ["3", "2", "1"] && $0.frame[1].hasPrefix("identity▲") }, "\(terminal.frame)")
      terminal.type("aaq")
    }
    #expect(told.exit == 0 && told.reason == .exit && order(told.terminal) == ["3", "2", "1"], "the last keys are not drawn any more")
  }

  @Test(
    "help fits a narrow terminal, but for commands to copy, and is a page of 80 columns on a wide one", arguments: [60, 200] as [UInt16])
  func help(columns: UInt16) throws {
    let told = try program.onTerminal(["explain", "--help"], columns: columns) { _, _ in }
    let lines = told.terminal.text.replacing("\r\n", with: "\n").split(separator: "\n")
    let widest = lines.filter { !$0.hasPrefix("       forecourt explain irk:anna") }.map(\.count).max() ?? 0
    #expect(told.exit == 0 && widest <= min(columns, 80) && widest > min(columns, 80) - 5, "\(widest)")
    #expect(lines.count > 30)
  }

  @Test("m shows who is looked for; a selected device keeps its row, with its whole id and its figures below; space holds") func selected()
    throws
  {
    let told = try program.onTerminal(Self.scan, columns: 80) { terminal, _ in
      #expect(shows(terminal) { order($0) == ["1", "3", "2"] && $0.frame[2].contains("armed") }, "\(terminal.frame)")
      terminal.type("m")
      #expect(terminal.shows { order($0) == ["1", "3"] }, "\(terminal.frame)")
      terminal.type("jj\u{1B}[Bk ")
      #expect(terminal.shows { order($0) == ["1", "3"] && $0.frame.last?.hasPrefix("q quit  held; 2 dev") == true }, "\(terminal.frame)")
      let lines = terminal.frame
      #expect(lines.last?.contains("m all") == true && lines.count { $0.contains("◂") } == 1 && lines[2].contains("◂"))
      #expect(lines[9] == Self.anna && lines[10].hasPrefix("immediate, 0.") && lines[10].hasSuffix("; pump-1 armed"), "\(lines[10])")
      terminal.type("j")
      #expect(terminal.shows { $0.frame[9] == "Bert ibeacon:\(Self.uuid):7:3" }, "\(terminal.frame)")
      terminal.type("q")
    }
    #expect(told.exit == 0)
  }

  @Test("the terminal gives single keys, and is as before at the end, whatever the end is", arguments: [0, SIGQUIT])
  func restored(signal: Int32) throws {
    let before = Terminal().manner
    let told = try program.onTerminal(Self.scan, columns: 60) { terminal, process in
      #expect(shows(terminal) { !order($0).isEmpty }, "\(terminal.frame)")
      var now = terminal.manner
      let (least, tenths) = withUnsafeBytes(of: &now.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) }
      #expect(now.c_lflag & tcflag_t(ICANON | ECHO) == 0 && least == 0 && tenths == 0)
      #expect(terminal.text.contains("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J") && !terminal.text.contains("\u{1B}[?1049l"))
      if signal == 0 { terminal.type("q") } else { kill(process, signal) }
    }
    #expect(told.reason == (signal == 0 ? .exit : .uncaughtSignal), "\(told.exit)")
    #expect(told.exit == signal)
    #expect(told.terminal.text.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l"), "once, at the end")
    #expect(sums(told.terminal.manner) == sums(before))
  }

  @Test("colours show the zone, and NO_COLOR switches them off") func colours() throws {
    for (word, isColoured) in [("", true), ("1", false)] {
      let told = try program.onTerminal(Self.scan, environment: ["LANG": "C.UTF-8", "NO_COLOR": word]) { terminal, _ in
        #expect(shows(terminal) { order($0) == ["1", "3", "2"] }, "\(terminal.frame)")
        terminal.type("q")
      }
      #expect(told.terminal.text.contains("\u{1B}[1mforecourt scan\u{1B}[0m") == isColoured)
      for code in [2, 7, 32, 33] { #expect(told.terminal.text.contains("\u{1B}[\(code)m") == isColoured, "\(code)") }
    }
  }

  @Test(
    "the table is ASCII where the locale is not UTF-8: LC_ALL decides before LC_CTYPE, that before LANG, and what is empty counts as not set",
    arguments: [
      ([:], true), (["LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"], true), (["LC_ALL": "POSIX"], true),
      (["LC_CTYPE": "C", "LANG": "de_DE.UTF-8"], true), (["LC_ALL": "", "LC_CTYPE": "", "LANG": "C"], true), (["LANG": "de_DE"], true),
      (["LC_ALL": "de_DE.utf8", "LC_CTYPE": "C", "LANG": "C"], false), (["LC_CTYPE": "en_GB.UTF-8", "LANG": "C"], false),
      (["LC_ALL": "", "LANG": "de_DE.UTF-8@euro"], false),
    ] as [([String: String], Bool)])
  func locale(environment: [String: String], isPlain: Bool) throws {
    // One more, so that none of them is the one that tests have without asking.
    let told = try program.onTerminal(Self.scan, environment: environment.merging(["NO_COLOR": "1"]) { $1 }) { terminal, _ in
      #expect(shows(terminal) { order($0) == ["1", "3", "2"] && $0.frame[2].contains("armed") }, "\(terminal.frame)")
      terminal.type("j")
      let mark = isPlain ? "7:1 <immediate 0.32 (0.08-1.2) " : "7:1 ◂immediate 0.32 (0.08–1.2) "
      #expect(terminal.shows { $0.frame[2].contains(mark) }, "\(terminal.frame)")
      // The levels stand there for eight seconds, from the first half second on.
      let levels = isPlain ? #/ [1-8]+ +pump/# : #/ [▁-█]+ +pump/#
      #expect(terminal.shows { $0.frame[2].contains(levels) }, "\(terminal.frame)")
      let lines = terminal.frame
      let (head, foot) = isPlain ? ("metresv ", "  k j select  ") : ("metres▼ ", "  ↑ ↓ select  ")
      #expect(lines[1].contains(head) && lines.last?.contains(foot) == true, "\(lines)")
      #expect(lines[2].hasPrefix(isPlain ? "ibeacon:2f2344~f2-" : "ibeacon:2f2344…f2-") && lines[2].count == lines[3].count + 12)
      terminal.type("q")
    }
    #expect(told.terminal.bytes.allSatisfy { $0 < 0x80 } == isPlain)
  }

  // MARK: setup

  private func setup(_ options: [String], typed: String, radio: String = "simulate:site.toml") throws -> (
    text: String, exit: Int32, file: String?
  ) {
    let fixed = ["setup", "--config", "new.toml", "--radio", radio, "--broker", "localhost:9", "--seconds", "0"]
    try program.write("site.toml", TuningTests.site)
    let told = try program.onTerminal(fixed + options, columns: 200, rows: 60) { terminal, _ in terminal.type(typed) }
    return (
      told.terminal.text.replacing("\r\n", with: "\n"), told.exit,
      try? String(contentsOf: program.folder.appending(path: "new.toml"), encoding: .utf8)
    )
  }

  @Test("setup asks for what no option answers, shows all at the end, and writes it") func asked() throws {
    let told = try setup(["--purpose", "Opens it", "--name", "g", "--site", "s", "--match", "name:a@*"], typed: "Anna\n\n2.5\npumps\n\n")
    #expect(told.exit == 0, "\(told.text)")
    for words in [
      "call [none]: ", "trigger [g]: ", "distance [1.5]: ", "group [none]: ",
      "\n1  radio     simulate:site.toml\n2  purpose   Opens it\n3  name      g\n4  site      s\n",
      "\n5  broker    localhost:9\n6  match     name:a@*\n7  call      Anna\n8  trigger   g\n9  distance  2.5\n10  group     pumps\n",
      "Enter, a number or q: ",
      "new.toml is written.\n", "Next:\n  forecourt run --config new.toml\n  mosquitto_sub -h localhost -p 9 -v -t 'forecourt/#'\n",
    ] { #expect(told.text.contains(words), "\(words) is not in \(told.text)") }
    for words in [
      "name = \"Anna\"", "match = \"name:a@*\"\n# `fire`", "name = \"g\"", "fire_m = 2.5\n", "group = \"pumps\"\n", "# Whom it is for.\n",
    ] {
      #expect(told.file?.contains(words) == true, "\(words) is not in \(told.file ?? "")")
    }
  }

  @Test("< goes back, a wrong answer is said and asked again, a number changes an answer, q writes nothing") func changed() throws {
    let options = ["--purpose", "x", "--site", "s", "--trigger", "t", "--distance", "1", "--group", "doors"]
    // A name; back to it, another; a selector that is none, one that is; no name for it; then the site, and the device, which stays.
    let told = try setup(options, typed: "g\n<\nh\nnonsense\nname:b@*\n\n4\n+\nnorth\n6\n\n0\n99\n\n")
    #expect(told.exit == 0, "\(told.text)")
    #expect(
      told.text.contains("  match ") && told.text.contains("  site ")
        && told.text.contains("Enter keeps name:b@*; l listens; or write a selector: "))
    for words in ["name = \"h\"", "site = \"north\"", "# Whom to recognise.\nmatch = \"name:b@*\""] {
      #expect(told.file?.contains(words) == true, "\(words) is not in \(told.file ?? "")")
    }
    try FileManager.default.removeItem(at: program.folder.appending(path: "new.toml"))
    for typed in ["g\nname:b@*\n\nq\n", "g\nname:b@*\n\n\u{4}", "\u{4}"] {
      let left = try setup(options, typed: typed)
      #expect(left.exit == 1 && left.file == nil && !left.text.contains("new.toml is written"), "\(typed): \(left.text)")
    }
  }
}
