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
    #expect(
      try perform(.trigger(Name("pump"), Machine.identity("irk:nobody")))?.hasPrefix("this trigger's radio does not hear that identity")
        == true)
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

  // MARK: Home Assistant

  private func announced(_ ring: Ring<Message>) -> [String] {
    var topics: [String] = []
    while let message = ring.pop() {
      let parts = String(message.topic).split(separator: "/")
      guard parts[0] == "homeassistant" else { continue }
      let kind = parts[1]
      let name = (try? JSONSerialization.jsonObject(with: Data(String(message.payload).utf8)) as? [String: Any])?["name"] as? String
      topics.append("\(kind) \(name ?? "removed")")
    }
    return topics
  }

  private static func entities(of id: String) -> [String] { ["device_tracker \(id)", "sensor \(id) distance", "sensor \(id) level"] }

  @Test("Home Assistant learns of regions and triggers at once, of identities when they are heard, and what is gone is removed")
  func homeAssistant() throws {
    let region = "[[region]]\nname = \"yard\"\nmatch = \"ibeacon:*\"\n"
    let trigger = "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n"
    let wanted = "home_assistant.discovery = true\n"
    let device = "[[device]]\nname = \"Anna\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\n"
    var machine = try Machine(wanted + device + region + trigger)
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 64))
    let ring = Ring<Message>(capacity: 64, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    func due() -> Instant { home.nextDeadline(machine.gateway.devices) }
    func turn(_ seconds: Double) -> [String] {
      home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(seconds))
      return announced(ring)
    }
    #expect(home.hasWork && turn(5) == ["binary_sensor yard", "binary_sensor pump"] && !home.hasWork)
    #expect(due() == .never)
    machine.hear(1, at: 6, beacon: 1)
    machine.hear(9, at: 6)
    #expect(due() == .zero + .seconds(1), "at once: the last look was long ago")
    #expect(turn(6) == ["device_tracker Anna", "sensor Anna distance", "sensor Anna level"], "only who is looked for")
    machine.hear(2, at: 6.5, beacon: 2)
    #expect(due() == .zero + .seconds(7) && turn(6.9) == [])
    #expect(turn(7) == Self.entities(of: "ibeacon:\(Machine.uuid):7:2") && turn(9) == [])
    // A new configuration: all anew, and the region's and the second beacon's are removed.
    let next = wanted + "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\n"
    machine.gateway.reload(try Machine.configuration(next).core, at: .zero + .seconds(9.5))
    home.reload(machine.gateway.devices, machine.gateway.settings)
    let again = turn(10)
    #expect(again.filter { !$0.hasSuffix("removed") }.count == 4 && again.count { $0.hasSuffix("removed") } == 4, "\(again)")
    machine.gateway.reload(try Machine.configuration(region).core, at: .zero + .seconds(10.5))
    home.reload(machine.gateway.devices, machine.gateway.settings)
    #expect(turn(11).allSatisfy { $0.hasSuffix("removed") } && due() == .never)
  }

  @Test(
    "a reload of the same settings, and another, keep who is looked for by another of its names, present or away; others are removed",
    arguments: [
      "[[region]]\nname = \"yard\"\nmatch = \"address:C0:00:00:00:00:01\"\n",
      "[[trigger]]\nname = \"pump\"\nmatch = \"address:C0:00:00:00:00:01\"\n",
      "[[calibration.device]]\nmatch = \"address:C0:00:00:00:00:01\"\nmeasured_power_dbm = -59\n",
    ])
  func homeAssistantByAnotherName(what: String) throws {
    let wanted = "home_assistant.discovery = true\n"
    var machine = try Machine(wanted + what)
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 64))
    let ring = Ring<Message>(capacity: 64, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    func turn(_ seconds: Double) -> [String] {
      home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(seconds))
      return announced(ring)
    }
    func reload(_ toml: String, at seconds: Double) throws {
      machine.gateway.reload(try Machine.configuration(toml).core, at: .zero + .seconds(seconds))
      home.reload(machine.gateway.devices, machine.gateway.settings)
    }
    machine.hear(1, at: 6, beacon: 1)
    let (places, beacon) = (turn(5), Self.entities(of: "ibeacon:\(Machine.uuid):7:1"))
    #expect(places.suffix(3) == beacon, "\(places)")
    for seconds in [7.0, 600, 601] {
      try reload(wanted + what, at: seconds)
      let told = turn(seconds + 0.5)
      #expect(told == places, "at \(seconds) s: \(told)")
    }
    // The numbers of the places change.
    let more = ["region", "trigger"].map { "[[\($0)]]\nname = \"first\"\nmatch = \"ibeacon:\(Machine.uuid):9:*\"\n" }.joined()
    try reload(wanted + more + what, at: 605)
    let moved = turn(605.5)
    #expect(moved.count == places.count + 2 && moved.suffix(3) == beacon, "\(moved)")
    try reload(wanted + "[[region]]\nname = \"other\"\nmatch = \"address:C0:00:00:00:00:02\"\n", at: 610)
    #expect(turn(611).count { $0.hasSuffix("removed") } == places.count + 2)
  }

  @Test("half of the ring stays free for what cannot wait; a hundred identities are enough") func crowded() throws {
    var machine = try Machine("gateway.devices = 300\nhome_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"ibeacon:*\"\n")
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 16))
    let ring = Ring<Message>(capacity: 16, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    for number in 0..<110 as Range<UInt8> { machine.hear(number, at: 1, beacon: number) }
    var all = 0
    for turn in 0..<100 where turn == 0 || home.hasWork {
      home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(2 + Double(turn)))
      #expect(ring.count <= 10)
      all += announced(ring).count
    }
    let due = home.nextDeadline(machine.gateway.devices)
    #expect(all == 1 + 300 && !home.hasWork && due == .never)
  }

  @Test("however many visitors come first, whoever has a name is announced") func named() throws {
    let name = "[[device]]\nname = \"anna\"\nmatch = \"ibeacon:\(Machine.uuid):7:200\"\n"
    let toml = "gateway.devices = 300\nhome_assistant.discovery = true\n[[region]]\nname = \"r\"\nmatch = \"ibeacon:*\"\n"
    var machine = try Machine(toml + name)
    var arena = Arena.taken(bytes: Ring<Message>.bytes(for: 1_024))
    let ring = Ring<Message>(capacity: 1_024, in: &arena)
    var home = HomeAssistant(machine.gateway.settings)
    for number in 0..<110 as Range<UInt8> { machine.hear(number, at: 1, beacon: number) }
    home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(2))
    #expect(announced(ring).count == 1 + 3 * 99)
    machine.hear(200, at: 3, beacon: 200)
    home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(4))
    #expect(announced(ring) == ["device_tracker anna", "sensor anna distance", "sensor anna level"])
    machine.hear(201, at: 5, beacon: 201)
    home.turned(machine.gateway.devices, machine.gateway.settings, into: ring, at: .zero + .seconds(6))
    #expect(announced(ring).isEmpty)
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
    let moved = try String(contentsOfFile: folder + "other/learnt-powers.jsonl", encoding: .utf8)
    #expect(saved() == nil && moved.split(separator: "\n").count == 3, "a reload that moves the outbox takes it along, at once")
  }
}
