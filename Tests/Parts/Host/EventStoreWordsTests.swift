import Core
import Foundation
import Testing

@testable import Host

@Suite("what is said of the outbox, once each") struct EventStoreWordsTests {
  let scratch = Scratch()

  private func path(_ name: String = "outbox.db") -> String { scratch.path + "/" + name }

  /// Without the folder, which no two runs share.
  private func said(_ played: Played) -> [String] { played.log.take().map { $0.replacing(scratch.path + "/", with: "") } }

  @Test("where nothing can be written the service's own folder was made anew, and another one is not allowed to it") func readOnly() {
    let fault = StoreFault(.readOnly, "")
    #expect(fault.advice(for: "/var/lib/forecourt/outbox.db").1 == "systemctl restart forecourt")
    #expect(fault.advice(for: "/srv/ssd/outbox.db").1 == "ReadWritePaths=/srv/ssd")
  }

  @Test("where there is no outbox yet its folder must change hands, else its files") func forbidden() throws {
    let fault = StoreFault(.forbidden, "")
    #expect(fault.advice(for: path()).1 == "chown \(userName) \(scratch.path)")
    try Data().write(to: URL(fileURLWithPath: path()))
    #expect(fault.advice(for: path()).1 == "chown \(userName) \(path())*")
  }

  @Test("it cannot be written, and can again; meanwhile it looks every five seconds, afterwards it rests") func away() throws {
    var played = Played(scratch)
    played.push(1)
    #expect(said(played) == [] && played.store.nextDue > played.now.at)
    try FileManager.default.moveItem(atPath: scratch.path, toPath: scratch.path + "-away")
    for _ in 0..<3 {
      played.pass(.seconds(2))
      played.push(1)
    }
    #expect(played.store.nextDue == played.now.at + .seconds(1), "five seconds after it was noticed")
    let lines = said(played)
    #expect(lines.count == 2, "\(lines)")
    #expect(
      lines.first?.hasPrefix("error: outbox.db: somebody deleted the outbox while it was in use. Waiting events are stored again") == true)
    #expect(lines.last?.hasPrefix("error: outbox.db: its folder is not there; events are in memory only and end with the ") == true)
    #expect(lines.last?.hasSuffix(": systemctl restart forecourt") == true && played.counters.troubles == [.store, .touched])
    #expect(played.counters.storeFailures.count == 2, "in one turn, and not at each event")
    played.pass(.seconds(1))
    played.push(1)
    #expect(played.counters.storeFailures.count == 3 && said(played) == [], "said once")
    try FileManager.default.moveItem(atPath: scratch.path + "-away", toPath: scratch.path)
    played.pass(.seconds(5))
    played.store.flush(at: played.now)
    #expect(said(played) == ["info: outbox.db: the outbox can be written again "] && played.counters.troubles == .touched)
    // What is old goes in a turn of its own.
    played.store.flush(at: played.now)
    #expect(played.store.nextDue > played.now.at, "nothing is due at once")
    played.drain()
    #expect(Set(played.delivered) == Set(played.pushed) && said(played) == [])
  }

  @Test("a deleted outbox is noticed a second after the last look, or with the next event", arguments: [false, true])
  func looks(isPushing: Bool) throws {
    var played = Played(scratch)
    played.pass(.seconds(1))
    played.store.flush(at: played.now)
    try FileManager.default.removeItem(atPath: path())
    if isPushing {
      played.push(1)
    } else {
      played.pass(.milliseconds(999))
      played.store.flush(at: played.now)
      #expect(played.counters.troubles == [])
      played.pass(.milliseconds(1))
      played.store.flush(at: played.now)
    }
    #expect(played.counters.troubles == .touched && said(played).count == 1)
    played.drain()
    #expect(played.delivered == played.pushed)
  }

  @Test("what is saved from a deleted outbox goes in its order, urgent events first") func rescued() throws {
    var played = Played(scratch)
    for isUrgent in [false, true, false, true] { played.push(isUrgent: isUrgent) }
    try FileManager.default.removeItem(atPath: path())
    played.drain()
    #expect(played.delivered == [1, 3, 0, 2].map { played.pushed[$0] })
  }

  @Test("what is saved from a deleted outbox expires when it would have", arguments: [9, 11]) func savedLife(seconds: Double) throws {
    var played = Played(scratch)
    played.push(lasting: .seconds(10))
    played.push()
    try FileManager.default.removeItem(atPath: path())
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    played.pass(.seconds(seconds - 2))
    played.drain()
    #expect(played.delivered == (seconds < 10 ? played.pushed : [played.pushed[1]]))
    #expect(played.counters.eventsExpired.count == (seconds < 10 ? 0 : 1) && played.counters.eventsLost.count == 0)
  }

  @Test("from an outbox that somebody deleted an event that the disk had changed is not saved, and that is said") func changedEvent() throws
  {
    var played = Played(scratch)
    played.push(3)
    try #require(played.store.outbox).database.run("UPDATE event SET payload = replace(payload, '1}', '7}')")
    try FileManager.default.removeItem(atPath: path())
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    #expect(said(played).filter { $0.contains("lost") } == ["error: not all waiting events could be saved from the outbox: some were lost"])
    #expect(played.counters.eventsLost.count == 1)
    played.drain()
    #expect(played.delivered == [played.pushed[0], played.pushed[2]])
  }

  @Test("what waits in a deleted outbox that can no longer be read is counted as lost") func unreadable() throws {
    var played = Played(scratch)
    played.push(3)
    try #require(played.store.outbox).database.run("PRAGMA writable_schema = 1; ALTER TABLE event RENAME TO gone")
    try FileManager.default.removeItem(atPath: path())
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    #expect(played.counters.eventsLost.count == 3)
    #expect(said(played).contains("error: not all waiting events could be saved from the outbox: some were lost"))
  }

  @Test("a file that cannot be read is asked no more until there is reason to") func unasked() throws {
    var played = Played(scratch)
    for isUrgent in [true, false] { played.push(isUrgent: isUrgent) }
    try #require(played.store.outbox).database.run("PRAGMA writable_schema = 1; ALTER TABLE event RENAME TO gone")
    for _ in 0..<3 { #expect(played.publish() == 0) }
    #expect(played.counters.storeFailures.count == 2, "once for each kind of event")
  }

  @Test("somebody changed it, or it was damaged: where it was set aside") func changed() throws {
    var played = Played(scratch)
    played.push(2)
    let file = try #require(FileHandle(forUpdatingAtPath: path()))
    try file.seek(toOffset: 24)
    file.write(Data(repeating: 0, count: 4))
    try file.close()
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    #expect(
      said(played) == [
        "error: outbox.db: somebody changed the outbox while it was in use. It was set aside as \(path("outbox.db.damaged-1"))".replacing(
          scratch.path + "/", with: "")
      ])
    #expect(played.counters.troubles == .touched)
    played.store.close()
    scratch.write("outbox.db", Array(repeating: 0x41, count: 9_000))
    played.store.open(at: played.now)
    #expect(
      said(played) == [
        "error: outbox.db: the outbox was damaged or of another version, and was set aside as outbox.db.damaged-2",
        "error: outbox.db: not all waiting events could be read from outbox.db.damaged-2",
        "error: outbox.db: whoever was served may be served again: not all open visits and fires could be read from outbox.db.damaged-2",
      ])
    #expect(played.counters.troubles == [.touched, .setAside])
  }

  @Test("events were lost: the file was full, or the memory, or the disk had changed one") func lost() throws {
    var played = Played(scratch)
    played.reload { $0.outbox.maxEvents = 3 }
    for _ in 0..<2 { played.push(3) }
    #expect(said(played) == ["error: the outbox is full: undelivered events were lost"] && played.counters.troubles == .lost)
    #expect(played.counters.eventsLost.count == 3 && played.counters.eventsWaiting.count == 3)
    played = Played(Scratch())
    played.reload { $0.outbox.path = scratch["no/such/outbox.db"] }
    _ = said(played)
    played.push(HeldEvents.most)
    #expect(said(played) == [] && played.counters.eventsLost.count == 0)
    for _ in 0..<2 { played.push(1) }
    #expect(said(played) == ["error: too many events for the memory while the outbox cannot be written: some were lost"])
    #expect(played.counters.eventsLost.count == 2 && played.counters.troubles == [.store, .lost])
  }

  @Test("an event that has no room for its signature goes without, and that is told") func long() {
    var played = Played(scratch)
    played.reload { $0.signingKey = EventSignerTests.key("w") }
    played.push(1)
    #expect(played.counters.troubles == [])
    var message = Message()
    message.care = .event
    while message.payload.free > 0 { message.payload.append(byte: UInt8(ascii: "x")) }
    played.store.add(message)
    #expect(played.counters.troubles == .cramped)
  }

  @Test("a signing key that is none is named; another one, or none, ends that") func keys() {
    var played = Played(scratch)
    let words = "error: signing_key_file holds no Ed25519 key (openssl genpkey -algorithm ed25519); events go unsigned"
    played.reload { $0.signingKey = Text("no key") }
    #expect(said(played) == [words] && played.counters.troubles == .unsigned)
    played.reload { $0.outbox.maxEvents += 1 }
    #expect(said(played) == [] && played.counters.troubles == .unsigned)
    played.reload { $0.signingKey = EventSignerTests.key("w") }
    #expect(said(played) == [] && played.counters.troubles == [])
    played.push(1)
    played.reload { $0.signingKey = Text("another") }
    played.reload { $0.signingKey = Text() }
    #expect(said(played) == [words] && played.counters.troubles == [], "no signature is wanted any more")
    played.push(1)
    played.drain()
    #expect(played.delivered.map { $0.contains("\"signature\":\"") } == [true, false])
  }

  @Test("what waits is counted in the file and in memory together, whatever was delivered last") func waiting() throws {
    var played = Played(scratch)
    played.reload { $0.outbox.path = scratch["no/such/outbox.db"] }
    played.push(2)
    played.publish(atMost: 1)
    #expect(played.counters.eventsWaiting.count == 2)
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    played.pass(.seconds(6))
    played.push(1)
    #expect(played.counters.eventsWaiting.count == 3, "one is on its way from memory, the other has been stored")
    played.publish(atMost: 1)
    played.acknowledge(1)
    played.settle()
    #expect(played.counters.eventsWaiting.count == 2 && played.counters.eventsDelivered.count == 1)
  }

  @Test("an event that is on its way from memory when new settings find a disk goes once") func once() {
    var played = Played(scratch)
    played.reload { $0.outbox.path = scratch["no/such/outbox.db"] }
    played.push(2)
    played.publish(atMost: 1)
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    played.pass(.seconds(6))
    played.store.flush(at: played.now)
    played.acknowledge()
    played.drain()
    #expect(played.delivered == played.pushed && played.counters.eventsDelivered.count == 2)
  }

  @Test("what waits in the file is known as soon as it is open: at the start, and under new settings") func waitingAtOnce() {
    var played = Played(scratch)
    played.push(3)
    played.reload { $0.outbox.path = scratch["other.db"] }
    #expect(played.counters.eventsWaiting.count == 0, "nothing waits in the new file")
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    #expect(played.counters.eventsWaiting.count == 3)
    played.store.close()
    let counters = CourierCounters()
    var next = EventStore(played.settings, counters) { _, _ in }
    next.open(at: played.now)
    defer { next.close() }
    #expect(counters.eventsWaiting.count == 3)
  }

  @Test("a visit began at its moment by this machine's clock, else by the time of day, and never later than now") func visits() {
    let now = Moment(at: Instant(microseconds: 50_000_000), wall: 1_790_000_000_000_000, isTrusted: true)
    func since(machine: Int64, at: Int64, wall: Int64?, today: Int64? = 1_790_000_000_000_000, isTrusted: Bool = true) -> Int64 {
      var visit = Outbox.OpenVisit()
      (visit.machine, visit.at, visit.wall) = (machine, Instant(microseconds: at), wall)
      return visit.since(1, at: Moment(at: now.at, wall: today, isTrusted: isTrusted)).microseconds
    }
    #expect(since(machine: 1, at: 7, wall: nil) == 7 && since(machine: 1, at: 60_000_000, wall: nil) == 50_000_000)
    #expect(since(machine: 2, at: 7, wall: 1_789_999_980_000_000) == 30_000_000)
    #expect(since(machine: 2, at: 7, wall: 1_789_999_980_000_000, isTrusted: false) == 50_000_000, "nothing has set the clock")
    #expect(since(machine: 2, at: 7, wall: 1_790_000_000_000_001) == 50_000_000, "the clock was put back")
    #expect(since(machine: 2, at: 7, wall: 1_789_999_900_000_000) == -50_000_000, "before the machine started")
    // One flipped bit: such a visit began now.
    #expect(since(machine: 1, at: .min, wall: nil) == 50_000_000 && since(machine: 2, at: 7, wall: 1 << 62) == 50_000_000)
    #expect(since(machine: 2, at: 7, wall: .min) == 50_000_000 && since(machine: 2, at: 7, wall: .min | 1_790 << 40) == 50_000_000)
    #expect(since(machine: 2, at: 7, wall: nil) == 50_000_000 && since(machine: 2, at: 7, wall: 5, today: nil) == 50_000_000)
  }

  @Test("a visit began when its event came about, however late the disk took it") func late() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:late", ago: .seconds(40))
    played.push(.begins, of: "irk:prompt")
    played.store.close()
    var begun: [String] = []
    try Outbox(played.settings.outbox, machine: 1).openVisits {
      begun.append("\(String($0.id)) \($0.at.microseconds) \($0.wall ?? 0)")
      return true
    }
    #expect(begun.sorted() == ["irk:late 10000000 1789999960000000", "irk:prompt 50000000 1790000000000000"])
  }

  @Test("a shorter life of events counts at once for what is in the file") func shorter() throws {
    var played = Played(scratch)
    played.push(1)
    played.drain()
    played.pass(.seconds(60))
    played.store.flush(at: played.now)
    #expect(played.store.nextDue > played.now.at)
    played.reload { $0.outbox.maxAge = .seconds(30) }
    #expect(played.store.nextDue <= played.now.at)
    played.store.flush(at: played.now)
    #expect(try #require(played.store.outbox?.database).number("SELECT count(*) FROM event") == 0)
  }
}
