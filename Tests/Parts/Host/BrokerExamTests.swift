import Core
import Foundation
import Seeds
import Testing

@testable import Host

@Suite("check at a broker", .serialized) struct BrokerExamTests {
  private typealias Answers = @Sendable (inout ModelBroker.Answers) -> Void

  /// What is found at a broker that answers so.
  private func examined(
    _ answers: Answers, within patience: Interval = .seconds(6), _ change: (inout CourierSettings) -> Void = { _ in }
  ) -> [String] {
    let broker = ModelBroker()
    defer { broker.close() }
    broker.answer(answers)
    var settings = CourierSettings()
    (settings.broker.host, settings.broker.port) = (Text("127.0.0.1" as StaticString), broker.port)
    settings.boot = Text("run" as StaticString)
    change(&settings)
    let found = Examined.broker(settings, within: patience) {}
    // Who has no neighbours listens to nobody.
    let topics = ["forecourt/site/+/status", "forecourt/site/claim/site/check/gateway", "forecourt/site/claim/site/check.dot/gateway"]
    #expect(broker.record.subscribed.keys.sorted() == (settings.claims ? topics.sorted() : []))
    #expect(broker.record.greetings.allSatisfy { $0.identifier == "forecourt-check-run" })
    // As the gateway's, so that a broker refuses us as it; empty: nothing stays if we are lost.
    let will = broker.record.greetings.first
    #expect(will == nil || will?.willTopic == "forecourt/site/gateway/check" && will?.willFlags == 0x28 && will?.willPayload == "")
    if found.contains(where: { "\($0.verdict)" == "good" }) {
      let end = Clock.now() + .seconds(5)
      while broker.record.goodbyes == 0, Clock.now() < end { usleep(2_000) }
      #expect(broker.record.goodbyes > 0)
    }
    return found.map { "\($0.verdict) \($0.subject) \($0.words.replacing("127.0.0.1:\(broker.port)", with: "PLACE"))" }
  }

  @Test("whether a broker lets us in and lets us write is said, with its remedy") func answers() {
    let good = examined { _ in }
    #expect(good == ["good broker PLACE: connected without TLS, and we may write below forecourt/site/gateway"])
    let forbidden = examined { $0.publication = { _ in 0x87 } }
    #expect(forbidden.count == 1 && forbidden[0].hasPrefix("bad(Host.Examined.Failure.forbidden) broker PLACE: we may not write there: "))
    #expect(forbidden[0].hasSuffix("the broker's access list must allow write forecourt/site/gateway/#"))
    let unknown = examined { $0.greeting = (0x86, false) }
    #expect(unknown.count == 1 && unknown[0].hasPrefix("bad(Host.Examined.Failure.forbidden) broker PLACE: the broker refuses us: "))
    #expect(unknown[0].hasSuffix("allow_anonymous true in mosquitto's configuration") && unknown[0].contains(": set username and "))
    let wrong = examined({ $0.greeting = (0x86, false) }) { $0.broker.username = Text("anna" as StaticString) }
    #expect(wrong[0].hasSuffix(": set the right username and password_file; at a mosquitto: mosquitto_passwd FILE NAME"))
    let old = examined { $0.greeting = (0x84, false) }
    #expect(old[0].hasSuffix(": set [mqtt] version = 4"), "\(old)")
    let forgetful = examined { $0.greeting = (0x9A, false) }
    #expect(forgetful[0].contains("Retain not supported: this broker keeps no retained messages, and the gateway needs them: "))
    let narrow = examined { $0.longest = 300 }
    let limit = "it takes no message of 1023 bytes, as ours may be: raise its limit, at mosquitto max_packet_size"
    #expect(narrow.count == 1 && narrow[0].hasPrefix("bad(Host.Examined.Failure.forbidden) broker PLACE: " + limit), "\(narrow)")
    let oneWay = examined { $0.greeting = (0x9B, false) }
    #expect(oneWay[0].contains(": the gateway needs QoS 1: "), "\(oneWay)")
  }

