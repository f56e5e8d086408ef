import Foundation
import Testing

@Suite("a capture in a radio's place") final class PlayedCaptureTests {
  let program: Program
  init() throws {
    program = try Program()
    try program.write("config.toml", "gateway.purpose = \"told\"\nprivacy.unknown = \"publish\"\n")
  }
  deinit { program.remove() }

  /// An advert of another device at each of these seconds.
  private func write(_ name: String, _ moments: [UInt64]) throws {
    var recording = PacketFile()
    for (number, moment) in moments.enumerated() {
      recording.add([4, 0x3E, 12, 2, 1, 3, 1, UInt8(number + 1), 0, 0, 0, 0, 0xC0, 0, 0xC4], at: moment * 1_000_000)
    }
    try recording.file.write(to: program.folder.appending(path: name))
  }

  @Test("one whose clock was set is played to its end, without the pause, and whoever listens is told") func leaps() throws {
    try write("leap.btsnoop", [0, 86_400])
    try write("plain.btsnoop", [0, 0])
    let cause = "its clock was set, or a stamp is damaged, and no time passes there"
    for (name, words) in [
      ("leap.btsnoop", "forecourt: leap.btsnoop leaps back, or by half a day or more: \(cause)\n"),
      ("plain.btsnoop", ""),
    ] {
      let told = try program("scan", "--json", "--seconds", "8", "--radio", "capture:" + name)
      #expect(told.exit == 0 && told.error == words, "\(told.error)")
      #expect(Set(told.out.matches(of: #/c0:00:00:00:00:0\d/#).map(\.output)) == ["c0:00:00:00:00:01", "c0:00:00:00:00:02"], "\(told.out)")
    }
  }

