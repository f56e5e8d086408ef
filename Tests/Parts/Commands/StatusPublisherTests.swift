import Host
import Testing

@testable import Core
@testable import forecourt

@Suite("the status")
struct StatusPublisherTests {
  private func publisher() -> StatusPublisher { StatusPublisher(Settings(), Text("0123456789abcdef"), [], []) }

  /// The courier may lose the line between any two questions: what the machine is told is what the publisher believes, or nothing.
  @Test("the machine learns each change of a flapping connection once, as the status publishes it") func line() {
    var publisher = publisher()
    var machine = false
    var changes = 0
    for answer in [false, true, true, false, false, true, false, true] {
      let before = machine
      if publisher.record(isOnline: answer) {
        machine = publisher.isOnline
        changes += 1
        #expect(machine != before, "told twice")
      }
      #expect(machine == publisher.isOnline && publisher.isOnline == answer)
    }
    #expect(changes == 5)
  }

  @Test("the status is published again after a reconnection, and not while disconnected") func status() {
    var publisher = publisher()
    #expect(publisher.nextReport(nil, .always) != nil && publisher.nextReport(nil, .always) == nil, "the first word, once")
    #expect(!publisher.record(isOnline: false) && publisher.nextReport(nil, .always) == nil)
    #expect(publisher.record(isOnline: true) && publisher.nextReport(nil, .always) != nil && publisher.nextReport(nil, .always) == nil)
    #expect(!publisher.record(isOnline: true) && publisher.nextReport(nil, .always) == nil, "it has not been away")
    #expect(publisher.record(isOnline: false) && publisher.nextReport(nil, .always) == nil)
    #expect(publisher.record(isOnline: true) && publisher.nextReport(nil, .always) != nil)
  }

