import Foundation
import Testing

@Suite("capture records a radio") final class CaptureTests {
  let program: Program
  init() throws {
    program = try Program()
    try program.write("config.toml", "gateway.purpose = \"told\"\n")
  }
  deinit { program.remove() }

  @Test("what it heard until its time was over is in the file when it ends, and it says how much that is") func recorded() throws {
    let place = program.folder.path + "/radio"
    let controller = PlainController(at: place, reporting: (1...3).map { DaemonRig.advert($0) })
    defer { controller.close() }
    let told = try program("capture", "out.btsnoop", "--radio", "unix:" + place, "--seconds", "1")
    #expect(told.exit == 0 && told.out.isEmpty && told.errorLines.count == 2, "\(told.error)")
    #expect(told.errorLines[0] == "forecourt: unix:\(place): listening")
    let packets = try #require(told.errorLines.last?.wholeMatch(of: #/out.btsnoop: (\d+) packets/#)).1
    let lines = try program("replay", "out.btsnoop", "--decoded").out.split(separator: "\n")
    #expect(
      lines.count == 3 && zip(lines, 1...3).allSatisfy { $0.contains(#""identity":"ibeacon:\#(Machine.uuid):7:\#($1)""#) }, "\(lines)")
    // Our own commands and their answers are there as well.
    let file = try Data(contentsOf: program.folder.appending(path: "out.btsnoop"))
    #expect(PacketFile.count(of: file) == Int(packets) && Int(packets)! > 3 + 2 * 3, "\(packets)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path).sorted() == ["config.toml", "out.btsnoop", "radio"])
  }

  @Test("a disk that is full ends it, and the packets that were written by then are kept, beside a file that was there")
  func full() throws {
    let place = program.folder.path + "/radio"
    let controller = PlainController(at: place, reporting: (1...3).map { DaemonRig.advert($0) })
    defer { controller.close() }
    var program = program
    // A file may have no more than two such blocks: what is written last is cut.
    program.starter = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""]
    let told = try program("capture", "out.btsnoop", "--radio", "unix:" + place, "--seconds", "60")
    let words = #/forecourt: out.btsnoop cannot be written: .*; (\d+) packets from before \((\d+) bytes\) are kept in out.btsnoop/#
    let (_, packets, bytes) = try #require(told.errorLines.last?.wholeMatch(of: words), "\(told)").output
    #expect(told.exit == 1 && told.out.isEmpty && Int(packets)! > 1)
    let file = program.folder.appending(path: "out.btsnoop")
    let kept = try Data(contentsOf: file)
    #expect(PacketFile.count(of: kept) == Int(packets) && kept.count == Int(bytes) && kept.count <= 2_048)
    #expect(try self.program("replay", "out.btsnoop", "--decoded").exit == 0, "it ends where a packet does")
    try program.write("out.btsnoop", "what was there")
    let second = PlainController(at: place + "2", reporting: [])
    defer { second.close() }
    let again = try program("capture", "out.btsnoop", "--radio", "unix:" + place + "2", "--seconds", "60", "--force")
    #expect(again.exit == 1 && again.error.contains("are kept in out.btsnoop.part\n"), "\(again)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "what was there")
  }

  @Test("its own configuration is not replaced, with --force neither") func ownConfiguration() throws {
    let text = "gateway.purpose = \"told\"\n"
    try program.write("here.toml", text)
    let told = try program("capture", "here.toml", "--config", "here.toml", "--radio", "tcp:127.0.0.1:9", "--seconds", "1", "--force")
    #expect(told.exit == 64 && told.error.contains("here.toml is the same file as here.toml: name another one"), "\(told)")
    #expect(try String(contentsOf: program.folder.appending(path: "here.toml"), encoding: .utf8) == text)
  }

  @Test("each radio has a file of its own; for one that heard nothing there is none, and that is said") func several() throws {
    let place = program.folder.path + "/radio"
    let controller = PlainController(at: place, reporting: [DaemonRig.advert(1)])
    defer { controller.close() }
    var text = "gateway.purpose = \"told\"\n"
    for (name, adapter) in [("left", "tcp:127.0.0.1:9"), ("right", "unix:" + place)] {
      text += "[[radio]]\nname = \"\(name)\"\nadapter = \"\(adapter)\"\n"
    }
    try program.write("config.toml", text)
    let told = try program("capture", "out.btsnoop", "--seconds", "2")
    #expect(told.error.contains("out.left.btsnoop: nothing was heard, so no file was written\n"), "\(told)")
    #expect(told.error.contains(/out\.right\.btsnoop: \d+ packets\n/), "\(told)")
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(Set(names) == ["config.toml", "out.right.btsnoop", "radio"], "\(names)")
  }

  @Test(
    "whoever listens is told that two sticks have changed their places since the gateway knew them, if it matters",
    arguments: [(true, true), (false, true), (true, false)])
  func swapped(isSwapped: Bool, isApart: Bool) throws {
    var text = "gateway.purpose = \"told\"\noutbox.path = \"outbox.db\"\n"
    for name in ["left", "right"] {
      text += "[[radio]]\nname = \"\(name)\"\nadapter = \"unix:\(name)\"\n[[trigger]]\nname = \"\(name)\"\n"
      text += "match = \"*\"\n" + (isApart ? "radio = \"\(name)\"\n" : "")
    }
    try program.write("config.toml", text)
    let line = "{\"radio\":\"left\",\"address\":\"AA:BB:CC:DD:EE:01\"}\n{\"radio\":\"right\",\"address\":\"AA:BB:CC:DD:EE:02\"}\n"
    try program.write("adapters.jsonl", line)
    var program = program
    // Enter starts calibrate.
    program.starter = ["/bin/sh", "-c", "echo | \"$0\" \"$@\""]
    let commands = [
      ["scan", "--json", "--seconds", "2"], ["capture", "out.btsnoop", "--seconds", "2"],
      ["calibrate", "fixed", "--id", "ibeacon:\(Machine.uuid):7:1", "--place", "left=1", "--seconds", "5"],
      ["identify", "aa:bb:cc:dd:ee:ff", "--seconds", "2"],
    ]
    let isTold = isSwapped && isApart
    for words in commands.prefix(isTold ? 4 : 1) {
      let controllers = controllers(isSwapped)
      defer { for controller in controllers { controller.close() } }
      let told = try program.run(words).errorLines
      for (radio, other) in [("left", "right"), ("right", "left")] {
        let words = "forecourt: radio \(radio) has the adapter that radio \(other) had: nothing will fire at either"
        #expect(told.count { $0.hasPrefix(words) } == (isTold ? 1 : 0), "\(told)")
      }
    }
    guard isTold else { return }
    let controllers = controllers(isSwapped)
    defer { for controller in controllers { controller.close() } }
    let shown = try self.program.onTerminal(["scan"]) { terminal, _ in
      _ = terminal.shows { $0.frame[0].contains("radio left has the adapter that radio right had") }
      terminal.type("q")
    }
    #expect(shown.terminal.frame[0].contains("radio left has the adapter that radio right had"), "\(shown.terminal.text)")
    #expect(!shown.terminal.text.contains("forecourt: radio "), "no line scribbles over the table")
  }

  private func controllers(_ isSwapped: Bool) -> [PlainController] {
    [("left", isSwapped ? 2 : 1), ("right", isSwapped ? 1 : 2)].map { name, number in
      let place = program.folder.path + "/" + name
      unlink(place)
      return PlainController(at: place, reporting: [DaemonRig.advert(1)], address: 0xAABB_CCDD_EE00 + UInt64(number))
    }
  }
}

/// The simplest controller, on a unix socket: it takes every command, and reports once when scanning is switched on.
private final class PlainController: Sendable {
  private let door: Int32

