import Core
import Testing

@testable import Host

@Suite("what a renamed gateway owes under its former name") struct FormerNamesTests {
  let scratch = Scratch()

  /// The broker takes nothing for so long.
  private func refuse(_ played: inout Played, isForbidden: Bool, for seconds: Int) {
    for _ in 0..<seconds / 10 {
      played.pass(.seconds(10))
      played.store.flush(at: played.now)
      let sent = played.publish()
      for _ in 0..<sent { played.acknowledge(refusing: true, holdsTopic: true, isForbidden: isForbidden) }
      played.settle()
    }
  }

  @Test(
    "expires an hour after the broker first forbade it, which is said once; for another reason, or under its own name, it waits",
    arguments: ["other", "gateway", "gateway-2"], [true, false])
  func forbidden(name: String, isForbidden: Bool) {
    var played = Played(scratch) { $0.name = Name(name) }
    played.push(2)
    refuse(&played, isForbidden: isForbidden, for: 3_600)
    #expect(played.counters.eventsWaiting.count == 2 && played.store.hasRefused && played.log.lines == [])
    refuse(&played, isForbidden: isForbidden, for: 300)
    let isOver = isForbidden && name != "gateway"
    #expect(played.counters.eventsWaiting.count == (isOver ? 0 : 2) && played.counters.eventsExpired.count == (isOver ? 2 : 0))
    #expect(played.store.hasRefused == !isOver)
    let words = "error: an event under another name than this gateway's expires: for an hour the broker's access list has forbidden "
    #expect(played.log.take() == (isOver ? [words + "forecourt/site/gateway/trigger/pump-1"] : []))
    played.drain()
    #expect(played.delivered == (isOver ? [] : played.pushed))
  }

  @Test("the hour begins anew when the broker has taken one; what it was not asked for does not expire") func mended() {
    var played = Played(scratch) { $0.name = Name("other") }
    played.push(2)
    refuse(&played, isForbidden: true, for: 3_000)
    var taken = 0
    while taken == 0 {
      played.pass(.seconds(1))
      played.store.flush(at: played.now)
      taken = played.publish(atMost: 1)
    }
    played.acknowledge()
    refuse(&played, isForbidden: true, for: 3_500)
    #expect(played.delivered == [played.pushed[0]] && played.counters.eventsWaiting.count == 1)
    refuse(&played, isForbidden: true, for: 300)
    #expect(played.counters.eventsWaiting.count == 0 && played.counters.eventsExpired.count == 1)
    played.push(1)
    played.drain()
    #expect(played.delivered == [played.pushed[0], played.pushed[2]])
  }

  @Test("new settings say which name is its own") func renamed() {
    var names = FormerNames(CourierSettings())
    let topics = ["forecourt/site/gateway/trigger/a", "forecourt/site/gateway-2/trigger/a", "forecourt/site/gateway", ""].map { Topic($0) }
    #expect(topics.map { names.have($0) } == [false, true, true, true])
    var settings = CourierSettings()
    settings.name = Name("gateway-2")
    names.reload(settings)
    #expect(topics.map { names.have($0) } == [true, false, true, true])
  }
}
