import Core
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("which message at QoS 0 ends the connections", .serialized) struct FleetingTrialsTests {
  private var now = Instant.zero + .hours(1)

  /// One connection after another: each kind is said once a second, in this order, until the broker forbids one or the time is up.
  private mutating func connect(
    _ trials: inout FleetingTrials, forbidding forbidden: Troubles, for lasting: Interval = .seconds(60), isTelling: Bool = true
  ) -> (said: [Troubles], leftOut: Troubles?) {
    let (since, end) = (now, now + lasting)
    var said: [Troubles] = []
    while now < end {
      for kind in [.noRanging, .noTelemetry, .noHellos] as [Troubles] where trials.allows(kind, at: now) {
        if !said.contains(kind) { said.append(kind) }
        guard !forbidden.contains(kind) else {
          now = now + .milliseconds(50)
          return (said, trials.lose(after: now - since, isTelling: isTelling, at: now))
        }
      }
      now = now + .seconds(1)
    }
    return (said, trials.lose(after: now - since, isTelling: isTelling, at: now))
  }

  @Test("after three lost connections each kind goes alone; what ends two of them is left out, and nothing else") mutating func found() {
    var trials = FleetingTrials()
    for _ in 0..<3 {
      #expect(trials.isIdle)
      _ = connect(&trials, forbidding: .noTelemetry)
    }
    #expect(!trials.isIdle && trials.leftOut == [])
    #expect(connect(&trials, forbidding: .noTelemetry).leftOut == nil)
    #expect(connect(&trials, forbidding: .noTelemetry).leftOut == .noTelemetry)
    let quiet = connect(&trials, forbidding: .noTelemetry)
    #expect(quiet.said == [.noRanging, .noHellos] && trials.leftOut == .noTelemetry)
    // It is tried again, alone, and one loss is enough.
    now = now + .seconds(900)
    let again = connect(&trials, forbidding: .noTelemetry)
    #expect(again.said.contains(.noTelemetry) && again.leftOut == nil && trials.leftOut == .noTelemetry)
    #expect(!connect(&trials, forbidding: .noTelemetry).said.contains(.noTelemetry))
    trials.retry(at: now)
    let mended = connect(&trials, forbidding: [])
    #expect(mended.said.contains(.noTelemetry) && trials.leftOut == [])
  }

  @Test("what ends for another reason accuses nobody: long-lived, another gateway's, or never the same twice") mutating func innocent() {
    var trials = FleetingTrials()
    for _ in 0..<9 { #expect(connect(&trials, forbidding: [], for: .seconds(5)).leftOut == nil) }
    for _ in 0..<9 { #expect(connect(&trials, forbidding: .noRanging, isTelling: false).leftOut == nil) }
    for index in 0..<8 { #expect(connect(&trials, forbidding: index % 2 == 0 ? .noRanging : .noHellos).leftOut == nil, "\(index)") }
    #expect(trials.leftOut == [])
    _ = connect(&trials, forbidding: [], for: .seconds(901))
    #expect(trials.isIdle)
  }

  @Test("each topic of the moment has its words") func topics() {
    let topics = Topics(prefix: Name("forecourt"), site: Name("site"), gateway: Name("gateway"))
    let kinds: [(String, Troubles)] = [
      (base + "/telemetry", .noTelemetry), (base + "/proximity/anna", .noProximity), (base + "/ranging/door", .noRanging),
      ("forecourt/site/claim/pumps/anna/gateway", .noClaims), ("forecourt/site/claim/site/hello/gateway", .noHellos),
    ]
    for (topic, kind) in kinds { #expect(Troubles.ofForbidden(Topic(topic).bytes, topics) == kind, "\(topic)") }
  }

  @Test("a broker that ends the connection for ranging is not called again and again: it is named, and all else goes on") func named() {
    let talk = Talk { $0.broker.version = .v311 }
    talk.broker.answer { $0.ends = { $0.contains("/ranging/") } }
    talk.start()
    let counters = talk.courier.counters
    var rounds = 0
    func talking(_ test: () -> Bool) -> Bool {
      rounds += 1
      if rounds % 50 == 0 {
        for topic in ["/ranging/door", "/telemetry"] where counters.isOnline { talk.push(.fleeting, base + topic, "{}") }
      }
      return test()
    }
    talk.until("it is found", seconds: 120) { talking { counters.troubles == .noRanging } }
    #expect(talk.told("error: the broker ends the connection at BASE/ranging/+") && counters.refused.count == 0)
    talk.online()
    let before = counters.connections.count
    talk.broker.forget()
    talk.until("telemetry", seconds: 30) { talking { talk.published(base + "/telemetry").count > 20 } }
    #expect(counters.connections.count == before && talk.published(base + "/ranging/door").isEmpty)
    talk.broker.answer { $0.ends = { _ in false } }
    talk.reload { _ in }
    talk.until("the access list is mended", seconds: 30) { talking { counters.troubles == [] } }
    talk.until("ranging") { talking { talk.published(base + "/ranging/door").count > 1 } }
    #expect(talk.told("info: the broker takes again what was left out"))
    talk.stop()
  }

  @Test("what is longer than the broker takes is said once, and is no matter of the connection") func long() {
    let talk = Talk()
    talk.broker.answer { $0.longest = 200 }
    talk.start()
    talk.online()
    for _ in 0..<3 { talk.push(.fleeting, base + "/ranging/door", String(repeating: "x", count: 300)) }
    talk.push(.fleeting, base + "/telemetry", "{}")
    talk.until("the short one") { !talk.published(base + "/telemetry").isEmpty }
    talk.until("the trouble") { talk.courier.counters.troubles == .tooLong }
    #expect(talk.said.filter { $0.contains("longer") } == ["error: longer than this broker takes, with 300 bytes: \(base)/ranging/door"])
    #expect(talk.courier.counters.droppedBusy.count == 3)
    talk.broker.answer { $0.longest = nil }
    talk.broker.drop()
    talk.until("another connection") { talk.courier.counters.connections.count == 2 && talk.courier.counters.troubles == [] }
    talk.stop()
  }
}
