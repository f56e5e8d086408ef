import Foundation
import Testing

import struct Host.Thread

@testable import Core
@testable import Host
@testable import forecourt

/// The daemon behind `run --print` within the test: its radios have no threads, its moments are the test's, and what it prints is read here.
struct DaemonRig: ~Copyable {
  let program: Program
  let started: Instant
  let sink: MessageSink
  let radios: [Radio]
  var daemon: Daemon
  private let diskThread: DiskThread
  private let thread: Thread
  private let printed: FileHandle
  /// The configuration's radios.
  private let written: String

  /// A configuration without `gateway.purpose`, whose files stand in a folder of their own, FOLDER.
  init(_ toml: String, radios names: [StaticString] = ["hci0"]) throws {
    let program = try Program()
    var adapters = ""
    for (number, name) in names.enumerated() { adapters += "\n[[radio]]\nname = \"\(name)\"\nadapter = \"hci\(number)\"\n" }
    let written = adapters
    try Self.write(toml + written, in: program)
    let place = program.folder.appending(path: "printed").path
    _ = FileManager.default.createFile(atPath: place, contents: nil)
    let printed = try #require(FileHandle(forUpdatingAtPath: place))
    let file = program.folder.appending(path: "config.toml").path
    let invocation = try Invocation(.run, ["--print", "--config", file], Output(to: printed.fileDescriptor))
    let configuration = try invocation.configuration(.whole)
    let (started, bell, boot) = (Clock.now(), Doorbell(), Text<16>("0123456789abcdef"))
    var arena = Arena.taken(bytes: Daemon.bytes(configuration.core) + names.count * Radio.bytes)
    var radios: [Radio] = []
    for name in names { radios.append(Radio(name: Name(name), listener: bell, echoes: false, in: &arena)) }
    let sink = MessageSink(configuration, boot, started: started, bell, invocation, in: &arena)
    let diskThread = DiskThread(waking: bell)
    let places = names.map { _ in Adapter.hci(.number(0), mode: .user) }
    let daemon = try Daemon(configuration, boot, started: started, radios, places, sink, diskThread, invocation, in: &arena)
    (self.program, self.printed, self.started, self.radios, self.sink) = (program, printed, started, radios, sink)
    self.written = written
    (self.diskThread, thread) = (diskThread, diskThread.start())
    self.daemon = daemon
  }

  deinit {
    diskThread.stop()
    thread.join()
    program.remove()
  }

  static func write(_ toml: String, in program: Program) throws {
    let folder = program.folder.path + "/"
    let head = "gateway.purpose = \"told\"\noutbox.path = \"FOLDER/outbox.db\"\n"
    try program.write("config.toml", (head + toml).replacing("FOLDER/", with: folder))
  }

  func reads(_ toml: String) throws { try Self.write(toml + written, in: program) }

  /// An advert of the iBeacon with this minor number.
  static func advert(_ beacon: UInt8, level: Int8 = -50) -> [UInt8] {
    let data: [UInt8] = [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, beacon, 0xC5]
    let report = [3, 1, beacon, 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [UInt8(bitPattern: level)]
    return [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
  }

  mutating func receive(_ packet: [UInt8], at seconds: Double, radio: Int = 0) {
    daemon.receive(packet.span.bytes, radio: radio, at: started + .seconds(seconds))
  }

  /// The end of a turn, and what it has printed: each message's topic below the gateway's, and its payload.
  mutating func turn(at seconds: Double) throws -> (goesOn: Bool, lines: [String]) {
    let before = try printed.seekToEnd()
    let goesOn = daemon.turned(at: started + .seconds(seconds))
    try printed.seek(toOffset: before)
    let text = String(decoding: try printed.readToEnd() ?? Data(), as: UTF8.self)
    return (goesOn, text.split(separator: "\n").map(String.init))
  }

  /// A command from the broker, whose request member is its own name.
  func command(_ command: RemoteCommand) {
    var ticket = Ticket(command.kind, number: 1)
    ticket.request = Text(command.kind.name)
    _ = sink.requests.push(.command(command, ticket))
  }

  /// Turns until something is printed that contains these words, for five seconds at most; the disk has its own time.
  mutating func turns(at seconds: Double, until words: String) throws -> [String] {
    var all: [String] = []
    for _ in 0..<500 {
      all += try turn(at: seconds).lines
      if all.contains(where: { $0.contains(words) }) { return all }
      usleep(10_000)
    }
    Issue.record("\(words) was not printed: \(all)")
    return all
  }
}
