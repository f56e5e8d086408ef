import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("Which neighbours were met") struct NeighbourStoreTests {
  private func wait(_ disk: DiskThread, _ job: DiskThread.Job) {
    for _ in 0..<500 where disk.isBusy(job) { usleep(10_000) }
    #expect(!disk.isBusy(job))
  }

  private func log() -> Log { Log(LogSettings(level: .error, format: .text)) }

  @Test("neighbours that are heard are saved; those of an earlier run are waited for until they were silent too long, or are forgotten")
  func neighbours() throws {
    let program = try Program()
    defer { program.remove() }
    let folder = program.folder.path + "/"
    let disk = DiskThread(waking: Doorbell())
    let thread = disk.start()
    defer {
      disk.stop()
      thread.join()
    }
    let file = folder + "neighbours.jsonl"
    let now = Int64(Date().timeIntervalSince1970)
    let old = "{\"gateway\":\"old\",\"groups\":\"pumps\",\"seen\":\(now - 31 * 86_400)}\n"
    try (old + "{\"gateway\":\"late\",\"groups\":\"pumps\",\"seen\":\(now - 29 * 86_400)}\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    let toml = "[[trigger]]\nname = \"pump\"\nmatch = \"*\"\ngroup = \"pumps\"\n"
    func names() -> [String] {
      ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map { String($0.split(separator: "\"")[3]) }
    }
    var idle = NeighbourStore(beside: folder + "outbox.db", isKept: false)
    var stranger = try Machine(toml)
    idle.restore(&stranger.gateway, log())
    let isKnown = stranger.gateway.forget(Name("late"))
    #expect(!isKnown, "a rehearsal knows nobody")

    var machine = try Machine(toml)
    var store = NeighbourStore(beside: folder + "outbox.db", isKept: true)
    store.isClockTrusted = true
    store.restore(&machine.gateway, log())
    func turn(_ seconds: Double) {
      store.turned(&machine.gateway, at: .zero + .seconds(seconds), disk, log())
      wait(disk, .neighbours)
    }
    turn(1)
    #expect(names() == ["late"], "who was silent for more than 30 days is dropped")
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence, hello.isOnline) = (Name("new"), Text("0123456789abcdef"), 1, true)
    hello.groups.append(Name("pumps"))
    machine.gateway.receive(hello: hello, at: .zero + .seconds(2))
    turn(2.9)
    #expect(names() == ["late"], "every two seconds")
    turn(3)
    #expect(names() == ["late", "new"])
    try FileManager.default.removeItem(atPath: file)
    turn(5)
    #expect(names() == [], "the same is not written again")
    let (late, gone) = (machine.gateway.forget(Name("late")), machine.gateway.forget(Name("old")))
    #expect(late && !gone)
    store.forget(Name("late"))
    turn(7)
    #expect(names() == ["new"])
  }

  private func names(_ file: String) -> [String] {
    ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map { String($0.split(separator: "\"")[3]) }
  }

  private func greet(_ machine: inout Machine, _ sequence: UInt32, at now: Instant) {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence, hello.isOnline) = (Name("new"), Text("0123456789abcdef"), sequence, true)
    hello.groups.append(Name("pumps"))
    machine.gateway.receive(hello: hello, at: now)
  }

  private static let toml = "[[trigger]]\nname = \"pump\"\nmatch = \"*\"\ngroup = \"pumps\"\n"

  @Test("what could not be written is written a minute later, though nothing has changed meanwhile") func retried() throws {
    let program = try Program()
    defer { program.remove() }
    let folder = program.folder.path + "/sub/"
    let disk = DiskThread(waking: Doorbell())
    let thread = disk.start()
    defer {
      disk.stop()
      thread.join()
    }
    var machine = try Machine(Self.toml)
    var store = NeighbourStore(beside: folder + "outbox.db", isKept: true)
    store.isClockTrusted = true
    func turn(_ seconds: Double) {
      store.turned(&machine.gateway, at: .zero + .seconds(seconds), disk, log())
      wait(disk, .neighbours)
    }
    greet(&machine, 1, at: .zero + .seconds(1))
    turn(2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    turn(50)
    #expect(names(folder + "neighbours.jsonl") == [], "once a minute")
    turn(62)
    #expect(names(folder + "neighbours.jsonl") == ["new"])
    try FileManager.default.removeItem(atPath: folder + "neighbours.jsonl")
    turn(200)
    #expect(names(folder + "neighbours.jsonl") == [], "once it is written it is not written again")
  }

  @Test("with a forget_after_s of a minute a neighbour that is heard all the time is not forgotten") func shortMemory() throws {
    let program = try Program()
    defer { program.remove() }
    let folder = program.folder.path + "/"
    let disk = DiskThread(waking: Doorbell())
    let thread = disk.start()
    defer {
      disk.stop()
      thread.join()
    }
    let long = Int64(Date().timeIntervalSince1970) - 50
    let old = "{\"gateway\":\"new\",\"groups\":\"pumps\",\"seen\":\(long)}\n"
    try old.write(toFile: folder + "neighbours.jsonl", atomically: true, encoding: .utf8)
    var machine = try Machine("[site]\nforget_after_s = 60\n" + Self.toml)
    var store = NeighbourStore(beside: folder + "outbox.db", isKept: true)
    store.isClockTrusted = true
    store.restore(&machine.gateway, log())
    greet(&machine, 1, at: .zero + .seconds(1))
    store.turned(&machine.gateway, at: .zero + .seconds(2), disk, log())
    wait(disk, .neighbours)
    let written = try String(contentsOfFile: folder + "neighbours.jsonl", encoding: .utf8)
    let seen = try #require(written.firstMatch(of: /"seen":(\d+)/).flatMap { Int64($0.1) })
    #expect(seen >= long + 50, "\(written)")
  }
}
