import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("Whom Home Assistant was told of") final class AnnouncedStoreTests {
  private let program: Program
  private let disk = DiskThread(waking: Doorbell())
  private let join: () -> Void
  private var home: HomeAssistant
  private let log = Log(LogSettings(level: .error, format: .text))
  private static let toml = "home_assistant.discovery = true\n[[calibration.device]]\nmatch = \"ibeacon:*\"\nmeasured_power_dbm = -59\n"

  init() throws {
    program = try Program()
    home = HomeAssistant(try Machine(Self.toml).gateway.settings)
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

  private func beacon(_ number: Int) throws -> Announced { .device(try Machine.identity("ibeacon:\(Machine.uuid):7:\(number)")) }

  private func store(isKept: Bool = true) -> AnnouncedStore {
    AnnouncedStore(beside: program.folder.path + "/outbox.db", isKept: isKept, stale: .seconds(3), started: .zero, log)
  }

  /// The topics that Home Assistant's next turn clears: of its own only the kind.
  private func withdrawn(_ machine: borrowing Machine, at seconds: Double) -> [String] {
    home.turned(machine.gateway, into: machine.messages, at: .zero + .seconds(seconds))
    var topics: [String] = []
    while let message = machine.messages.pop() {
      let parts = String(message.topic).split(separator: "/")
      if message.payload.isEmpty { topics.append(parts[0] == "homeassistant" ? "\(parts[1])" : "\(parts[3])/\(parts[4])") }
    }
    return topics
  }

  /// The proximities that a turn publishes, by beacon.
  private func turn(
    _ store: inout AnnouncedStore, _ machine: inout Machine, isOnline: Bool = true, isOver: Bool = false, at seconds: Double
  ) -> [String] {
    let now = Instant.zero + .seconds(seconds)
    machine.gateway.tick(at: now)
    home.turned(machine.gateway, into: machine.messages, at: now)
    while machine.messages.pop() != nil {}
    store.turned(&machine.gateway, &home, isOnline: isOnline, isOver: isOver, at: now, disk, log)
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
    try NewFile.write(AnnouncedFile.text([try beacon(1), try beacon(2), .device(try Machine.identity("irk:anna"))]), to: file)
    var machine = try Machine(Self.toml)
    var store = store()
    home = HomeAssistant(machine.gateway.settings)
    #expect(store.nextDeadline == .zero + .seconds(18))
    machine.hear(2, at: 17, beacon: 2)
    let early = turn(&store, &machine, at: 17.9)
    let offline = turn(&store, &machine, isOnline: false, at: 18)
    #expect(early == [] && offline == [] && store.nextDeadline == .never && kept == ["2", "1", "anna"])
    let told = turn(&store, &machine, at: 19)
    #expect(told == ["1 unknown", "2 near"], "nobody looks for irk:anna any more")
    let (gone, again) = (withdrawn(machine, at: 20), turn(&store, &machine, at: 60))
    #expect(gone == ["device_tracker", "sensor", "sensor"], "irk:anna's entities: \(gone)")
    #expect(again == ["2 unknown", "1 unknown"], "who is looked for is told of once a minute, wherever it is")
    #expect(kept == ["2", "1", "anna"], "a broker that was killed may still have irk:anna's entities")
  }

  @Test("what the settings lack is withdrawn, switched off everything is; states are cleared in both cases, but not of what there still is")
  func withdrawn() throws {
    let states = [("yard", .region), ("old", .region), ("pump", .trigger)].map { Announced.state(RetainedState(of: $1, Name($0))) }
    let all: [Announced] = [.region(Name("yard")), .region(Name("old")), .trigger(Name("pump")), try beacon(1)] + states
    for (isOn, wanted) in [
      (true, ["binary_sensor", "binary_sensor"]),
      (false, ["binary_sensor", "binary_sensor", "binary_sensor", "device_tracker", "sensor", "sensor"]),
    ] {
      try NewFile.write(AnnouncedFile.text(all), to: file)
      var machine = try Machine("home_assistant.discovery = \(isOn)\n[[region]]\nname = \"yard\"\nmatch = \"ibeacon:*\"\n")
      var store = store()
      home = HomeAssistant(machine.gateway.settings)
      let early = turn(&store, &machine, isOnline: false, at: 0.9)
      #expect(early == [] && kept.contains("pump"))
      let cleared = turn(&store, &machine, at: 1)
      #expect(withdrawn(machine, at: 2) == [])
      _ = turn(&store, &machine, at: 18)
      let gone = withdrawn(machine, at: 19)
      #expect(gone == wanted, "\(isOn): \(gone)")
      #expect(cleared == ["forecourt/site/gateway/region/old ", "forecourt/site/gateway/trigger/pump/state "])
      _ = turn(&store, &machine, at: 60)
      #expect(kept == (isOn ? ["yard", "1", "yard", "old", "pump", "old", "pump"] : ["yard", "old", "pump", "yard", "old", "pump", "1"]))
    }
  }

  /// Two configurations: with a region, and without it.
  private func configuration(_ hasYard: Bool) throws -> Configuration {
    let yard = hasYard ? "[[region]]\nname = \"yard\"\nmatch = \"ibeacon:*\"\n" : ""
    return try Machine.configuration(
      "home_assistant.discovery = true\n\(yard)[outbox]\npath = \"\(program.folder.path)/outbox.db\"\n")
  }

  private func reload(_ store: inout AnnouncedStore, _ machine: inout Machine, hasYard: Bool, at seconds: Double) throws {
    store.reload(try configuration(hasYard))
    let next = try configuration(hasYard).core
    machine.gateway.reload(next, at: .zero + .seconds(seconds))
    home.reload(machine.gateway.devices, machine.gateway.settings)
  }

  private static let cleared = ["forecourt/site/gateway/region/yard "]

  @Test("what a reload removed is written down at once, and cleared again over each new line and every ten minutes, unless it is back")
  func clearedAgain() throws {
    var machine = try Machine("home_assistant.discovery = true\n[[region]]\nname = \"yard\"\nmatch = \"ibeacon:*\"\n")
    var store = store()
    home = HomeAssistant(machine.gateway.settings)
    _ = turn(&store, &machine, at: 20)
    try reload(&store, &machine, hasYard: false, at: 21)
    // What the reload itself clears is dropped by `turn`.
    let atOnce = turn(&store, &machine, isOnline: false, at: 21)
    #expect(atOnce == [] && kept == ["yard", "yard"] && store.nextDeadline == .never)
    for (seconds, isOnline, isCleared) in [
      (30, true, true), (31, true, false), (40, false, false), (41, true, true), (620.9, true, false), (621, true, true),
      (622, true, false), (1_221, true, true),
    ] as [(Double, Bool, Bool)] {
      let states = turn(&store, &machine, isOnline: isOnline, at: seconds)
      let entities = withdrawn(machine, at: seconds)
      #expect(states == (isCleared ? Self.cleared : []) && entities == (isCleared ? ["binary_sensor"] : []), "\(seconds)")
    }
    #expect(store.nextDeadline == .zero + .seconds(1_821))
    try reload(&store, &machine, hasYard: true, at: 1_300)
    _ = turn(&store, &machine, at: 1_300)
    _ = turn(&store, &machine, isOnline: false, at: 1_301)
    let back = turn(&store, &machine, at: 1_900)
    #expect(back == [] && withdrawn(machine, at: 1_901) == [] && kept == ["yard", "yard"])
  }

  @Test("the next run goes on clearing what was removed, for twenty hours with a line, and then forgets it") func forgotten() throws {
    let all: [Announced] = [.state(RetainedState(of: .region, Name("yard"))), .region(Name("yard"))]
    try NewFile.write(AnnouncedFile.text(all), to: file)
    var machine = try Machine("home_assistant.discovery = true\n")
    var store = store()
    home = HomeAssistant(machine.gateway.settings)
    let first = turn(&store, &machine, at: 1)
    _ = turn(&store, &machine, at: 19)
    #expect(first == Self.cleared && Set(kept) == ["yard"])
    for round in 1...120 {
      let states = turn(&store, &machine, at: 1 + Double(round) * 600)
      #expect(states == Self.cleared && kept == (round < 120 ? ["yard", "yard"] : []), "round \(round)")
    }
    let last = turn(&store, &machine, at: 73_000)
    #expect(last == [] && store.nextDeadline == .never)
  }

  @Test("what is announced is saved every ten seconds and at the end, and by no rehearsal") func saved() throws {
    var machine = try Machine(Self.toml)
    var rehearsal = store(isKept: false)
    _ = turn(&rehearsal, &machine, at: 1)
    #expect(!FileManager.default.fileExists(atPath: file))
    var store = store()
    home = HomeAssistant(machine.gateway.settings)
    #expect(store.nextDeadline == .never)
    for (seconds, count, isOver, wanted) in [
      (2, 1, false, ["1"]), (5, 2, false, ["1"]), (11.9, 3, false, ["1"]), (12, 3, false, ["1", "2", "3"]),
      (13.5, 4, true, ["1", "2", "3", "4"]),
    ] as [(Double, UInt8, Bool, [String])] {
      for number in 1...count { machine.hear(number, at: seconds - 0.1, beacon: number) }
      _ = turn(&store, &machine, isOver: isOver, at: seconds)
      #expect(kept == wanted, "\(seconds)")
    }
    // The same is not written again.
    try FileManager.default.removeItem(atPath: file)
    _ = turn(&store, &machine, at: 40)
    #expect(kept == [])
  }

  @Test("what is not readable is skipped, and 484 are enough") func damaged() throws {
    let many = [.region(Name("yard")), .trigger(Name("yard"))] + (try (0..<500).map { try beacon($0) })
    var text = AnnouncedFile.text(many)
    #expect(text.count { $0 == UInt8(ascii: "\n") } == 484)
    text = Array("nonsense\n{\"region_state\":7}\n{\"id\":7}\n{\"region\":[]}\n{\"id\":\"ibeacon:x\"}\n".utf8) + text + text
    try NewFile.write(text, to: file)
    let read = try AnnouncedFile.read(file)
    #expect(read == Array(many.prefix(484)))
  }

  @Test("what could not be written is written a minute later, and at the end", arguments: [false, true]) func retried(atEnd: Bool) throws {
    var machine = try Machine(Self.toml)
    let folder = program.folder.path + "/sub"
    var store = AnnouncedStore(beside: folder + "/outbox.db", isKept: true, stale: .seconds(3), started: .zero, log)
    home = HomeAssistant(machine.gateway.settings)
    machine.hear(1, at: 0.9, beacon: 1)
    _ = turn(&store, &machine, at: 1)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    func isThere() -> Bool { FileManager.default.fileExists(atPath: folder + "/announced.jsonl") }
    _ = turn(&store, &machine, at: 60.9)
    #expect(!isThere())
    _ = turn(&store, &machine, isOver: atEnd, at: atEnd ? 60.95 : 71)
    #expect(isThere())
    try FileManager.default.removeItem(atPath: folder + "/announced.jsonl")
    _ = turn(&store, &machine, isOver: true, at: 200)
    #expect(!isThere(), "once")
  }

  @Test("a reload that moves the outbox takes the file along at once") func moved() throws {
    var machine = try Machine(Self.toml)
    var store = store()
    home = HomeAssistant(machine.gateway.settings)
    machine.hear(1, at: 0.9, beacon: 1)
    _ = turn(&store, &machine, at: 1)
    let other = program.folder.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    store.reload(try Machine.configuration(Self.toml + "[outbox]\npath = \"\(other)/outbox.db\"\n"))
    _ = turn(&store, &machine, at: 2)
    let text = try String(contentsOfFile: other + "/announced.jsonl", encoding: .utf8)
    #expect(text.contains(":7:1\"") && kept == ["1"])
  }
}
