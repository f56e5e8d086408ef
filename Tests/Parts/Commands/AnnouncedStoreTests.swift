import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("Whom Home Assistant was told of") final class AnnouncedStoreTests {
  private let program: Program
  private let disk = DiskThread(waking: Doorbell())
  private let join: () -> Void
  private let log = Log(LogSettings(level: .error, format: .text))
  private static let toml = "[[calibration.device]]\nmatch = \"ibeacon:*\"\nmeasured_power_dbm = -59\n"

  init() throws {
    program = try Program()
    let thread = disk.start()
    join = { thread.join() }
  }

  deinit {
    disk.stop()
    join()
    program.remove()
  }

  private var file: String { program.folder.path + "/announced.jsonl" }
  private var kept: [String] {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { String($0.split(separator: "\"")[3].split(separator: ":").last!) }
  }

  private func beacon(_ number: Int) throws -> Identity { try Machine.identity("ibeacon:\(Machine.uuid):7:\(number)") }

  private func store(isKept: Bool = true) -> AnnouncedStore {
    AnnouncedStore(beside: program.folder.path + "/outbox.db", isKept: isKept, stale: .seconds(3), started: .zero, log)
  }

  /// The proximities that a turn publishes, by beacon.
  private func turn(
    _ store: inout AnnouncedStore, _ machine: inout Machine, _ announced: [Identity] = [], isOnline: Bool = true, isOver: Bool = false,
    at seconds: Double
  ) -> [String] {
    while machine.messages.pop() != nil {}
    let now = Instant.zero + .seconds(seconds)
    machine.gateway.tick(at: now)
    while machine.messages.pop() != nil {}
    store.turned(&machine.gateway, announced, isOnline: isOnline, isOver: isOver, at: now, disk, log)
    for _ in 0..<500 where disk.isBusy(.announced) { usleep(10_000) }
    var told: [String] = []
    while let message = machine.messages.pop() {
      let zone = String(message.payload).firstMatch(of: /"zone":"(\w+)"/).map { String($0.1) } ?? ""
      told.append("\(String(message.topic).split(separator: ":").last!) \(zone)")
    }
    return told
  }

  @Test("whoever is not heard 18 s after the start is said to have gone, who is heard stays, once, and over a connection")
  func gone() throws {
    try NewFile.write(AnnouncedFile.text([try beacon(1), try beacon(2), try Machine.identity("irk:anna")]), to: file)
    var machine = try Machine(Self.toml)
    var store = store()
    #expect(store.nextDeadline == .zero + .seconds(18))
    machine.hear(2, at: 17, beacon: 2)
    let early = turn(&store, &machine, at: 17.9)
    let offline = turn(&store, &machine, isOnline: false, at: 18)
    #expect(early == [] && offline == [] && store.nextDeadline == .never && kept == ["1", "2", "anna"])
    let told = turn(&store, &machine, [try beacon(2)], at: 19)
    #expect(told == ["1 unknown", "2 near"], "nobody looks for irk:anna any more")
    let again = turn(&store, &machine, [try beacon(2)], at: 60)
    #expect(again == [] && kept == ["2"])
  }

  @Test("who is announced is saved every ten seconds and at the end, and by no rehearsal") func saved() throws {
    var machine = try Machine(Self.toml)
    var rehearsal = store(isKept: false)
    _ = turn(&rehearsal, &machine, [try beacon(1)], at: 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    var store = store()
    #expect(store.nextDeadline == .never)
    for (seconds, count, isOver, wanted) in [
      (1, 1, false, ["1"]), (5, 2, false, ["1"]), (10.9, 3, false, ["1"]), (11, 3, false, ["1", "2", "3"]),
      (12, 4, true, ["1", "2", "3", "4"]),
    ] as [(Double, Int, Bool, [String])] {
      let announced = try (1...count).map { try beacon($0) }
      _ = turn(&store, &machine, announced, isOver: isOver, at: seconds)
      #expect(kept == wanted, "\(seconds)")
    }
    // The same is not written again.
    try FileManager.default.removeItem(atPath: file)
    _ = turn(&store, &machine, try (1...4).map { try beacon($0) }, at: 40)
    #expect(kept == [])
  }

  @Test("what is not readable is skipped, and a hundred are enough") func damaged() throws {
    let many = try (0..<120).map { try beacon($0) }
    var text = AnnouncedFile.text(many)
    #expect(text.count { $0 == UInt8(ascii: "\n") } == 100)
    text = Array("nonsense\n{\"id\":7}\n{\"id\":\"ibeacon:x\"}\n".utf8) + text + text
    try NewFile.write(text, to: file)
    let read = try AnnouncedFile.read(file)
    #expect(read == Array(many.prefix(100)))
  }

  @Test("a reload that moves the outbox takes the file along at once") func moved() throws {
    var machine = try Machine(Self.toml)
    var store = store()
    _ = turn(&store, &machine, [try beacon(1)], at: 1)
    let other = program.folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    store.reload(try Machine.configuration(Self.toml + "[outbox]\npath = \"\(other)/outbox.db\"\n"))
    _ = turn(&store, &machine, [try beacon(1)], at: 2)
    let text = try String(contentsOfFile: other + "/announced.jsonl", encoding: .utf8)
    #expect(text.contains(":7:1\"") && kept == ["1"])
  }
}
