import Testing

@testable import Core

private let service = SuccessionTests.adverts[0]
private let beaconFrame = bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0001 C5")

/// One visitor under several names, where an interruption made two of it.
@Suite("A phone is one visitor, whatever happens meanwhile") struct OneVisitTests {
  private func rig(radios: Int = 1, group: Name = Name(), _ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      if radios > 1 { $0.addRadios(radios) }
      for radio in 0..<radios { $0.addTrigger(radio == 0 ? "one" : "two", group: group, radio: radios > 1 ? Int8(radio) : nil) }
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
      change(&$0)
    }
  }

  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  private func hear(
    _ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil,
    each step: Double = 0.1, radio: Int = 0, data: [UInt8] = service
  ) {
    var time = start
    while time < end {
      let heard = Int8((level + ((last ?? level) - level) * (time - start) / (end - start)).rounded())
      rig.gateway.receive(advert([number, 0, 0, 0, 0, 0x40], level: heard, data: data).span.bytes, radio: radio, at: at(time))
      time += step
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func identify(_ rig: inout Rig, _ number: UInt8, as id: UInt32 = 5, at seconds: Double) {
    rig.gateway.receive(peer: KnownPeer(address: Address(0x4000_0000_0000 + UInt64(number), type: 1), id: id), at: at(seconds))
    #expect(rig.gateway.tableFaults == [])
  }

  /// Drives up from second 10 on, and is served.
  private func serve(_ rig: inout Rig, _ number: UInt8 = 1, from start: Double = 10, until end: Double, data: [UInt8] = service) {
    hear(&rig, number, from: start, to: start + 8, level: -84, becoming: -60, data: data)
    hear(&rig, number, from: start + 8, to: end, level: -60, data: data)
  }

  private func names(_ rig: borrowing Rig) -> [String] {
    rig.told().filter { ["fire", "leave"].contains($0.event) }.map { "\($0.event) \($0.trigger) \($0.id.suffix(2))" }
  }

  @Test("the next address, heard once and then not for some seconds, is the same phone", arguments: [1, 4.9, 5.1, 20])
  func silent(seconds: Double) {
    var rig = rig()
    serve(&rig, until: 30)
    hear(&rig, 2, from: 30.3, to: 30.35, level: -60)
    for second in stride(from: 30 + seconds, to: 100, by: 1) { hear(&rig, 2, from: second, to: second + 0.05, level: -60) }
    rig.wait(until: 400)
    #expect(names(rig) == ["fire one 01", "leave one 01"])
  }

  @Test("nor does it matter that another trigger's radio heard the next address before", arguments: [0, 2, 4, 6])
  func elsewhere(earlier: Double) {
    var rig = rig(radios: 2)
    serve(&rig, until: 30)
    hear(&rig, 2, from: 30.3 - earlier / 100, to: 30.3 + earlier, level: -80, each: 0.5, radio: 1)
    hear(&rig, 2, from: 30.4 + earlier, to: 80, level: -60)
    rig.wait(until: 400)
    #expect(names(rig) == ["fire one 01", "leave one 01"])
  }

  @Test("the next address, whose id is read before it is known whose it is, is the same phone", arguments: [0.3, 0.7, 2, 6, 9])
  func readEarly(after: Double) {
    for step in [0.1, 1] {
      var rig = rig()
      serve(&rig, until: 30)
      hear(&rig, 2, from: 30.2, to: 30.2 + after, level: -60, each: step)
      identify(&rig, 2, at: 30.2 + after)
      hear(&rig, 2, from: 30.3 + after, to: 80, level: -60, each: step)
      rig.wait(until: 400)
      #expect(names(rig) == ["fire one 01", "leave one 01"], "an advert each \(step) s")
    }
  }

  @Test("an address between, whose id nobody read, ends nothing when it falls silent", arguments: [3.0, 10]) func between(after: Double) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 12, level: -84)
    identify(&rig, 1, at: 12)
    serve(&rig, from: 12, until: 60)
    hear(&rig, 2, from: 60.3, to: 120, level: -60)
    hear(&rig, 3, from: 120.3, to: 120.3 + after, level: -60)
    identify(&rig, 3, at: 120.3 + after)
    hear(&rig, 3, from: 120.4 + after, to: 300, level: -60)
    #expect(names(rig) == ["fire one 05"])
    rig.wait(until: 600)
    #expect(names(rig) == ["leave one 05"])
  }

  @Test("an id that comes late, for an address that is used no longer, starts no visit") func late() {
    var rig = rig { $0.triggers[0].refractory = .seconds(300) }
    hear(&rig, 1, from: 10, to: 12, level: -84)
    identify(&rig, 1, at: 12)
    serve(&rig, from: 12, until: 40)
    hear(&rig, 1, from: 40, to: 48, level: -60, becoming: -98)
    serve(&rig, 2, from: 400, until: 430)
    hear(&rig, 3, from: 430.3, to: 433, level: -60)
    identify(&rig, 2, at: 433)
    hear(&rig, 3, from: 433, to: 480, level: -60)
    rig.wait(until: 800)
    #expect(names(rig) == ["fire one 05", "leave one 05", "fire one 02", "leave one 02"])
  }

  @Test("whose id becomes known after it has left rests under it as well") func restsUnderId() {
    var rig = rig { $0.triggers[0].refractory = .seconds(300) }
    hear(&rig, 1, from: 10, to: 12, level: -84)
    identify(&rig, 1, at: 12)
    serve(&rig, from: 12, until: 40)
    serve(&rig, 2, from: 400, until: 430)
    hear(&rig, 2, from: 430, to: 445, level: -60, becoming: -98)
    identify(&rig, 2, at: 445)
    hear(&rig, 2, from: 445, to: 500, level: -98, each: 2)
    serve(&rig, 2, from: 500, until: 530)
    #expect(names(rig) == ["fire one 05", "leave one 05", "fire one 02", "leave one 02"])
  }

  @Test("who was unread when it was served, and is read at its next address, is that visitor, though an earlier address was read, too")
  func unreadBetween() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 14, level: -84, becoming: -72)
    identify(&rig, 1, at: 12)
    hear(&rig, 2, from: 14.2, to: 18, level: -72, becoming: -60)
    hear(&rig, 2, from: 18, to: 30, level: -60)
    hear(&rig, 3, from: 30.2, to: 30.3, level: -60)
    identify(&rig, 3, at: 30.3)
    hear(&rig, 3, from: 30.4, to: 80, level: -60)
    rig.wait(until: 400)
    #expect(names(rig) == ["fire one 02", "leave one 02"])
  }

  @Test("a phone that sends a beacon besides is one visitor, served as a beacon or by its id, read again or not", arguments: [0.5, 4, 60])
  func beacon(read: Double) {
    for isReadFirst in [true, false] {
      var rig = rig()
      for step in 0..<200 {
        let (time, level) = (10 + Double(step) / 10, min(-84 + Double(step) * 0.3, -60))
        hear(&rig, 1, from: time, to: time + 0.05, level: level, data: step % 2 == 0 ? service : beaconFrame)
        if isReadFirst && step == 20 { identify(&rig, 1, at: time) }
      }
      for step in 0..<500 {
        let time = 30.2 + Double(step) / 10
        hear(&rig, 2, from: time, to: time + 0.05, level: -60, data: step % 2 == 0 ? service : beaconFrame)
        if step == Int(read * 10) { identify(&rig, 2, at: time) }
      }
      let name = isReadFirst ? "05" : ":1"
      rig.wait(until: 600)
      #expect(names(rig) == ["fire one \(name)", "leave one \(name)"], "read first: \(isReadFirst)")
    }
  }

  @Test("whoever copies a beacon far off, and has an id, takes no visit with it") func copied() {
    var rig = rig()
    serve(&rig, until: 20, data: beaconFrame)
    for step in 0..<600 {
      let time = 20 + Double(step) / 10
      hear(&rig, 1, from: time, to: time + 0.05, level: -60, data: beaconFrame)
      hear(&rig, 9, from: time + 0.05, to: time + 0.1, level: -85, data: step % 2 == 0 ? service : beaconFrame)
      if step % 150 == 20 { identify(&rig, 9, as: 100 + UInt32(step), at: time + 0.09) }
    }
    #expect(names(rig) == ["fire one :1"])
    rig.wait(until: 600)
    #expect(names(rig) == ["leave one :1"])
  }

  @Test("whom the run before served under another name of its address is not served again by its id", arguments: [service, beaconFrame])
  func restarted(data: [UInt8]) {
    var rig = rig { $0.triggers[0].refractory = .seconds(600) }
    let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    let id = data == beaconFrame ? "ibeacon:\(uuid):7:1" : "service:\(uuid)@40:00:00:00:00:01"
    let topic = Topic(Array("forecourt/site/gateway/trigger/one".utf8).span.bytes)
    rig.gateway.recall(Unfinished(topic: topic, id: Text(Array(id.utf8).span.bytes), since: at(-30)), at: at(1))
    rig.gateway.caughtUp(at: at(1))
    identify(&rig, 1, at: 2)
    serve(&rig, from: 75, until: 120, data: data)
    #expect(names(rig) == [])
  }

  @Test("what is served at one trigger of a group is served at no other under its next address, before it is known whose that is")
  func grouped() {
    var rig = rig(radios: 2, group: "pumps") { for trigger in 0..<2 { $0.triggers[trigger].groupRefractory = .seconds(600) } }
    func both(_ number: UInt8, _ start: Double, _ end: Double, _ levels: (Double, Double), each steps: (Double, Double) = (0.1, 0.1)) {
      for tick in 0..<Int((end - start) * 10) {
        let time = start + Double(tick) / 10
        if tick % Int(steps.0 * 10) == 0 { hear(&rig, number, from: time, to: time + 0.05, level: levels.0) }
        if tick % Int(steps.1 * 10) == 0 { hear(&rig, number, from: time + 0.01, to: time + 0.06, level: levels.1, radio: 1) }
      }
    }
    both(1, 10, 12, (-84, -90))
    both(1, 12, 25, (-58, -70))
    #expect(names(rig) == ["fire one 01"])
    // It has slept, and a body stands between by now.
    both(2, 45, 75, (-70, -58), each: (1, 0.1))
    #expect(!names(rig).contains("fire two 02"))
  }

  @Test("a phone whose address changes as it comes arms once") func armed() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 16, level: -92, becoming: -84)
    hear(&rig, 2, from: 16.2, to: 26, level: -84, becoming: -60)
    hear(&rig, 2, from: 26, to: 40, level: -60)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
  }
}