  init(at place: String, reporting reports: [[UInt8]], address number: UInt64 = 0) {
    let door = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = UInt16(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(place.utf8.prefix(107))) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(door, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    precondition(bound == 0 && listen(door, 1) == 0)
    self.door = door
    Thread.detachNewThread {
      let line = accept(door, nil, nil)
      guard line >= 0 else { return }
      while let packet = Self.command(from: line) {
        // Read BD_ADDR.
        let asked = packet[1] == 9 && packet[2] == 0x10 ? number : 0
        let answer = [0] + (0..<6).map { UInt8(truncatingIfNeeded: asked >> (8 * $0)) } + [UInt8](repeating: 0, count: 58)
        Self.send([4, 0x0E, 68, 1, packet[1], packet[2]] + answer, to: line)
        // LE Set Scan Enable.
        if packet.dropFirst().prefix(4).elementsEqual([0x0C, 0x20, 2, 1]) { for report in reports { Self.send(report, to: line) } }
      }
      Glibc.close(line)
    }
  }

  func close() {
    shutdown(door, Int32(SHUT_RDWR))
    Glibc.close(door)
  }

  private static func command(from line: Int32) -> [UInt8]? {
    guard let head = read(4, from: line) else { return nil }
    return read(Int(head[3]), from: line).map { head + $0 }
  }

  private static func read(_ count: Int, from line: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = bytes.withUnsafeMutableBytes { recv(line, $0.baseAddress! + filled, count - filled, 0) }
      guard taken > 0 else { return nil }
      filled += taken
    }
    return bytes
  }

  private static func send(_ bytes: [UInt8], to line: Int32) {
    _ = bytes.withUnsafeBytes { Glibc.send(line, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }
}
