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

  private func turn(_ store: inout NeighbourStore, _ machine: inout Machine, at seconds: Double) {
    store.turned(&machine.gateway, at: .zero + .seconds(seconds), disk, log)
    for _ in 0..<500 where disk.isBusy(.neighbours) { usleep(10_000) }
    #expect(!disk.isBusy(.neighbours))
  }

  private func text(in folder: String) -> String { (try? String(contentsOfFile: folder + "neighbours.jsonl", encoding: .utf8)) ?? "" }

  private func names(in folder: String) -> [String] {
    text(in: folder).split(separator: "\n").map { String($0.split(separator: "\"")[3]) }
  }

  private func write(_ lines: [(name: String, seen: Int64)]) throws {
    let text = lines.map { "{\"gateway\":\"\($0.name)\",\"groups\":\"pumps\",\"seen\":\($0.seen)}\n" }.joined()
    try text.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
  }

  private func greet(_ machine: inout Machine, at seconds: Double) {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence, hello.isOnline) = (Name("new"), Text("0123456789abcdef"), 1, true)
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
    let (late, gone) = (machine.gateway.forget(Name("late")), machine.gateway.forget(Name("old")))
    #expect(late && !gone)
    store.forget(Name("late"))
    turn(&store, &machine, at: 7)
    #expect(names(in: folder) == ["new"])
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
}
