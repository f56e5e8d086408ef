import Foundation
import Testing

@testable import Core
@testable import Host

@Suite("events lists what the outbox holds") final class EventsTests {
  var program: Program
  private static let day = Int64(1_795_305_600_000_000)

  init() throws {
    program = try Program()
    try program.write("config.toml", "gateway.purpose = \"told\"\noutbox.path = \"outbox.db\"\n")
    var settings = OutboxSettings()
    settings.path = Path(program.folder.path + "/outbox.db")
    let outbox = try Outbox(settings, machine: 1)
    var moment = Moment(at: .zero, wall: Self.day, isTrusted: true)
    try outbox.startTransaction(isDurable: true)
    for (number, (event, id)) in [
      ("arm", "irk:anna"), ("fire", "irk:anna"), ("arm", "address:c0:00:00:00:00:0a"), ("leave", "irk:anna"), ("enter", "irk:anna"),
    ].enumerated() {
      var message = Message()
      (message.care, message.at) = (.event, moment.at)
      let trigger = event == "enter" ? "\"region\":\"yard\"," : "\"trigger\":\"\(number == 2 ? "till" : "pump")\","
      message.topic = Topic("forecourt/site/gateway/" + (event == "enter" ? "region/yard/event" : "trigger/pump"))
      message.payload = Payload("{\"v\":1,\"event\":\"\(event)\",\(trigger)\"id\":\"\(id)\",\"event_id\":\"e-\(number)\"}")
      if number == 1 { message.expires = moment.at + .seconds(60) }
      if number == 3 { moment.wall = nil }
      try outbox.store(message, at: moment)
      (moment.at, moment.wall) = (moment.at + .seconds(3_600), Self.day + Int64(number + 1) * 3_600_000_000)
    }
    _ = try outbox.commit()
    try outbox.startTransaction(isDurable: false)
    moment.wall = Self.day + 86_400_000_000
    for (row, state) in [(1, .delivered), (2, .expired), (3, .damaged)] as [(Int64, Outbox.State)] {
      try outbox.record(row, as: state, at: moment)
    }
    try outbox.commitStates()
  }
  deinit { program.remove() }

  private func lines(_ words: String...) throws -> [String] {
    let told = try program.run(["events"] + words)
    #expect(told.exit == 0 && told.error.isEmpty, "\(told.error)")
    return told.out.split(separator: "\n").map(String.init)
  }

  private static let all = [
    "2026-11-22T00:00:00.000Z  delivered  arm        pump  irk:anna  e-0",
    "2026-11-22T01:00:00.000Z  expired    fire       pump  irk:anna  e-1",
    "2026-11-22T02:00:00.000Z  damaged    arm        till  address:c0:00:00:00:00:0a  e-2",
    "clock not set             waiting    leave      pump  irk:anna  e-3",
    "2026-11-22T04:00:00.000Z  waiting    enter      yard  irk:anna  e-4",
  ]

