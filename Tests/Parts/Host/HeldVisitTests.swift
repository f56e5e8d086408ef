import Core
import Testing

@testable import Host

@Suite("Visits that begin and end while the disk fails") struct HeldVisitTests {
  private let scratch = Scratch()

  @Test(
    "of a visit that began and ended in memory nothing is left open, whichever of its events is on its way or refused", arguments: 0..<8)
  func heldVisit(order: Int) throws {
    let (acknowledgesLate, isRefused, endsLate) = (order & 1 != 0, order & 2 != 0, order & 4 != 0)
    var played = Played(scratch)
    let database = try #require(played.store.outbox?.database)
    func recover(_ played: inout Played) throws {
      try database.run("PRAGMA query_only = 0")
      played.pass(.seconds(6))
      played.push(1)
      #expect(!played.counters.troubles.contains(.store))
    }
    try database.run("PRAGMA query_only = 1")
    played.push(.begins, of: "irk:ann")
    played.push(.begins, of: "irk:eve")
    if !endsLate { played.push(.ends, of: "irk:ann") }
    played.publish()
    if isRefused { played.acknowledge(refusing: true) }
    if acknowledgesLate { try recover(&played) }
    while played.publish() > 0 || played.isTalking { played.acknowledge() }
    if !acknowledgesLate { try recover(&played) }
    if endsLate { played.push(.ends, of: "irk:ann") }
    played.drain()
    played.store.close()
    var settings = played.settings
    settings.boot = Text("another")
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    #expect(next.unfinished?.map { String($0.id) } == ["irk:eve"], "\(order)")
  }
}
