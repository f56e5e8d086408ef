import Core
import Seeds
import Testing

@testable import Host

@Suite("what is new at the broker, the outbox and the radios knows nothing yet") struct HostBlankTests {
  private func expect(_ value: Any, _ wanted: [String] = [], sourceLocation: SourceLocation = #_sourceLocation) {
    let found = filled(value)
    #expect(found == wanted, "\(type(of: value))", sourceLocation: sourceLocation)
  }

  @Test("each") func each() {
    expect(MQTTNews())
    expect(MQTTNews.Acknowledgement())
    expect(InFlight(), ["most 128"])
    expect(RefusalBackoff())
    expect(SubscriptionTrials(), ["due.microseconds \(Int64.max)"])
    expect(Outbox.Waiting())
    expect(Outbox.OpenVisit())
    expect(OutboxHistory.Entry())
    expect(EventStore.Queue(), ["mayWait"])
    expect(Radio.Status(), ["profile.manufacturer 65535"])
    expect(Ready())
    expect(SiteProof())
    var settings = CourierSettings()
    (settings.broker.host, settings.prefix, settings.site, settings.name, settings.outbox.path) = (Text(), Text(), Text(), Text(), Text())
    expect(
      settings,
      [
        "broker.port 1883", "broker.keepalive.microseconds 30000000", "outbox.maxEvents 100000", "outbox.maxAge.microseconds 2592000000000",
        "refresh.microseconds 600000000",
      ])
  }
}
