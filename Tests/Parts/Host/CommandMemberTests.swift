import Core
import Testing

@testable import Host

@Suite("a command's members") struct CommandMemberTests {
  private static let values = [
    "request": "\"r\"", "action": "\"start\"", "seconds": "5", "region": "\"door\"", "id": "\"irk:anna\"", "distance_m": "2",
    "trigger": "\"pump-3\"", "authorization": "\"always\"", "gateway": "\"other\"", "other": "1",
  ]

  @Test(
    "each command knows its own members and no others",
    arguments: [
      ("ranging", [], ["request", "action", "seconds", "region"]), ("calibrate", ["id"], ["request", "id", "distance_m", "seconds"]),
      ("trigger", ["trigger", "id"], ["request", "trigger", "id"]), ("authorization", ["authorization"], ["request", "authorization"]),
      ("capture", [], ["request", "seconds"]), ("forget-neighbour", ["gateway"], ["request", "gateway"]), ("reload", [], ["request"]),
      ("ping", [], ["request"]),
    ] as [(String, [String], [String])])
  func members(command: String, needed: [String], known: [String]) {
    for key in Self.values.keys {
      let keys = Set(needed + [key])
      let payload = "{" + keys.map { "\"\($0)\":\(Self.values[$0]!)" }.joined(separator: ",") + "}"
      let replies = Door().command(command, payload)
      let isUnknown = replies.contains { $0.contains("unknown member") }
      #expect(isUnknown == !known.contains(key), "\(command) \(payload): \(replies)")
    }
  }

  @Test("white space around a word does not count, within it and within quotation marks it does") func blanks() {
    for payload in ["stop\n", " stop", "\"stop\"\r\n", "\t stop \n"] {
      let door = Door()
      let replies = door.command("ranging", payload)
      #expect(replies.isEmpty && door.heard?.0 == RemoteCommand.ranging(.stop, region: Name()), "\(payload): \(replies)")
    }
    for payload in ["st op", "\"stop \"", "\"", "\n", "\"stop\n"] {
      let door = Door()
      #expect(door.command("ranging", payload).count == 1 && door.heard == nil, "\(payload)")
    }
  }
}

@Suite("the courier's settings") struct CourierSettingsTests {
  @Test("each comes from its place in the configuration") func places() {
    var core = Settings()
    (core.publish.prefix, core.gateway.site, core.gateway.name) = (Name("prefix"), Name("yard"), Name("pump"))
    var host = HostSettings()
    let plain = CourierSettings(core, host, boot: Text("run"))
    #expect(String(plain.topics.base) == "prefix/yard/pump" && plain.site == core.gateway.site && plain.boot == Text("run"))
    #expect(!plain.claims && !plain.peers && !plain.commands && !plain.simulated && plain.roster.isEmpty && plain.signingKey.isEmpty)
    core.gateway.simulated = true
    core.publish.commands = true
    core.peer.identify = true
    for name in ["pump", "till"] {
      var entry = SiteSettings.Entry()
      entry.name = Name(name)
      _ = core.site.roster.append(entry)
    }
    let site = CourierSettings(core, host, boot: Text("run"))
    #expect(site.claims && site.peers && site.commands && site.simulated && site.roster.count == 2 && site.roster[1] == Name("till"))
    #expect(plain.refresh == .seconds(600) && plain.retains && site.refresh == .seconds(5) && !site.retains)
    host.signingKey = [3, 1, 2]
    #expect(CourierSettings(core, host, boot: Text()).signingKey == Text("\u{3}\u{1}\u{2}"))
    var grouped = Settings()
    var trigger = TriggerSettings()
    _ = grouped.triggers.append(trigger)
    #expect(!CourierSettings(grouped, host, boot: Text()).claims)
    trigger.group = Name("pumps")
    _ = grouped.triggers.append(trigger)
    #expect(CourierSettings(grouped, host, boot: Text()).claims)
    var alone = Settings()
    _ = alone.site.roster.append(SiteSettings.Entry())
    #expect(!CourierSettings(alone, host, boot: Text()).claims, "nobody else is on the roster")
  }
}
