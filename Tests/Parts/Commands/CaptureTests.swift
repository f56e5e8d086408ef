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
}

/// The simplest controller, on a unix socket: it takes every command, and reports once when scanning is switched on.
private final class PlainController: Sendable {
  private let door: Int32

  init(at place: String, reporting reports: [[UInt8]]) {
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
        Self.send([4, 0x0E, 68, 1, packet[1], packet[2]] + [UInt8](repeating: 0, count: 65), to: line)
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