  @Test("oldest first, with time, state, event, place, identity and id") func text() throws { #expect(try lines() == Self.all) }

  @Test(
    "an outbox that this user may not read, or in a folder that it may not enter, is forbidden", .enabled(if: getuid() != 0),
    arguments: ["far/outbox.db", "far"])
  func forbidden(closed: String) throws {
    try program.write("far.toml", "gateway.purpose = \"told\"\noutbox.path = \"far/outbox.db\"\n")
    let folder = program.folder.appending(path: "far").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try program.write("far/outbox.db", "")
    let path = program.folder.appending(path: closed).path
    chmod(path, 0)
    defer { chmod(path, 0o700) }
    let told = try program.run(["events", "--config", "far.toml"])
    #expect(told.exit == 77 && told.error.hasSuffix("outbox.db cannot be read by this user: permission denied\n"), "\(told)")
  }

  @Test("an event is of a trigger or of a region, never of both") func both() throws {
    let told = try program.run(["events", "--region", "yard", "--trigger", "pump"])
    #expect(told.exit == 64 && told.error.contains("--trigger and --region exclude each other"), "\(told)")
  }

  @Test("the newest that match: by number, trigger, identity and time") func chosen() throws {
    for (words, places) in [
      (["--last", "2"], [3, 4]), (["--last", "5"], [0, 1, 2, 3, 4]), (["--trigger", "till"], [2]),
      (["--trigger", "pump", "--last", "1"], [3]), (["--region", "yard"], [4]),
      (["--id", "irk:anna", "--trigger", "pump"], [0, 1, 3]), (["--id", "address:C0:00:00:00:00:0A"], [2]),
      (["--id", "irk:nobody"], []), (["--since", "2026-11-22T01:00"], [1, 2, 4]),
      (["--since", "2026-11-22T01:00:01"], [2, 4]), (["--since", "2026-11-23"], []),
    ] {
      #expect(try program.run(["events"] + words).out.split(separator: "\n").map(String.init) == places.map { Self.all[$0] }, "\(words)")
    }
    for word in ["foo", "ibeacon:\(Machine.uuid):7:*"] {
      let wrong = try program("events", "--id", word)
      #expect(wrong.exit == 64 && wrong.error.contains("\"\(word)\" is no identity: ibeacon:UUID:MAJOR:MINOR"), "\(wrong)")
    }
    let wrong = try program("events", "--since", "yesterday")
    #expect(wrong.exit == 64 && wrong.error.contains("--since yesterday: must be a time like 90s, 30m, 12h, 7d, 2026-11-21"))
    let never = try program("events", "--since", "2026-02-31")
    #expect(never.exit == 64 && never.error.contains("--since 2026-02-31: ") && never.error.contains("on a day that exists\n"))
  }

  @Test("an empty list says so, names a place that nobody has named, and which one was meant") func misspelt() throws {
    let places = ["trigger", "region"].map { "[[\($0)]]\nname = \"\($0 == "trigger" ? "pump" : "hall")\"\nmatch = \"irk:*\"\n" }
    try program.write("pumps.toml", "gateway.purpose = \"told\"\noutbox.path = \"outbox.db\"\n" + places.joined())
    for (words, told) in [
      (["--trigger", "pumb"], "trigger \"pumb\"; did you mean \"pump\"?"), (["--trigger", "door"], "trigger \"door\""),
      (["--trigger", "till", "--since", "2026-11-23"], "trigger \"till\""), (["--trigger", "till"], nil),
      (["--region", "hal"], "region \"hal\"; did you mean \"hall\"?"), (["--region", "hall"], nil),
      (["--trigger", "pump", "--since", "2026-11-23"], nil), (["--id", "irk:nobody"], nil),
    ] {
      let listed = try program.run(["events", "--config", "pumps.toml"] + words)
      let line = told.map { "forecourt: nothing to list, and the configuration names no \($0)\n" }
      let isListed = words == ["--trigger", "till"]
      let expected = line ?? (isListed ? "" : "forecourt: nothing to list: the outbox holds no such event\n")
      #expect(listed.exit == 0 && listed.error == expected && listed.out.isEmpty != isListed, "\(listed)")
    }
    try Database(path: Path(program.folder.path + "/outbox.db")).run("DELETE FROM event")
    for json in [[], ["--json"]] {
      let empty = try program.run(["events", "--last", "5"] + json)
      #expect(empty.exit == 0 && empty.out.isEmpty && empty.error == "forecourt: nothing to list: the outbox holds no event\n")
    }
  }

  @Test("sixty thousand events are listed with the memory for a few") func many() throws {
    var settings = OutboxSettings()
    settings.path = Path(program.folder.path + "/outbox.db")
    let count = 60_000
    do {
      let outbox = try Outbox(settings, machine: 1)
      try outbox.startTransaction(isDurable: false)
      var message = Message()
      (message.care, message.topic) = (.event, Topic("forecourt/site/gateway/trigger/pump"))
      message.payload = Payload("{\"v\":1,\"event\":\"fire\",\"trigger\":\"pump\",\"id\":\"irk:anna\"}")
      for _ in 0..<count { try outbox.store(message, at: Moment(at: .zero, wall: Self.day, isTrusted: true)) }
      _ = try outbox.commit()
    }
    program.starter = ["/bin/sh", "-c", "ulimit -d 60000; exec \"$0\" \"$@\""]
    let told = try lines("--last", "1000000")
    #expect(told.count == Self.all.count + count && told.prefix(Self.all.count).elementsEqual(Self.all))
  }

  @Test("for scripts one object a line, with the payload as it was sent, and as text where it was damaged") func json() throws {
    let objects = try lines("--json").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    #expect(objects.map { $0["state"] as? String } == ["delivered", "expired", "damaged", "waiting", "waiting"])
    #expect(objects.map { $0["stored"] as? String } == (0..<5).map { $0 == 3 ? nil : "2026-11-22T0\($0):00:00.000Z" })
    #expect(objects.map { $0["settled"] as? String } == (0..<5).map { $0 < 3 ? "2026-11-23T00:00:00.000Z" : nil })
    #expect(objects.map { $0["expires"] as? String } == (0..<5).map { $0 == 1 ? "2026-11-22T01:01:00.000Z" : nil })
    #expect(objects.allSatisfy { $0["v"] as? Int == 1 && ($0["topic"] as? String)?.hasPrefix("forecourt/site/gateway/") == true })
    #expect(objects.map { ($0["payload"] as? [String: Any])?["event_id"] as? String } == ["e-0", "e-1", nil, "e-3", "e-4"])
    #expect((objects[2]["payload"] as? String)?.contains("\"event_id\":\"e-2\"") == true)
  }

  /// One more event as the gateway stores it.
  private func store(_ payload: String, topic: String = "forecourt/site/gateway/trigger/pump") throws {
    var settings = OutboxSettings()
    settings.path = Path(program.folder.path + "/outbox.db")
    let outbox = try Outbox(settings, machine: 1)
    var message = Message()
    (message.care, message.topic, message.payload) = (.event, Topic(topic), Payload(payload))
    try outbox.startTransaction(isDurable: true)
    try outbox.store(message, at: Moment(at: .zero, wall: Self.day, isTrusted: true))
    _ = try outbox.commit()
  }

  @Test("a rehearsal's event says so at the end of its line") func rehearsal() throws {
    let event = "{\"event\":\"fire\",\"trigger\":\"pump\",\"id\":\"irk:anna\",\"event_id\":\"e-5\",\"simulated\":"
    let line = "2026-11-22T00:00:00.000Z  waiting    fire       pump  irk:anna  e-5"
    try store(event + "true}")
    #expect(try lines() == Self.all + [line + "  simulated"])
    try store(event + "false}")
    #expect(try lines("--last", "1") == [line])
  }

  @Test("what strangers call themselves reaches no terminal as it is") func controls() throws {
    let escape = "\\u001b[2J"
    try store("{\"event\":\"f\(escape)\",\"trigger\":\"p\(escape)\",\"id\":\"name:\(escape)é\\u202e\",\"event_id\":\"e\(escape)\"}")
    #expect(try lines("--last", "1") == ["2026-11-22T00:00:00.000Z  waiting    f?[2J      p?[2J  name:?[2Jé?  e?[2J"])
    try store("{\"event\":\"enter\",\"id\":\"-\"}", topic: "a\u{1B}[2Jb")
    #expect(try lines("--last", "1") == ["2026-11-22T00:00:00.000Z  waiting    enter      a?[2Jb  -  -"])
  }

  @Test("what the disk has changed is damaged, and its payload a text; so is one that was cut before rows had a checksum") func changed()
    throws
  {
    try Database(path: Path(program.folder.path + "/outbox.db")).run(
      """
      UPDATE event SET payload = replace(payload, 'anna', 'bert') WHERE id = 1; UPDATE event SET topic = topic || 'x' WHERE id = 2;
      UPDATE event SET state = 9 WHERE id = 4; UPDATE event SET payload = substr(payload, 1, 20), sum = NULL WHERE id = 5;
      """)
    let objects = try lines("--json").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    #expect(objects.map { $0["state"] as? String } == ["damaged", "damaged", "damaged", "damaged", "waiting"])
    #expect(objects.allSatisfy { $0["payload"] is String } && objects[4]["payload"] as? String == "{\"v\":1,\"event\":\"ente")
    #expect(objects[0]["settled"] as? String == "2026-11-23T00:00:00.000Z", "it was delivered")
    #expect(try lines().first == Self.all[0].replacing("delivered", with: "damaged  ").replacing("anna", with: "bert"))
  }

  @Test("times that the disk has changed to what no calendar has are listed as unknown") func wild() throws {
    try Database(path: Path(program.folder.path + "/outbox.db")).run(
      """
      UPDATE event SET stored = -9223372036854775807 - 1, settled = 9223372036854775807, expires = stored | (1 << 62) WHERE id = 1;
      UPDATE event SET stored = stored | (1 << 60) WHERE id = 5
      """)
    func damaged(_ line: String) -> String {
      let unknown = "?".padding(toLength: 24, withPad: " ", startingAt: 0) + String(line.dropFirst(24))
      return unknown.replacing("delivered", with: "damaged  ").replacing("waiting", with: "damaged")
    }
    let shown = [damaged(Self.all[0])] + Self.all[1...3] + [damaged(Self.all[4])]
    #expect(try lines() == shown)
    #expect(try #require(try lines("--json").first).contains(#""state":"damaged","stored":null,"settled":null,"expires":null,"#))
  }

  @Test("an outbox of the first version, whose rows have no checksum, is listed as it is") func first() throws {
    try Database(path: Path(program.folder.path + "/outbox.db")).run(
      "ALTER TABLE event DROP COLUMN sum; PRAGMA user_version = 1; UPDATE event SET payload = replace(payload, 'anna', 'bert') WHERE id = 1"
    )
    #expect(try lines() == [Self.all[0].replacing("anna", with: "bert")] + Self.all.dropFirst())
  }
}
