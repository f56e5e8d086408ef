import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("Which neighbours were met") final class NeighbourStoreTests {
  private let program: Program
  private let disk = DiskThread(waking: Doorbell())
  private let join: () -> Void
  private let log = Log(LogSettings(level: .error, format: .text))
  private static let toml = "[[trigger]]\nname = \"pump\"\nmatch = \"*\"\ngroup = \"pumps\"\n"

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

  private var folder: String { program.folder.path + "/" }

  private func store(in folder: String) -> NeighbourStore {
    var store = NeighbourStore(beside: folder + "outbox.db", isKept: true)
    store.isClockTrusted = true
    return store
  }

  private func turn(_ store: inout NeighbourStore, _ machine: inout Machine, isOver: Bool = false, at seconds: Double) {
    store.turned(&machine.gateway, isOver: isOver, at: .zero + .seconds(seconds), disk, log)
    for _ in 0..<500 where disk.isBusy(.neighbours) { usleep(10_000) }
    #expect(!disk.isBusy(.neighbours))
  }

  private func text(in folder: String) -> String { (try? String(contentsOfFile: folder + "neighbours.jsonl", encoding: .utf8)) ?? "" }

  /// Those that are not forgotten.
  private func names(in folder: String) -> [String] {
    text(in: folder).split(separator: "\n").filter { !$0.contains("forgotten") }.map { String($0.split(separator: "\"")[3]) }
  }

  private func forget(_ name: StaticString, _ store: inout NeighbourStore, _ machine: inout Machine, at seconds: Double) -> Bool {
    store.forget(Name(name), in: &machine.gateway, at: .zero + .seconds(seconds))
  }

  private func isAlone(_ machine: borrowing Machine) -> Bool { machine.gateway.triggers.membership.isAlone }

  /// Whether a status of this run goes on to the gateway, which then waits for it.
  private func states(
    _ boot: StaticString, isRetained: Bool, isOnline: Bool = true, _ store: inout NeighbourStore, _ machine: inout Machine
  ) -> Bool {
    var status = Neighbour()
    (status.name, status.boot, status.isOnline, status.isRetained) = (Name("dead"), Text(boot), isOnline, isRetained)
    status.groups.append(Name("pumps"))
    guard store.admit(status, machine.gateway.settings) else { return false }
    machine.gateway.receive(status: status, at: .zero + .seconds(1))
    return true
  }

  private func write(_ lines: [(name: String, seen: Int64)]) throws {
    let text = lines.map { "{\"gateway\":\"\($0.name)\",\"groups\":\"pumps\",\"seen\":\($0.seen)}\n" }.joined()
    try text.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
  }

  private func greet(
    _ machine: inout Machine, _ name: Name = Name("new"), _ boot: Text<16> = Text("0123456789abcdef"), at seconds: Double
  ) {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence, hello.isOnline) = (name, boot, 1, true)
    hello.groups.append(Name("pumps"))
    machine.gateway.receive(hello: hello, at: .zero + .seconds(seconds))
  }

  @Test("neighbours that are heard are saved; those of an earlier run are waited for until they were silent too long, or are forgotten")
  func neighbours() throws {
    let now = Int64(Date().timeIntervalSince1970)
    try write([("old", now - 31 * 86_400), ("late", now - 29 * 86_400)])
    var idle = NeighbourStore(beside: folder + "outbox.db", isKept: false)
    var stranger = try Machine(Self.toml)
    idle.restore(&stranger.gateway, log)
    let isKnown = stranger.gateway.forget(Name("late"))
    #expect(!isKnown, "a rehearsal knows nobody")

    var machine = try Machine(Self.toml)
    var store = store(in: folder)
    store.restore(&machine.gateway, log)
    turn(&store, &machine, at: 1)
    #expect(names(in: folder) == ["late"], "who was silent for more than 30 days is dropped")
    greet(&machine, at: 2)
    turn(&store, &machine, at: 2.9)
    #expect(names(in: folder) == ["late"], "every two seconds")
    turn(&store, &machine, at: 3)
    #expect(names(in: folder) == ["late", "new"])
    try FileManager.default.removeItem(atPath: folder + "neighbours.jsonl")
    turn(&store, &machine, at: 5)
    #expect(names(in: folder) == [], "the same is not written again")
    let (late, gone) = (forget("late", &store, &machine, at: 6), forget("old", &store, &machine, at: 6))
    #expect(late && !gone)
    turn(&store, &machine, at: 7)
    #expect(names(in: folder) == ["new"])
    let new = forget("new", &store, &machine, at: 8)
    turn(&store, &machine, isOver: true, at: 8)
    #expect(new && names(in: folder) == [], "at the end it waits for nothing")
  }

  @Test("what could not be written is written a minute later, though nothing has changed meanwhile") func retried() throws {
    let folder = folder + "sub/"
    var machine = try Machine(Self.toml)
    var store = store(in: folder)
    greet(&machine, at: 1)
    turn(&store, &machine, at: 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    turn(&store, &machine, at: 50)
    #expect(names(in: folder) == [], "once a minute")
    turn(&store, &machine, at: 62)
    #expect(names(in: folder) == ["new"])
    try FileManager.default.removeItem(atPath: folder + "neighbours.jsonl")
    turn(&store, &machine, at: 200)
    #expect(names(in: folder) == [], "once it is written it is not written again")
  }

  @Test("with a forget_after_s of a minute a neighbour that is heard all the time is not forgotten") func shortMemory() throws {
    let long = Int64(Date().timeIntervalSince1970) - 50
    try write([("new", long)])
    var machine = try Machine("[site]\nforget_after_s = 60\n" + Self.toml)
    var store = store(in: folder)
    store.restore(&machine.gateway, log)
    greet(&machine, at: 1)
    turn(&store, &machine, at: 2)
    let written = text(in: folder)
    let seen = try #require(written.firstMatch(of: /"seen":(\d+)/).flatMap { Int64($0.1) })
    #expect(seen >= long + 50, "\(written)")
  }

  @Test("what the broker kept of a forgotten run brings nobody back, in this run or the next; a new run, a fresh status or a hello does")
  func forgotten() throws {
    for sign in 0..<4 {
      var machine = try Machine(Self.toml)
      var store = store(in: folder)
      let begins = states("run 1", isRetained: true, &store, &machine)
      let isForgotten = forget("dead", &store, &machine, at: 1)
      let isBack = states("run 1", isRetained: true, &store, &machine) || forget("dead", &store, &machine, at: 1)
      #expect(begins && isForgotten && !isBack)
      turn(&store, &machine, at: 2)

      machine = try Machine(Self.toml)
      store = self.store(in: folder)
      store.restore(&machine.gateway, log)
      let isBackNext = states("run 1", isRetained: true, &store, &machine) || !isAlone(machine)
      #expect(!isBackNext, "nor in the next run")
      switch sign {
      case 0: _ = states("run 2", isRetained: true, &store, &machine)
      case 1: _ = states("run 1", isRetained: false, &store, &machine)
      case 2: _ = states("run 1", isRetained: true, isOnline: false, &store, &machine)
      default:
        greet(&machine, Name("dead"), Text("run 1"), at: 3)
        turn(&store, &machine, at: 3)
      }
      let lives = states(sign == 0 ? "run 2" : "run 1", isRetained: true, &store, &machine)
      #expect(lives == (sign != 2), "\(sign): its will brings nobody back")
      try FileManager.default.removeItem(atPath: folder + "neighbours.jsonl")
    }
  }

  @Test("a neighbour of which only the broker's copy of a status came is forgotten as soon as others, and never while it renews it")
  func statedOnly() throws {
    let day: Int64 = 86_400
    let now = Int64(Date().timeIntervalSince1970)
    for (days, isFresh, isWaitedFor) in [(29, false, true), (31, false, false), (29, true, true)] as [(Int64, Bool, Bool)] {
      func write(_ seen: Int64) throws {
        let line = "{\"gateway\":\"dead\",\"groups\":\"pumps\",\"seen\":\(seen),\"boot\":\"run 1\",\"standing\":\"stated\"}\n"
        try line.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
      }
      try write(now - days * day)
      var machine = try Machine(Self.toml)
      var store = store(in: folder)
      store.restore(&machine.gateway, log)
      let wasAlone = isAlone(machine)
      let isAdmitted = states("run 1", isRetained: !isFresh, &store, &machine)
      let isNowAlone = isAlone(machine)
      #expect(wasAlone, "the broker has to say so again")
      #expect(isAdmitted == isWaitedFor && isNowAlone != isWaitedFor)
      turn(&store, &machine, at: 2)
      let seen = text(in: folder).firstMatch(of: /"seen":(\d+),/).flatMap { Int64($0.1) } ?? 0
      #expect(isFresh ? seen >= now : seen == now - days * day, "what the broker kept renews nothing")
    }
  }

  @Test("one that is known by the broker's copy alone is forgotten while the gateway runs, too") func running() throws {
    var machine = try Machine("[site]\nforget_after_s = 60\n" + Self.toml)
    var store = store(in: folder)
    let old = Int64(Date().timeIntervalSince1970) - 59
    let line = "{\"gateway\":\"dead\",\"groups\":\"pumps\",\"seen\":\(old),\"boot\":\"run 1\",\"standing\":\"stated\"}\n"
    try line.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
    store.restore(&machine.gateway, log)
    let isAdmitted = states("run 1", isRetained: true, &store, &machine)
    let wasAlone = isAlone(machine)
    sleep(3)
    turn(&store, &machine, at: 4)
    let isNowAlone = isAlone(machine)
    #expect(isAdmitted && !wasAlone && isNowAlone && text(in: folder).contains("\"standing\":\"forgotten\""))
  }

  @Test("while the clock is not set no neighbour expires; from then on its silence counts") func undated() throws {
    var machine = try Machine(Self.toml)
    var store = store(in: folder)
    store.isClockTrusted = false
    _ = states("run 1", isRetained: true, &store, &machine)
    turn(&store, &machine, at: 2)
    #expect(text(in: folder).contains("\"seen\":null,\"boot\":\"run 1\",\"standing\":\"stated\"}"), "\(text(in: folder))")
    store.isClockTrusted = true
    turn(&store, &machine, at: 4)
    #expect(text(in: folder).contains(/"seen":\d+,/), "\(text(in: folder))")
  }

  @Test("the roster's gateways and rehearsals are none of its business") func others() throws {
    var machine = try Machine("[site]\ngateways = [\"gateway\", \"dead\"]\n" + Self.toml)
    var store = store(in: folder)
    let isAdmitted = states("run 1", isRetained: true, &store, &machine)
    var rehearsal = Neighbour()
    (rehearsal.name, rehearsal.boot, rehearsal.isOnline, rehearsal.simulated) = (Name("played"), Text("run 1"), true, true)
    let goesOn = store.admit(rehearsal, try Machine(Self.toml).gateway.settings)
    turn(&store, &machine, at: 2)
    #expect(isAdmitted && goesOn && text(in: folder).isEmpty)
  }

  @Test("a reload that moves the outbox takes the file along at once, also out of a folder that fails") func moved() throws {
    for start in ["", "none/"] {
      var machine = try Machine(Self.toml)
      var store = store(in: folder + start)
      greet(&machine, at: 1)
      turn(&store, &machine, at: 1)
      let other = folder + "other\(start.utf8.count)/"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      let toml = Array("gateway.purpose = \"x\"\n[outbox]\npath = \"\(other)outbox.db\"\n".utf8)
      store.reload(try Configuration(reading: ConfigurationText(name: "test", text: toml, scope: .whole)))
      turn(&store, &machine, at: 3)
      #expect(text(in: other).contains("\"gateway\":\"new\""), "\(start)")
    }
  }

  @Test("whom a damaged line named is waited for, also in the next run, until a new neighbour comes", arguments: 0..<4)
  func unreadable(damage: Int) throws {
    let now = Int64(Date().timeIntervalSince1970)
    try write([("old", now), ("dead", now)])
    let whole = text(in: folder)
    let damaged = [
      String(repeating: "\0", count: whole.utf8.count), whole.replacing("gateway\":\"dead", with: "gatewax\":\"dead"),
      String(whole.dropLast(20)), whole,
    ][damage]
    try damaged.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
    var machine = try Machine(Self.toml)
    var store = store(in: folder)
    store.restore(&machine.gateway, log)
    turn(&store, &machine, at: 1)
    machine = try Machine(Self.toml)
    store = self.store(in: folder)
    store.restore(&machine.gateway, log)
    func isWaitedFor(_ name: Name) -> Bool {
      machine.gateway.triggers.membership.members.indices.contains { machine.gateway.triggers.membership.members[$0].name == name }
    }
    #expect(!isAlone(machine) && isWaitedFor(Name("unreadable")) == (damage < 3))
    greet(&machine, Name("old"), at: 2)
    turn(&store, &machine, at: 3)
    #expect(isWaitedFor(Name("unreadable")) == (1...2 ~= damage), "a line names this one, unless none can be read")
    if damage == 2 {
      let isForgotten = forget("unreadable", &store, &machine, at: 4)
      #expect(isForgotten)
    } else {
      greet(&machine, Name("dead"), at: 4)
    }
    turn(&store, &machine, at: 6)
    #expect(!isWaitedFor(Name("unreadable")) && !names(in: folder).contains("unreadable"))
  }
}