  @Test("of a broker that ends the connection it is found out what it does not take") func unanswered() {
    func said(_ version: BrokerSettings.Version, _ answers: Answers) -> String {
      examined(answers, within: .seconds(1)) { $0.broker.version = version }[0]
    }
    let lost = "bad(Host.Examined.Failure.unavailable) broker PLACE: The connection was lost"
    #expect(said(.v5) { $0.isOld = true } == lost + ": it speaks only MQTT 3.1.1: set [mqtt] version = 4")
    #expect(said(.v311) { $0.retains = false }.hasPrefix(lost + ": this broker keeps no retained messages, and the gateway needs them: "))
    let noQoS = lost + ": the gateway needs QoS 1: at a mosquitto set max_qos 2, or take another broker"
    #expect(said(.v311) { $0.takesQoS1 = false } == noQoS)
    #expect(said(.v311) { ($0.takesQoS1, $0.retains) = (false, false) } == noQoS, "the other is said when this is set right")
    let other = ": it may want TLS there: set tls_ca; or this is a port for websockets or AMQP"
    let neither: Answers = { ($0.isOld, $0.greeting) = (true, nil) }
    #expect(said(.v5, neither) == lost + ", nor does it speak MQTT 3.1.1" + other)
    let silent = "bad(Host.Examined.Failure.unavailable) broker PLACE: does not answer within 1 s"
    #expect(said(.v311) { $0.greeting = nil } == silent + other)
    let forbids = said(.v5) { $0.ends = { $0.hasSuffix("/check") } }
    #expect(forbids.hasPrefix("bad(Host.Examined.Failure.forbidden) broker PLACE: The connection was lost, after we wrote to "))
    #expect(forbids.contains(": its access list must allow write forecourt/site/gateway/#"), "\(forbids)")
  }

  @Test("a broker that ends the handshake may want a certificate or a pre-shared key") func handshake() {
    var settings = CourierSettings()
    settings.broker.authorities = Path("ca.pem")
    func said(_ alert: String) -> String {
      let fault = MQTTFault("OpenSSL Error[0]: error:0A000410:SSL routines::" + alert)
      return Examined.failed(fault, BrokerCall(settings, until: Clock.now()) {}, settings, "PLACE") {}.words
    }
    let pair = ": it refuses our certificate, or wants one: set tls_cert and tls_key to a pair that its authority signed"
    let key = "; or it wants a pre-shared key there, which the gateway does not speak"
    #expect(said("sslv3 alert handshake failure").hasSuffix(pair + key))
    #expect(said("tlsv13 alert certificate required").hasSuffix(pair))
  }

  @Test("MQTT 3.1.1 does not say whether we may write: what does not come back is doubtful") func silentRefusal() {
    for claims in [false, true] {
      let broker = ModelBroker()
      defer { broker.close() }
      var settings = CourierSettings()
      (settings.broker.host, settings.broker.port) = (Text("127.0.0.1" as StaticString), broker.port)
      (settings.broker.version, settings.claims) = (.v311, claims)
      // It brings nothing to anybody.
      let found = Examined.broker(settings) {}
      #expect(found.map(\.subject) == (claims ? ["broker", "neighbours"] : ["broker"]))
      #expect("\(found[0].verdict)" == "doubtful" && found[0].words.contains("does not say whether we may write"), "\(found[0].words)")
      #expect(broker.record.subscribed["forecourt/site/gateway/check"] != nil)
    }
    let heard = BrokerAnswers()
    heard.take(Array("forecourt/site/gateway/check".utf8).span.bytes, Array("{}".utf8).span.bytes, CourierSettings())
    #expect(heard.hearsCheck && !heard.hearsItself && !heard.hearsLongCheck)
    heard.take(Array("forecourt/site/gateway/check".utf8).span.bytes, [UInt8](repeating: 0, count: 1_023).span.bytes, CourierSettings())
    #expect(heard.hearsLongCheck)
  }

