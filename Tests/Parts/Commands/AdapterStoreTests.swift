import Foundation
import Testing

import struct Host.Thread

@testable import Core
@testable import Host
@testable import forecourt

@Suite("Sticks that a restart has numbered otherwise") final class AdapterStoreTests {
  private let program: Program
  private let disk = DiskThread(waking: Doorbell())
  private let join: () -> Void
  private let log = Log(LogSettings(level: .error, format: .text))
  private let radios: [Radio]
  private static let toml = """
    gateway.purpose = "told"
    [[radio]]
    name = "left"
    [[radio]]
    name = "right"
    adapter = "hci1"
    [[trigger]]
    name = "pump-1"
    match = "*"
    radio = "left"
    [[trigger]]
    name = "pump-2"
    match = "*"
    radio = "right"

    """

  init() throws {
    program = try Program()
    let thread = disk.start()
    join = { thread.join() }
    var arena = Arena.taken(bytes: 2 * Radio.bytes)
    radios = [Name("left"), Name("right")].map { Radio(name: $0, listener: Doorbell(), echoes: false, in: &arena) }
  }

  deinit {
    disk.stop()
    join()
    program.remove()
  }

  private var file: String { program.folder.path + "/adapters.jsonl" }
  private var lines: [String] {
    ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  private func configuration(_ toml: String = toml) throws -> Configuration {
    try Configuration(reading: ConfigurationText(name: "test", text: Array(toml.utf8), scope: .whole))
  }

  private func store(_ toml: String = toml, isKept: Bool = true) throws -> AdapterStore {
    let read = try configuration(toml)
    return AdapterStore(beside: program.folder.path + "/outbox.db", isKept: isKept, read.core, read.host.adapters, log)
  }

  private static func report(_ number: UInt64) -> Radio.Status {
    var report = Radio.Status()
    (report.isOpen, report.profile.isWhole, report.profile.address) = (true, true, Address(0xAABB_CCDD_EE00 | number, type: 0))
    return report
  }

  private func answer(_ store: inout AdapterStore, _ left: UInt64, _ right: UInt64, at seconds: Double = 1) -> [Sentence?]? {
    store.record(Self.report(left), of: 0, log)
    store.record(Self.report(right), of: 1, log)
    return turn(&store, at: seconds)
  }

  private func turn(_ store: inout AdapterStore, isOver: Bool = false, at seconds: Double) -> [Sentence?]? {
    let words = store.turned(radios, isOver: isOver, at: .zero + .seconds(seconds), disk, log)
    for _ in 0..<500 where disk.isBusy(.adapters) { usleep(10_000) }
    return words
  }

  @Test("what was swapped is deaf and says so; swapped back it hears again; what is saved stays as it was") func swapped() throws {
    var first = try store()
    #expect(answer(&first, 1, 2) == nil)
    let saved = [#"{"radio":"left","address":"AA:BB:CC:DD:EE:01"}"#, #"{"radio":"right","address":"AA:BB:CC:DD:EE:02"}"#]
    #expect(lines == saved)
    var second = try store()
    let told = answer(&second, 2, 1)
    let words = try #require(told)
    #expect(radios.map(\.isMisplaced) == [true, true] && lines == saved)
    let left = "radio left has the adapter of radio right: nothing fires at either; name adapters by address; the log tells more"
    let right = "radio right has the adapter of radio left: nothing fires at either; name adapters by address; the log tells more"
    #expect(words.map { $0.map { String($0) } } == [left, right])
    #expect(turn(&second, at: 2) == nil, "said once")
    // What the radio's thread says on the way there changes nothing.
    var half = Self.report(2)
    half.profile = Profile()
    second.record(half, of: 0, log)
    #expect(turn(&second, at: 3) == nil && radios[0].isMisplaced)
    let back = answer(&second, 1, 2, at: 4)
    #expect(try #require(back).allSatisfy { $0 == nil } && !radios[0].isMisplaced && !radios[1].isMisplaced)
  }

  @Test("a line that is lost takes its adapter along") func lost() throws {
    var first = try store()
    _ = answer(&first, 1, 2)
    var gone = Radio.Status()
    gone.profile.isWhole = true
    first.record(gone, of: 0, log)
    first.record(Self.report(1), of: 1, log)
    #expect(turn(&first, at: 2) != nil && radios.map(\.isMisplaced) == [false, true], "what left had is at right now")
  }

  @Test("a rehearsal, and an adapter for once, neither read nor write") func idle() throws {
    try #"{"radio":"left","address":"AA:BB:CC:DD:EE:02"}"#.write(toFile: file, atomically: true, encoding: .utf8)
    var store = try store(isKept: false)
    #expect(answer(&store, 1, 2) == nil && radios.map(\.isMisplaced) == [false, false] && lines.count == 1)
  }

  @Test("where any order is right none is refused; once a trigger names its radio, a swap counts") func alike() throws {
    let alike = Self.toml.replacing("radio = \"left\"\n", with: "").replacing("radio = \"right\"\n", with: "")
    var store = try store(alike)
    _ = answer(&store, 1, 2)
    #expect(answer(&store, 2, 1) == nil && lines.first == #"{"radio":"left","address":"AA:BB:CC:DD:EE:02"}"#)
    store.reload(try configuration())
    #expect(turn(&store, at: 2) == nil, "the last order is the right one")
    #expect(answer(&store, 1, 2, at: 3) != nil && radios[0].isMisplaced)
    store.reload(try configuration(alike))
    #expect(turn(&store, at: 4) != nil && !radios[0].isMisplaced)
  }

  @Test("what could not be written is written a minute later") func retried() throws {
    let read = try configuration()
    let folder = program.folder.path + "/sub/"
    var store = AdapterStore(beside: folder + "outbox.db", isKept: true, read.core, read.host.adapters, log)
    _ = answer(&store, 1, 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = turn(&store, at: 60)
    #expect(!FileManager.default.fileExists(atPath: folder + "adapters.jsonl"))
    _ = turn(&store, at: 61)
    #expect(FileManager.default.fileExists(atPath: folder + "adapters.jsonl"))
  }

  @Test("a reload that moves the outbox takes the file along, and one that does not writes nothing") func moved() throws {
    var store = try store()
    _ = answer(&store, 1, 2)
    try FileManager.default.removeItem(atPath: file)
    let folder = program.folder.path + "/"
    try FileManager.default.createDirectory(atPath: folder + "other", withIntermediateDirectories: false)
    for (outbox, name) in [("outbox", "adapters"), ("else", "else.db.adapters"), ("other/outbox", "other/adapters")] {
      store.reload(try configuration(Self.toml + "[outbox]\npath = \"\(folder)\(outbox).db\"\n"))
      _ = turn(&store, at: 2)
      let moved = try? String(contentsOfFile: "\(folder)\(name).jsonl", encoding: .utf8)
      #expect(moved?.split(separator: "\n").count == (outbox == "outbox" ? nil : 2), "\(outbox)")
    }
  }

  @Test("the status says which radio is misplaced, in place of what is wrong with it") func status() throws {
    let read = try configuration()
    var publisher = StatusPublisher(read.core, Text("0123456789abcdef"), radios, read.host.adapters)
    var report = Self.report(1)
    report.condition = .degraded(.misplaced)
    _ = publisher.record(report, radio: 1)
    publisher.record(misplaced: [nil, Sentence("right has left's")])
    let news = publisher.nextReport(nil, .always)
    let told = try #require(news)
    #expect(told.state == .degraded && told.reason == Sentence("right has left's"))
    #expect(publisher.lastingTrouble == nil, "the run goes on: the sticks may be swapped back")
  }
}
