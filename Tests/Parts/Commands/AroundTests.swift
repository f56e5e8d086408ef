import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what stands around the gateway") struct AroundTests {
  private func object(_ message: Message?) throws -> [String: Any] {
    try #require(try message.map { try JSONSerialization.jsonObject(with: Data(String($0.payload).utf8)) } as? [String: Any])
  }

  private func ticket(_ kind: RemoteCommand.Kind = .calibrate) -> Ticket {
    var ticket = Ticket(kind, number: 7)
    ticket.request = Text("r-1")
    return ticket
  }

  // MARK: Commands from the broker

  @Test("a rehearsal says so in its replies, and records nothing") func rehearsal() throws {
    let region = "[[region]]\nname = \"r\"\nmatch = \"address:*\"\n"
    let machine = try Machine("[[radio]]\nname = \"r\"\nadapter = \"capture:none.btsnoop\"\n" + region)
    var commands = RemoteCommands()
    let refusal = commands.startCapture(during: .seconds(1), ticket(), of: [], beside: "outbox.db", machine.gateway, at: .zero)
    #expect(refusal == "a rehearsal records nothing" && commands.nextDeadline == .never)
    let id = try Machine.identity("address:c0:00:00:00:00:01")
    let stranger = try Machine.identity("name:Ann@c0:00:00:00:00:01")
    let secret = commands.startCalibration(of: stranger, at: Meters(1), during: .seconds(5), ticket(), machine.gateway, .zero)
    #expect(secret == "no match names this device: see [privacy] unknown", "whoever asks would learn whether it is here")
    #expect(commands.startCalibration(of: id, at: Meters(1), during: .seconds(5), ticket(), machine.gateway, .zero) == nil)
    let replies = commands.turned(machine.gateway.settings, isOver: true, at: .zero)
    let results = Message.reply(to: ticket(), machine.gateway.settings) { $0.member("samples", 1) }
    for reply in replies + [results, .reply(to: ticket(), machine.gateway.settings, error: nil)] {
      #expect(try object(reply)["simulated"] as? Bool == true)
    }
  }

  @Test("a calibration by command answers once, at its end, for the radio that heard the device best; meanwhile there is no other")
  func calibration() throws {
    var machine = try Machine(
      "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\nreceive_offset_db = 2\n[[region]]\nname = \"r\"\nmatch = \"*\"\n"
    )
    var commands = RemoteCommands()
    let (now, id) = (Instant.zero + .seconds(10), try Machine.identity("address:c0:00:00:00:00:01"))
    func start(_ at: Instant) -> String? {
      commands.startCalibration(of: id, at: Meters(1), during: .seconds(5), ticket(), machine.gateway, at)
    }
    #expect(commands.nextDeadline == .never && start(now) == nil && start(now) == "another is under way")
    #expect(commands.nextDeadline == now + .seconds(5))
    for step in 0..<40 {
      for (radio, level) in [(0, Int8(-80)), (1, -60)] {
        machine.hear(1, at: 10 + Double(step) / 10 + Double(radio) / 50, level: level, radio: radio)
        commands.observe(machine.gateway, radio: radio)
      }
    }
    #expect(commands.turned(machine.gateway.settings, isOver: false, at: now + .seconds(4.9)).isEmpty)
    let replies = commands.turned(machine.gateway.settings, isOver: false, at: now + .seconds(5))
    let reply = try object(replies.first)
    #expect(
      replies.count == 1 && replies[0].care == .reply && replies[0].sequence == 7 && String(replies[0].topic).hasSuffix("/reply/calibrate"))
    #expect(reply["v"] as? Int == 1 && reply["ok"] as? Bool == true && reply["error"] is NSNull && reply["request"] as? String == "r-1")
    #expect(reply["simulated"] == nil)
    #expect(
      reply["measured_power_dbm"] as? Double == -62 && reply["radio"] as? String == "right" && (38...40) ~= reply["samples"] as? Int ?? 0)
    #expect(reply["spread_db"] as? Double == 0 && reply["doubt_db"] as? Double ?? 0 > 0)
    #expect(commands.turned(machine.gateway.settings, isOver: false, at: now + .seconds(6)).isEmpty && commands.nextDeadline == .never)
    #expect(start(now + .seconds(20)) == nil)
    let refused = try object(commands.turned(machine.gateway.settings, isOver: true, at: now + .seconds(21)).first)
    #expect(refused["ok"] as? Bool == false && (refused["error"] as? String)?.hasPrefix("the device was heard too rarely") == true)
    machine.gateway.authorize(.denied, at: now + .seconds(30))
    #expect(start(now + .seconds(30)) == "the radios are off: see authorization")
  }

  @Test("a command does what it says, or says why not") func performed() throws {
    var machine = try Machine("[[region]]\nname = \"r\"\nmatch = \"*\"\n[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n")
    for step in 0..<20 { machine.hear(1, at: 10 + Double(step) / 10, level: -80, beacon: 1) }
    let now = Instant.zero + .seconds(12)
    func perform(_ command: RemoteCommand) -> String? { RemoteCommands.perform(command, on: &machine.gateway, at: now) }
    func isListening() -> Bool { machine.gateway.isListening }
    let anna = try Machine.identity("ibeacon:\(Machine.uuid):7:1")
    #expect(perform(.trigger(Name("door"), anna)) == "there is no trigger of that name")
    let (away, stranger) = try (Machine.identity("ibeacon:\(Machine.uuid):7:2"), Machine.identity("irk:nobody"))
    #expect(perform(.trigger(Name("pump"), away))?.hasPrefix("this trigger's radio does not hear that identity") == true)
    #expect(perform(.trigger(Name("pump"), stranger)) == "the trigger does not look for that identity")
    #expect(perform(.trigger(Name("pump"), anna)) == nil)
    #expect(perform(.trigger(Name("pump"), anna)) == "the trigger has fired for it already")
    #expect(perform(.ranging(.start, region: Name("q"))) == "there is no region of that name")
    for order in [.start, .during(.seconds(5)), .stop] as [RemoteCommand.RangingOrder] {
      #expect(perform(.ranging(order, region: Name("r"))) == nil && perform(.ranging(order, region: Name())) == nil)
    }
    #expect(perform(.ping) == nil && perform(.authorization(.denied)) == nil && !isListening())
    #expect(perform(.trigger(Name("pump"), anna))?.hasPrefix("the gateway may not listen now") == true)
    #expect(perform(.authorization(.always)) == nil && isListening())
  }

  // MARK: What a disk keeps

  /// Waits, for five seconds at most, until the disk thread has done what it was asked.
  private func wait(_ disk: DiskThread, _ job: DiskThread.Job) {
    for _ in 0..<500 where disk.isBusy(job) { usleep(10_000) }
    #expect(!disk.isBusy(job))
  }

  private func log() -> Log { Log(LogSettings(level: .error, format: .text)) }

  @Test("what visits taught is saved once a minute and at the end, only if it has changed or moved, and not by a rehearsal")
  func learnt() throws {
    let program = try Program()
    defer { program.remove() }
    let (folder, bell) = (program.folder.path + "/", Doorbell())
    let disk = DiskThread(waking: bell)
    let thread = disk.start()
    defer {
      disk.stop()
      thread.join()
    }
    var machine = try Machine("[[trigger]]\nname = \"pump\"\nmatch = \"*\"\n")
    let file = folder + "learnt-powers.jsonl"
    func saved() -> Int? { (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n").count }
    func learn(_ number: UInt32) {
      machine.gateway.restore(LearntPowers.Record(Identity(installation: number), power: Decibels(-50), visits: 3))
    }
    var store = LearntPowersStore(beside: folder + "outbox.db", isKept: true)
    func turn(_ seconds: Double, isOver: Bool = false) {
      store.turned(&machine.gateway, isOver: isOver, at: .zero + .seconds(seconds), disk, log())
      wait(disk, .learnt)
    }
    store.restore(&machine.gateway, log())
    turn(1)
    #expect(saved() == nil, "nothing is new")
    learn(1)
    turn(2)
    learn(2)
    turn(61.9)
    #expect(saved() == 1, "not within the minute")
    turn(62)
    #expect(saved() == 2)
    learn(3)
    turn(63, isOver: true)
    #expect(saved() == 3)
    var second = try Machine("[[trigger]]\nname = \"pump\"\nmatch = \"*\"\n")
    var other = LearntPowersStore(beside: folder + "outbox.db", isKept: true)
    other.restore(&second.gateway, log())
    let count = second.gateway.triggers.learnt.count
    #expect(count == 3)
    try FileManager.default.removeItem(atPath: file)
    other.turned(&second.gateway, isOver: true, at: .zero + .seconds(200), disk, log())
    wait(disk, .learnt)
    #expect(saved() == nil, "what was restored is not new")
    var rehearsal = LearntPowersStore(beside: folder + "outbox.db", isKept: false)
    learn(4)
    rehearsal.turned(&machine.gateway, isOver: true, at: .zero + .seconds(300), disk, log())
    wait(disk, .learnt)
    #expect(saved() == nil)
    try FileManager.default.createDirectory(atPath: folder + "other", withIntermediateDirectories: false)
    for place in ["", "other/"] {
      let toml = Array("gateway.purpose = \"x\"\n[outbox]\npath = \"\(folder)\(place)new.db\"\n".utf8)
      other.reload(try Configuration(reading: ConfigurationText(name: "test", text: toml, scope: .whole)))
      other.turned(&second.gateway, isOver: false, at: .zero + .seconds(201), disk, log())
      wait(disk, .learnt)
    }
    let moved = try String(contentsOfFile: folder + "other/new.db.learnt-powers.jsonl", encoding: .utf8)
    #expect(saved() == nil && moved.split(separator: "\n").count == 3, "a reload that moves the outbox takes it along, at once")
  }
}
