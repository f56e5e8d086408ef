import Core

@testable import Host

/// The door with what stands behind it.
final class Door {
  let core: Ring<Request>
  let counters = CourierCounters()
  let intake: Intake
  let topics: Topics
  let log = Said()

  init(_ change: (inout CourierSettings) -> Void = { _ in }) {
    var arena = Arena.taken(bytes: Ring<Request>.bytes(for: 16))
    core = Ring(capacity: 16, in: &arena)
    var settings = CourierSettings()
    settings.commands = true
    settings.claims = true
    settings.peers = true
    change(&settings)
    topics = settings.topics
    intake = Intake(settings, toCore: Outlet(requests: core, bell: Doorbell()), counters) { [log] in log.append($0, $1) }
  }

  func say(_ topic: String, _ payload: String, isRetained: Bool = false, left: Interval? = nil) {
    intake.receive(Array(topic.utf8).span.bytes, Array(payload.utf8).span.bytes, isRetained: isRetained, left: left)
  }

  func command(_ name: String, _ payload: String) -> [String] {
    say("forecourt/site/gateway/command/\(name)", payload)
    return intake.takeReplies().map { String($0.payload) }
  }

  var heard: (RemoteCommand, Ticket)? {
    guard case .command(let command, let ticket)? = core.pop() else { return nil }
    return (command, ticket)
  }

  func claim(_ topic: String = "island/peer:BC00BD17/other", _ change: (inout Claim) -> Void = { _ in }) -> Claim? {
    say("forecourt/site/claim/" + topic, Self.words(of: Name("other"), change))
    guard case .claim(let claim)? = core.pop() else { return nil }
    return claim
  }

  /// A claim of a neighbour, as it writes it.
  static func words(of gateway: Name, _ change: (inout Claim) -> Void = { _ in }) -> String {
    var claim = Claim()
    claim.gateway = gateway
    claim.trigger = Name("pump-1")
    claim.group = Name("island")
    claim.identity = try! Identity(written: Array("peer:BC00BD17".utf8).span.bytes)
    claim.level = Decibels(-61.25)
    claim.sequence = 9
    claim.boot = Text<16>("b")
    claim.samples = 12
    claim.dwell = .milliseconds(800)
    claim.age = .milliseconds(40)
    change(&claim)
    return claim.payload(heard: "7/gateway/3/third")
  }
}

extension Claim {
  /// As a neighbour writes it.
  fileprivate func payload(heard: String) -> String {
    var who = Text<128>()
    who.append(identity)
    return """
      {"v":1,"gateway":"\(String(gateway))","trigger":"\(String(trigger))","group":"\(String(group))","id":"\(String(who))",\
      "boot":"\(String(boot))","seq":\(sequence),"state":"\(String(Text<16>(standing.name)))","level_db":\(level?.value ?? 0),\
      "samples":\(samples),"dwell_ms":\(dwell.microseconds / 1_000),"age_ms":\(age.microseconds / 1_000),"heard":"\(heard)"\
      \(simulated ? ",\"simulated\":true" : "")}
      """
  }
}