  @Test("radios that are denied are no reason to be online") func denied() throws {
    var publisher = publisher()
    let report = publisher.nextReport(nil, .denied)
    let status = payload(try #require(report))
    #expect(
      status.contains(#""state":"degraded""#)
        && status.contains(#""reason":"authorization is \"denied\": the radios are off; set it to \"always\"""#),
      "\(status)")
    let allowed = publisher.nextReport(nil, .always)
    #expect(payload(try #require(allowed)).contains(#""state":"online""#))
  }

  @Test("of two troubles the status has one, and counts the other") func troubles() throws {
    var publisher = publisher()
    publisher.record(isFileWrong: true)
    let two = publisher.nextReport(nil, .denied)
    let both = try #require(two)
    #expect(payload(both).contains(#""reasons_left_out":1,"#))
    let words = String(both.summary)
    #expect(words.hasPrefix("degraded: the configuration file is wrong") && words.hasSuffix(" (and more)"))
    let one = publisher.nextReport(nil, .always)
    let first = try #require(one)
    #expect(!payload(first).contains("reasons_left_out") && !String(first.summary).contains("more"))
  }

  @Test("a clock that nothing has synchronised is told of, but not what nobody can say, nor a rehearsal's", arguments: [false, true])
  func clock(isRehearsal: Bool) throws {
    var settings = Settings()
    settings.gateway.simulated = isRehearsal
    var publisher = StatusPublisher(settings, Text("0123456789abcdef"), [], [])
    publisher.clock.trust = { nil }
    var told: [Int] = []
    for second in stride(from: 0, through: 600, by: 10) {
      if second == 200 { publisher.clock.trust = { false } }
      if second == 400 { publisher.clock.trust = { true } }
      let words = publisher.examineClock(at: .zero + .seconds(Double(second)))
      if words != nil { told.append(second) }
      if let report = publisher.nextReport(nil, .always) {
        #expect(payload(report).contains(#""clock":"unsynchronised""#) == (told.count == 1), "\(second)")
      }
    }
    #expect(told == (isRehearsal ? [] : [240, 420]))
  }

  /// One radio, two beacons and our services.
  private func sender(_ check: (inout StatusPublisher, borrowing Settings) throws -> Void) rethrows {
    var settings = Settings()
    for kind in [TransmitSettings.Kind.iBeacon, .eddystoneURL] {
      var transmission = TransmitSettings()
      (transmission.kind, transmission.txPower) = (kind, 20)
      _ = settings.transmissions.append(transmission)
    }
    settings.peer.serve = true
    var arena = Arena.taken(bytes: Radio.bytes)
    let radio = Radio(name: Name("hci0"), listener: Doorbell(), echoes: false, in: &arena)
    var publisher = StatusPublisher(settings, Text("0123456789abcdef"), [radio], [.capture(file: "none")])
    try check(&publisher, settings)
  }

  private func payload(_ report: StatusReport) -> String { String(Message.status(report, topics: Topics(Settings()), at: .zero).payload) }

  private func told(_ publisher: inout StatusPublisher) throws -> StatusReport {
    let report = publisher.nextReport(nil, .always)
    return try #require(report)
  }

  private func isNews(_ publisher: inout StatusPublisher) -> Bool { publisher.nextReport(nil, .always) != nil }

  private func radio(_ condition: Condition) -> Radio.Status {
    var report = Radio.Status()
    report.condition = condition
    return report
  }

  private func hear(_ news: PeerNews, _ publisher: inout StatusPublisher, _ settings: borrowing Settings) {
    if let words = news.words(Name("hci0"), settings) { _ = publisher.record(news, words.sentence, radio: 0) }
  }

  @Test("a transmission is reported with the power that the controller chose, and only while its radio works") func sends() throws {
    try sender { publisher, settings in
      let quiet = payload(try told(&publisher))
      let off = #"{"kind":"ibeacon","radio":"hci0","state":"off","tx_power_dbm":null}"#
      #expect(
        quiet.hasSuffix(
          #""transmits":[\#(off),\#(off.replacing("ibeacon", with: "eddystone-url")),\#(off.replacing("ibeacon", with: "peer"))]}"#))
      _ = publisher.record(radio(.scanning), radio: 0)
      hear(.sends(transmission: 0, power: 8), &publisher, settings)
      hear(.sends(transmission: PeerNews.ownServices, power: -3), &publisher, settings)
      let report = try told(&publisher)
      #expect(report.state == .online)
      #expect(payload(report).contains(#"{"kind":"ibeacon","radio":"hci0","state":"on","tx_power_dbm":8}"#))
      #expect(payload(report).hasSuffix(#"{"kind":"peer","radio":"hci0","state":"on","tx_power_dbm":-3}]}"#))
      #expect(!isNews(&publisher))
      _ = publisher.record(radio(.recovering(.notAnswering)), radio: 0)
      let deaf = payload(try told(&publisher))
      #expect(!deaf.contains(#""state":"on""#))
      _ = publisher.record(radio(.scanning), radio: 0)
      let again = payload(try told(&publisher))
      #expect(again == payload(report))
    }
  }

  @Test("a refused beacon makes the gateway degraded, with the reason, until it is sent") func refused() throws {
    try sender { publisher, settings in
      _ = publisher.record(radio(.scanning), radio: 0)
      hear(.withheld(transmission: 1, status: 0x11, isPower: true), &publisher, settings)
      let report = try told(&publisher)
      #expect(report.state == .degraded)
      #expect(
        String(report.summary)
          == "degraded: radio hci0: does not send eddystone-url (transmit 2): tx_power_dbm = 20 cannot be set here (status 17)")
      #expect(payload(report).contains(#"{"kind":"eddystone-url","radio":"hci0","state":"refused","tx_power_dbm":null}"#))
      hear(.withheld(transmission: 0, status: 7, isPower: false), &publisher, settings)
      let first = String(try told(&publisher).reason)
      #expect(first.contains("(transmit 1): the controller refuses it"), "\(first)")
      // A radio that is deaf says more.
      _ = publisher.record(radio(.degraded(.notAnswering)), radio: 0)
      let deaf = String(try told(&publisher).reason)
      #expect(deaf == "radio hci0: the controller does not answer")
      _ = publisher.record(radio(.scanning), radio: 0)
      hear(.sends(transmission: 0, power: nil), &publisher, settings)
      let half = try told(&publisher)
      #expect(half.state == .degraded)
      hear(.sends(transmission: 1, power: 20), &publisher, settings)
      let well = try told(&publisher)
      #expect(well.state == .online && well.reason.isEmpty)
    }
  }

  @Test("the status names the groups of the triggers in force, and how the site hears itself where there are any") func groups() throws {
    var settings = Settings()
    for group in ["pumps", "doors", "pumps"] as [StaticString] {
      var trigger = TriggerSettings()
      trigger.group = Name(group)
      _ = settings.triggers.append(trigger)
    }
    var publisher = StatusPublisher(settings, Text("0123456789abcdef"), [], [])
    let grouped = payload(try told(&publisher))
    #expect(grouped.contains(#""groups":"pumps/doors","site":{"trust":"unauthenticated","heard":0,"missing":null}"#), "\(grouped)")
    func reload(_ toml: String) throws -> String {
      let text = "gateway.purpose = \"tests\"\n" + toml
      publisher.reload(try Configuration(reading: ConfigurationText(name: "config.toml", text: Array(text.utf8))))
      return payload(try told(&publisher))
    }
    let unheard = publisher.record(SiteHearing(unheard: .ourselves))
    let degraded = payload(try told(&publisher))
    #expect(unheard?.level == .warning && degraded.contains(#""state":"degraded""#), "\(degraded)")
    let alone = try reload("")
    #expect(alone.contains(#""state":"online""#), "there is no group left that nobody hears: \(alone)")
    #expect(!alone.contains("groups") && !alone.contains("site\""), "\(alone)")
    let again = try reload("[[trigger]]\nname = \"till\"\nmatch = \"*\"\ngroup = \"tills\"\n")
    #expect(again.contains(#""groups":"tills","site":{"#), "\(again)")
  }

  @Test("without transmissions the status does not mention them, whatever a recording contains") func nothingSent() throws {
    var publisher = publisher()
    let before = payload(try told(&publisher))
    #expect(!before.contains("transmit") && before.hasSuffix(#""radios":[],"purpose":""}"#))
    for transmission in [0, 7, 8, PeerNews.ownServices] {
      hear(.withheld(transmission: transmission, status: 1, isPower: false), &publisher, Settings())
      hear(.sends(transmission: transmission, power: 1), &publisher, Settings())
    }
    #expect(!isNews(&publisher))
  }
}
