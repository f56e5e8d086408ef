import Core
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("the courier at a broker that ends the connection instead of an answer", .serialized) struct BrokerCutTests {
  /// MQTT 3.1.1, 3.3.5: of a message that is not allowed a broker takes nothing, or it ends the connection.
  @Test("what it ends for is found, reported and retried, and all else is delivered", arguments: [Message.Care.event, .state, .reply])
  func forbidden(care: Message.Care) {
    let talk = Talk { $0.broker.version = .v311 }
    talk.broker.answer { $0.ends = { $0.hasSuffix("/door") } }
    talk.start()
    talk.online()
    talk.push(care, base + "/region/door", "1")
    talk.push(.event, base + "/trigger/pump", "2")
    talk.push(.state, base + "/region/yard", "3")
    let counters = talk.courier.counters
    talk.until("the event", seconds: 20) { counters.eventsDelivered.count == 1 }
    talk.until("the culprit", seconds: 20) { care == .reply ? counters.refused.count > 0 : counters.troubles == .forbidden }
    talk.until("the state", seconds: 20) { talk.published(base + "/region/yard").count > 0 && counters.isOnline }
    #expect(!talk.published(base + "/trigger/pump").isEmpty && talk.told("forbid a topic?"))
    talk.push(.event, base + "/trigger/pump", "4")
    talk.until("another event", seconds: 20) { counters.eventsDelivered.count == 2 }
    talk.broker.answer { $0.ends = { _ in false } }
    talk.broker.forget()
    talk.until("the access list is mended", seconds: 90) {
      counters.troubles == [] && (care == .reply || talk.published(base + "/region/door").map(\.payload) == ["1"])
    }
    talk.stop()
  }

  @Test("a line that ends by itself accuses no message") func twins() {
    let talk = Talk()
    talk.start()
    for number in 1...4 {
      talk.until("connection \(number)", seconds: 20) {
        talk.courier.counters.connections.count == number && talk.courier.counters.isOnline
      }
      talk.broker.drop()
    }
    #expect(talk.courier.counters.refused.count == 0 && talk.courier.counters.troubles == [])
    talk.stop()
  }

  @Test("the keepalive that it wants holds") func keepalive() {
    let talk = Talk { $0.broker.keepalive = .seconds(600) }
    talk.broker.answer { $0.keepalive = 2 }
    talk.start()
    talk.online()
    talk.until("two pings", seconds: 8) { talk.broker.record.pings > 1 }
    talk.stop()
  }
}

@Suite("rows that the broker refused") struct RefusedRowsTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test("beyond 256 they wait together, until one of the first is taken, the line ends, or a quarter of an hour has passed")
  func many() {
    func refused() -> RefusedRows {
      var rows = RefusedRows()
      for row in 1...256 as ClosedRange<Int64> { #expect(rows.add(row, at: .zero, isUrgent: false) == at(1)) }
      #expect(rows.add(9_000, at: .zero, isUrgent: true) == at(60))
      for row in [500, 400, 20_000] as [Int64] { #expect(rows.add(row, at: .zero, isUrgent: false) == at(900)) }
      for (row, last) in [(256, nil), (399, nil), (400, 20_000), (9_000, 20_000), (20_000, 20_000), (20_001, nil)] as [(Int64, Int64?)] {
        #expect(rows.last(waitingWith: row, at: at(899)) == last, "\(row)")
      }
      return rows
    }
    var rows = refused()
    #expect(!rows.remove(400) && rows.last(waitingWith: 400, at: at(5)) != nil)
    #expect(rows.remove(7) && rows.last(waitingWith: 400, at: at(5)) == nil && !rows.contains(7) && rows.contains(8))
    for isKept in [false, true] {
      rows = refused()
      rows.requeue(keepingRows: isKept)
      #expect(rows.last(waitingWith: 400, at: at(5)) == nil && rows.isEmpty == !isKept)
    }
    rows = refused()
    #expect(rows.next(after: at(0.5)) == at(1) && rows.next(after: at(30)) == at(900))
    #expect(rows.last(waitingWith: 400, at: at(901)) == nil && rows.next(after: at(901)) == .never)
  }
}
