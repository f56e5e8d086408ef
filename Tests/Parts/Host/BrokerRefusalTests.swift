import Core
import Synchronization
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("the courier at a broker that refuses one message", .serialized) struct BrokerRefusalTests {
  /// RabbitMQ answers 0x83 while one subscriber's queue is full: an arm that it refused must not keep the fire behind it until it expires.
  @Test(
    "only a refusal of the topic holds what comes later on it",
    arguments: [(0x80, false), (0x83, false), (0x97, false), (0x99, false), (0x87, true), (0x90, true)] as [(UInt8, Bool)])
  func order(reason: UInt8, isHeld: Bool) {
    let talk = Talk()
    let count = Atomic<Int>(0)
    talk.broker.answer { $0.publication = { _ in count.add(1, ordering: .relaxed).oldValue < 2 ? reason : 0 } }
    talk.start()
    talk.online()
    talk.push(.event, base + "/trigger/pump", "arm")
    // What is refused for its topic holds that from its first retry on.
    talk.until("two refusals") { talk.courier.counters.refused.count == 2 }
    talk.push(.event, base + "/trigger/pump", "fire")
    talk.until("both") { talk.courier.counters.eventsDelivered.count == 2 }
    let order = talk.published(base + "/trigger/pump").map(\.payload)
    #expect(order == (isHeld ? ["arm", "arm", "arm", "fire"] : ["arm", "arm", "fire", "arm"]))
    talk.stop()
  }

  @Test("what expired while the broker refused it is no refusal any more, once anything is taken") func expired() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { _ in 0x87 } }
    talk.start()
    talk.online()
    talk.push(.event, base + "/trigger/pump", "arm", lasting: .seconds(2))
    talk.until("the trouble") { talk.courier.counters.troubles == .forbidden }
    talk.until("its end", seconds: 20) { talk.courier.counters.eventsExpired.count == 1 }
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.push(.event, base + "/trigger/pump", "fire")
    talk.until("that it is well") { talk.courier.counters.troubles == [] }
    talk.stop()
  }
}
