import Core
import Testing

@testable import Host

@Suite("what the courier owes") struct DutyTests {
  @Test("what was acknowledged while its number was in use twice goes again: event, state and reply") func twice() {
    let talk = Talk()
    let (courier, now) = (talk.courier, Moment.now())
    courier.store.open(at: now)
    courier.line = .up(since: now.at)
    var event = Message()
    (event.care, event.topic, event.payload) = (.event, Topic("forecourt/site/gateway/trigger/pump"), Payload("{}"))
    courier.store.add(event)
    courier.store.flush(at: now)
    var state = event
    (state.care, state.sequence) = (.state, 9)
    _ = courier.retained.put(state, at: now.at)
    courier.replies = [Courier.PendingReply(message: state, isSent: true), Courier.PendingReply(message: event, isSent: true)]
    for isTwice in [true, false] {
      let next = courier.store.next(besides: courier.client.inFlight, at: now)
      let word = courier.retained.next(at: now.at)
      guard let next, let word else {
        Issue.record("nothing goes, \(isTwice)")
        break
      }
      courier.store.sent(next.publication)
      courier.retained.send(slot: word.slot, version: word.version)
      let reply = Publication.reply(number: 9)
      for (number, publication) in [(7, next.publication), (8, .state(slot: word.slot, version: word.version)), (9, reply)] {
        courier.client.inFlight.add(Int32(number), publication, at: now.at)
        if isTwice { courier.client.inFlight.doubt(Int32(number)) }
        _ = courier.client.news.acknowledged.append(.init(identifier: Int32(number), reason: 0))
      }
      courier.receiveAcknowledgements(at: now)
      #expect(courier.replies.map(\.isSent) == (isTwice ? [false, true] : [true]), "\(isTwice)")
      courier.replies[0].isSent = true
    }
    let isLeft = courier.store.next(besides: courier.client.inFlight, at: now) != nil
    let isUnsent = courier.retained.next(at: now.at) != nil
    #expect(!isLeft && !isUnsent && courier.client.inFlight.isEmpty && courier.replies.count == 1)
    courier.line = .down(until: .never)
    courier.store.close()
    talk.broker.close()
  }
}