  @Test("a broker that is not there, or says nothing, is told apart, and the wait ends") func silent() {
    let nobody = examined({ _ in }) { $0.broker.port = 1 }
    #expect(nobody.count == 1 && nobody[0].hasPrefix("bad(Host.Examined.Failure.unavailable) broker 127.0.0.1:1: "))
    #expect(nobody[0].hasSuffix(": no broker runs here: apt install mosquitto, or systemctl start mosquitto"))
    let begun = Clock.now()
    let mute = examined({ $0.greeting = nil }, within: .seconds(1))
    let words = ", nor does it speak MQTT 3.1.1: it may want TLS there: set tls_ca; or this is a port for websockets or AMQP"
    #expect(mute == ["bad(Host.Examined.Failure.unavailable) broker PLACE: does not answer within 1 s" + words])
    let deaf = examined({ $0.publication = { _ in nil } }, within: .seconds(1))
    #expect(deaf == ["doubtful broker PLACE: connected, but did not acknowledge a message within 1 s"])
    #expect((.seconds(1.9) ... .seconds(40)).contains(Clock.now() - begun))
  }

  /// What is found of the neighbours when the broker brings back what we say, and retains these statuses.
  private func neighbours(
    _ statuses: [(name: String, payload: String)], dot: String = ".", _ change: (inout CourierSettings) -> Void = { _ in }
  ) -> [String] {
    var settings = CourierSettings()
    settings.claims = true
    change(&settings)
    let heard = BrokerAnswers()
    let topics = statuses.map { ("forecourt/site/\($0.name)/status", $0.payload) }
    let ours = ["", dot + "dot"].map { ("forecourt/site/claim/site/check\($0)/gateway", "{}") }
    for (topic, payload) in topics + ours + [("forecourt/elsewhere/x/status", "{}")] {
      heard.take(Array(topic.utf8).span.bytes, Array(payload.utf8).span.bytes, settings)
    }
    let found = Examined.neighbours(heard, settings)
    return ["\(found.verdict) \(found.words)"]
  }

  private func enroll(_ names: [String], _ settings: inout CourierSettings) { for name in names { _ = settings.roster.append(Name(name)) } }

  @Test("who can be heard at the site, who is missing, and whether the messages are authenticated") func site() throws {
    let trust = "unauthenticated: whoever may publish there can make two gateways fire: set [security] site_key_file"
    #expect(neighbours([]) == ["doubtful our claims come back; nobody else has a status there; \(trust)"])
    #expect(neighbours([], dot: "/").first?.hasPrefix("doubtful what has a dot in its topic does not come back") == true)
    let all = [("gateway", "{}"), ("other", "{}"), ("third", "{}"), ("other", "{}"), ("gone", "")]
    #expect(neighbours(all) == ["doubtful our claims come back; other and third can be heard; \(trust)"])
    let listed = neighbours(all) { self.enroll(["gateway", "other", "third"], &$0) }
    #expect(listed == ["doubtful our claims come back; other and third can be heard; \(trust)"])
    let missing = neighbours([("other", "{}")]) { self.enroll(["gateway", "other", "third", "fourth"], &$0) }
    #expect(missing.count == 1 && missing[0].hasPrefix("doubtful our claims come back, but there is no status of third and fourth: it has"))
    var keys = SiteProof()
    keys.append([UInt8](repeating: 7, count: 32))
    var payload = Payload("{\"v\":1}")
    try #require(keys.prove(Array("forecourt/site/other/status".utf8).span.bytes, &payload))
    let proven = ("other", String(payload))
    #expect(
      neighbours([proven]) { $0.siteKeys = keys } == [
        "good our claims come back; other can be heard; messages are authenticated with the site's key"
      ])
    let forged = neighbours([proven, ("third", "{}")]) { $0.siteKeys = keys }
    #expect(
      forged == [
        "bad(Host.Examined.Failure.forbidden) third: not authenticated with our site's key: give each gateway the same site_key_file"
      ])
  }

  @Test("claims that do not come back are said to be forbidden") func claims() {
    let found = examined({ _ in }) { $0.claims = true }
    let words = "bad(Host.Examined.Failure.forbidden) neighbours our claims do not come back"
    #expect(found.count == 2 && found[1].hasPrefix(words), "\(found)")
  }
}
