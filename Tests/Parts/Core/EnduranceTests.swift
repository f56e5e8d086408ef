import Testing

@testable import Core

@Suite("What the gateway endures")
struct EnduranceTests {
  private let wanted = Identity(.address, Address(word: 0xC000_0000_0001))

  @Test("a followed device takes 400 bytes at most, its address, its average and its deadline among them")
  func memory() {
    func bytes(_ capacity: Int) -> Int {
      Devices.bytes(capacity: capacity, radios: 1) + AddressBook.bytes(capacity: capacity) + DeadlineHeap.bytes(for: capacity)
    }
    #expect((bytes(65_536) - bytes(32_768)) / 32_768 <= 400)
  }

  @Test("levels that are not available, or that no receiver can measure, are counted and change nothing", arguments: [127, 21, 100])
  func levels(level: Int8) {
    var rig = Rig { $0.addRegion("door") }
    _ = rig.said()
    rig.hear(1, at: 1, level: level)
    #expect(rig.gateway.counters.levelsDiscarded == 1 && rig.gateway.counters.reports == 1)
    #expect(rig.gateway.devices.count == 0 && rig.said().allSatisfy { $0.topic.hasPrefix("ranging") })
    rig.hear(1, at: 2, level: 20)
    #expect(rig.gateway.devices.count == 1)
  }

  @Test("a clock that goes back is counted, and taken to stand still")
  func clock() {
    var rig = Rig { $0.addRegion("door", exit: .after(.seconds(7))) }
    rig.hear(1, at: 100)
    for step in 1...5 { rig.hear(1, at: 100 - Double(step) * 10) }
    #expect(rig.gateway.counters.clockStepsBack == 5)
    #expect(rig.gateway.devices[0].heard == Instant(microseconds: 100_000_000))
    rig.wait(until: 106.9)
    #expect(!rig.said().contains { $0.payload.contains(#""event":"exit""#) })
    rig.wait(until: 107.1)
    #expect(rig.said().contains { $0.payload.contains(#""event":"exit""#) })
  }

  @Test("crossing packets of two radios do not count as a clock that goes back")
  func crossing() {
    var rig = Rig { $0.addRadios(2) }
    for step in 1...9 {
      rig.hear(1, at: Double(step), radio: 0)
      rig.hear(1, at: Double(step) - 0.1, radio: 1)
    }
    #expect(rig.gateway.counters.clockStepsBack == 0)
  }

  @Test("a newcomer in a full table inherits nothing: each device's averages come from its own samples, at each radio")
  func newcomers() throws {
    var rig = Rig(devices: 16) {
      $0.addRadios(2)
      $0.addRegion("door")
    }
    var random = Seeded(3)
    var model: [UInt8: [Int]] = [:]
    for step in 0..<3_000 {
      let (device, radio) = (UInt8.random(in: 1...40, using: &random), Int.random(in: 0..<2, using: &random))
      let identity = Identity(.address, Address(word: 0xC000_0000_0000 + UInt64(device)))
      let before = rig.gateway.devices.find(identity)
      if before == nil { model[device] = [0, 0] }
      model[device]![radio] += 1
      // Every device has a level of its own.
      rig.hear(device, at: 10 + Double(step) * 0.01, level: -40 - Int8(device), radio: radio)
      let found = rig.gateway.devices.find(identity)
      let slot = try #require(found)
      #expect(model[device] == [rig.gateway.devices[slot, 0].samples, rig.gateway.devices[slot, 1].samples], "step \(step)")
      #expect(rig.gateway.devices[slot, radio].level == Decibels(Float(-40 - Int8(device))), "step \(step)")
      if step % 100 == 0 { #expect(rig.gateway.tableFaults == []) }
    }
    #expect(rig.gateway.devices.evictions > 1_000)
  }

  @Test("a gap of hours expires everything: exits come at their due moments, and no proximity is kept")
  func gap() throws {
    var rig = Rig {
      $0.addRegion("door", exit: .after(.seconds(30)))
      $0.ranging.interval = .hours(100)
    }
    for beat in 0..<20 { for device in 1...9 { rig.hear(UInt8(device), at: Double(beat), level: -40) } }
    _ = rig.said()
    rig.hear(1, at: 5 * 3_600, level: -90)
    let said = rig.said()
    let exits = said.filter { $0.payload.contains(#""event":"exit""#) }
    #expect(exits.count == 9 && exits.allSatisfy { $0.payload.contains(#""uptime_s":49}"#) })
    #expect(said.count { $0.payload.contains(#""zone":"unknown""#) } == 9)
    #expect(said.count { $0.payload.contains(#""event":"enter""#) } == 1)
    let found = rig.gateway.devices.find(wanted)
    let slot = try #require(found)
    #expect(rig.gateway.devices[slot, 0].samples == 1 && rig.gateway.devices[slot, 0].level.value == -90)
  }
}