  @Test("a device beside as many triggers as there may be, with the longest names, has a whole line in scan --json") func crowded() throws {
    var recording = PacketFile()
    for moment in 0..<20 as Range<UInt64> {
      recording.add([4, 0x3E, 12, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4], at: moment * 100_000)
    }
    try recording.file.write(to: program.folder.appending(path: "plain.btsnoop"))
    let triggers = (10..<74).map { "[[trigger]]\nname = '\(String(repeating: "\"", count: 30))\($0)'\nmatch = \"*\"\ngroup = \"g\"\n" }
    try program.write("many.toml", "gateway.purpose = \"told\"\n" + triggers.joined())
    let told = try program("scan", "--json", "--seconds", "3", "--radio", "capture:plain.btsnoop", "--config", "many.toml")
    let counts = try told.out.split(separator: "\n").map { line in
      (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]).map { ($0["triggers"] as? [Any])?.count }
    }
    #expect(counts.contains(64), "\(told.out)")
  }

  @Test("one whose adverts come from several controllers is told, once; what else a second one does is none") func controllers() throws {
    let advert: [UInt8] = [0x3E, 12, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4]
    for (name, second) in [("two", advert), ("one", [0x0E, 4, 1, 3, 0x0C, 0])] {
      var file = Data("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1]
      for (controller, packet) in [(0, advert), (1, second), (0, advert), (1, second)] as [(UInt8, [UInt8])] {
        let size = UInt8(packet.count)
        file += [0, 0, 0, size, 0, 0, 0, size, 0, controller, 0, 3, 0, 0, 0, 0, 0x00, 0xE2, 0x5A, 0x70, 0, 0, 0, 0] + packet
      }
      try file.write(to: program.folder.appending(path: name))
      let told = try program("replay", name, "--decoded")
      let words = "forecourt: two has the adverts of several controllers: they are taken for one radio's\n"
      #expect(told.exit == 0 && told.error == (name == "two" ? words : ""), "\(told)")
    }
  }

  @Test("captures in another order than the radios whose names they have are told, each") func swapped() throws {
    let names = ["out.left.btsnoop", "out.right.btsnoop"]
    for name in names { try write(name, [0, 1]) }
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    try program.write("two.toml", "gateway.purpose = \"told\"\n" + radios)
    let words = [
      "forecourt: out.right.btsnoop is taken for radio left's, and has the name of radio right's\n",
      "forecourt: out.left.btsnoop is taken for radio right's, and has the name of radio left's\n",
    ]
    #expect(try program("replay", names[1], names[0], "--config", "two.toml").error == words.joined())
    let rest = "forecourt: there is no capture of radio right\n"
    #expect(try program("replay", names[1], "--config", "two.toml").error == words[0] + rest)
    #expect(try program("replay", names[0], "--config", "two.toml", "--report", "out.html").error == rest)
    let explain = ["explain", "address:c0:00:00:00:00:01", "--config", "two.toml", "--capture"]
    #expect(try program.run(explain + [names[1]]).error == words[0] + rest)
    #expect(try program("replay", names[0], names[1], "--config", "two.toml").error.isEmpty)
    try program.write("three.toml", "gateway.purpose = \"told\"\n" + radios + "[[radio]]\nname = \"yard\"\nadapter = \"hci2\"\n")
    let both = "forecourt: there is no capture of radios right and yard\n"
    #expect(try program("replay", names[0], "--config", "three.toml").error == both)
    #expect(try program("replay", names[1], names[0], "--config", "config.toml").error.isEmpty, "parts of one recording")
  }

  @Test("one without packets is named, once") func empty() throws {
    try write("empty.btsnoop", [])
    try write("plain.btsnoop", [0])
    let told = try program("replay", "plain.btsnoop", "empty.btsnoop", "--decoded")
    #expect(told.exit == 0 && told.error == "forecourt: empty.btsnoop holds no packet\n", "\(told.error)")
  }

  @Test("one whose stamps are beyond every calendar tells its events without a time") func timeless() throws {
    var recording = PacketFile()
    for moment in 0..<3 as Range<UInt64> {
      recording.add([4, 0x3E, 12, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4], at: UInt64(Int64.max) + moment)
    }
    try recording.file.write(to: program.folder.appending(path: "far.btsnoop"))
    try program.write("region.toml", "gateway.purpose = \"told\"\n[[region]]\nname = \"yard\"\nmatch = \"*\"\n")
    let told = try program("replay", "far.btsnoop", "--config", "region.toml")
    #expect(told.exit == 0 && told.out.contains(#""event":"enter""#) && told.out.contains(#""at":null"#), "\(told)")
  }

  @Test("a pipe is no capture that can be played: it would end with its first reader") func pipe() throws {
    #expect(mkfifo(program.folder.appending(path: "pipe").path, 0o600) == 0)
    let told = try program("scan", "--json", "--seconds", "3", "--radio", "capture:pipe")
    #expect(told.exit == 65 && told.error.hasPrefix("forecourt: pipe ") && told.out.isEmpty, "\(told.error)")
  }

  @Test("of a packet that causes several messages all are printed, with a report as without one") func several() throws {
    try write("one.btsnoop", [0])
    try program.write("region.toml", "gateway.purpose = \"told\"\n[[region]]\nname = \"yard\"\nmatch = \"*\"\n")
    let plain = try program("replay", "one.btsnoop", "--config", "region.toml").out
    #expect(plain.contains("region/yard/event") && plain.split(separator: "\n").last?.contains("region/yard/event") == false, "\(plain)")
    #expect(try program("replay", "one.btsnoop", "--config", "region.toml", "--report", "out.html").out == plain)
  }

  @Test("a configuration that keeps the gateway's radios off hides nothing of a recording, and the words about it say so")
  func denied() throws {
    try write("one.btsnoop", [0])
    try program.write("site.toml", TuningTests.site)
    let region = "gateway.purpose = \"told\"\n[[region]]\nname = \"yard\"\nmatch = \"*\"\n"
    try program.write("region.toml", region)
    for permission in ["denied", "when-in-use"] {
      try program.write("other.toml", "gateway.authorization = \"\(permission)\"\n" + region)
      for words in [
        ["replay", "one.btsnoop"], ["simulate", "site.toml"], ["explain", "address:c0:00:00:00:00:01", "--capture", "one.btsnoop"],
        ["replay", "one.btsnoop", "--report", "out.html", "--force"], ["replay", "one.btsnoop", "--decoded"],
      ] {
        let plain = try program.run(words + ["--config", "region.toml"])
        let heard = try program.run(words + ["--config", "other.toml"])
        let line = "forecourt: other.toml: authorization is \"\(permission)\": this is what the gateway would do with \"always\"\n"
        #expect(plain.exit == 0 && plain.error.isEmpty && !plain.out.isEmpty && heard.out == plain.out, "\(heard.out)")
        if words == ["replay", "one.btsnoop"] { #expect(heard.out.contains("region/yard/event")) }
        #expect(heard.error == (words.last == "--decoded" ? "" : line), "\(words): \(heard.error)")
      }
    }
  }

  @Test("a scenario begins at once, whatever its gateway's clock shows then") func ahead() throws {
    try program.write("plain.toml", TuningTests.site)
    try program.write(
      "ahead.toml", TuningTests.site.replacing("at_m = [0, 0]\n[[traveller]]", with: "at_m = [0, 0]\nclock_s = 90000\n[[traveller]]"))
    let plain = try program("simulate", "plain.toml")
    #expect(plain.exit == 0 && plain.out.contains("proximity"))
    #expect(try program("simulate", "ahead.toml").out == plain.out)
    let live = try program("scan", "--json", "--seconds", "3", "--radio", "simulate:ahead.toml")
    #expect(live.exit == 0 && live.out.contains(TuningTests.anna), "\(live)")
    let captured = try program("simulate", "ahead.toml", "--out", "ahead.btsnoop")
    let stamp = try Data(contentsOf: program.folder.appending(path: "ahead.btsnoop"))[32..<40].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(captured.exit == 0 && 90_000_000_000..<90_001_000_000 ~= stamp - 0x00DC_DDB3_0F2F_8000, "a capture has the clock's stamps")
  }

  @Test("an advert without an address says whose it is, if its content does") func anonymous() throws {
    let beacon: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, 1, 0xC5]
    var recording = PacketFile()
    for type in [0xFF, 1] as [UInt8] {
      let sender: [UInt8] = [type] + (type == 1 ? [5, 0, 0, 0, 0, 0xC0] : [0, 0, 0, 0, 0, 0])
      let report: [UInt8] = [0, 0] + sender + [1, 2, 0, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(beacon.count)] + beacon
      recording.add([4, 0x3E, UInt8(report.count + 2), 0x0D, 1] + report, at: 0)
    }
    try recording.file.write(to: program.folder.appending(path: "two.btsnoop"))
    let lines = try program("replay", "two.btsnoop", "--decoded").out.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines { #expect(line.matches(of: #/"identity":"ibeacon:2f2f2f2f-[-2f]*:7:1"/#).count == 1, "\(line)") }
  }
}

/// A capture that a test writes packet by packet.
struct PacketFile {
  private(set) var file = Data("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA]

  /// How many packets such a file has.
  static func count(of file: Data) -> Int {
    var (place, count) = (16, 0)
    while place + 24 <= file.count {
      place += 24 + file[(place + 4)..<(place + 8)].reduce(0) { $0 << 8 | Int($1) }
      count += 1
    }
    return count
  }

  /// In microseconds since 1970.
  mutating func add(_ packet: [UInt8], at microseconds: UInt64) {
    let size = UInt8(packet.count)
    file += [0, 0, 0, size, 0, 0, 0, size, 0, 0, 0, 3, 0, 0, 0, 0]
    withUnsafeBytes(of: (0x00DC_DDB3_0F2F_8000 + microseconds).bigEndian) { file.append(contentsOf: $0) }
    file += packet
  }
}
