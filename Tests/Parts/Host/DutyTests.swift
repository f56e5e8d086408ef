import CLinux
import Core
import Glibc
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
  @Test("a line whose oldest word waits four keepalives for its acknowledgement is lost, and only one that talks") func overdue() {
    for (isTalking, late, isLost) in [(true, -0.001, false), (true, 0, true), (false, 1, false)] as [(Bool, Double, Bool)] {
      let talk = Talk { $0.broker.keepalive = .seconds(10) }
      let (courier, sent) = (talk.courier, Moment.now().at)
      courier.client.inFlight.add(7, .reply(number: 9), at: sent)
      courier.client.inFlight.add(8, .reply(number: 10), at: sent + .seconds(5))
      #expect(courier.overdue == sent + .seconds(40))
      courier.client.inFlight.add(9, .event(row: 1, file: 1, isUrgent: true), at: sent + .seconds(1))
      #expect(courier.overdue == sent + .seconds(11), "a fire does not live as long")
      courier.client.heard = sent + .seconds(3)
      #expect(courier.overdue == sent + .seconds(13), "but the broker has just answered")
      #expect(throws: Never.self) {
        try courier.client.prepare(courier.settings.broker, MQTTClient.Greeting(identifier: Text("test" as StaticString), will: nil))
        let fault = courier.client.dial()
        #expect(fault == nil)
      }
      courier.client.inFlight.add(7, .reply(number: 9), at: sent)
      courier.line = isTalking ? .up(since: sent) : .down(until: sent + .seconds(99))
      courier.checkLine(at: sent + .seconds(40 + late))
      #expect(courier.client.inFlight.isEmpty == isLost, "\(isTalking) \(late)")
      let said = "does not acknowledge what it is sent"
      #expect(talk.told(said) == isLost && courier.isTalking == (isTalking && !isLost))
      courier.client.discard()
      talk.broker.close()
    }
  }

  @Test("a courier at work for five seconds hangs; one that sleeps does not") func hangs() {
    let counters = CourierCounters()
    let start = Instant.zero + .seconds(100)
    #expect(!counters.isHung(at: start))
    counters.isBusy(since: start)
    #expect(!counters.isHung(at: start + .seconds(4.999)) && counters.isHung(at: start + .seconds(5)))
    counters.isBusy(since: .zero)
    #expect(!counters.isHung(at: start + .seconds(99)))
  }

  @Test("a reply that the old broker did not acknowledge goes to the new one") func renewed() {
    let talk = Talk()
    let courier = talk.courier
    var reply = Message()
    (reply.care, reply.sequence) = (.reply, 9)
    courier.replies = [Courier.PendingReply(message: reply, isSent: true), Courier.PendingReply(message: reply)]
    var settings = talk.settings
    settings.outbox.maxEvents += 1
    courier.reload(settings, at: .now())
    #expect(courier.replies.map(\.isSent) == [true, false], "the same broker has it")
    settings.broker.port = 1
    courier.reload(settings, at: .now())
    #expect(courier.replies.map(\.isSent) == [false, false])
    talk.broker.close()
  }

  @Test("the answer to a call with the old settings counts for nothing; the next call has the new ones") func oldCall() {
    let talk = Talk()
    let courier = talk.courier
    courier.advanceLine(Ready(), at: Clock.now())
    var settings = talk.settings
    settings.broker.keepalive = .seconds(33)
    courier.reload(settings, at: .now())
    #expect(courier.hasOldCall)
    talk.until("its outcome") {
      if courier.hasOldCall { courier.advanceLine(Ready(), at: Clock.now()) }
      return !courier.hasOldCall
    }
    #expect(!courier.isTalking)
    talk.until("a new greeting") {
      courier.advanceLine(Ready(), at: Clock.now())
      // The caller's thread has greeted before the courier hears of it.
      return courier.isTalking && talk.broker.record.greetings.last?.keepalive == 33
    }
    #expect(courier.counters.failedAttempts.count == 0)
    courier.client.discard()
    talk.broker.close()
  }

  @Test("what is gathered waits in the kernel for its release, and nothing waits otherwise") func gathered() {
    let talk = Talk()
    let client = talk.courier.client
    func isHeld() -> Bool {
      var (value, size) = (CInt(-1), socklen_t(4))
      return getsockopt(client.descriptor, CInt(IPPROTO_TCP), TCP_CORK, &value, &size) == 0 && value == 1
    }
    #expect(throws: Never.self) {
      try client.prepare(talk.settings.broker, MQTTClient.Greeting(identifier: Text("test" as StaticString), will: nil))
      let fault = client.dial()
      #expect(fault == nil && !isHeld())
    }
    for _ in 0..<2 {
      client.gather()
      client.gather()
      #expect(isHeld())
      client.release()
      #expect(!isHeld())
    }
    client.discard()
    client.gather()
    client.release()
    talk.broker.close()
  }
}
