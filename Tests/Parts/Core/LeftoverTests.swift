import Testing

@testable import Core

@Suite("Visits that wait for their devices") struct LeftoverTests {
  private struct Place: Hashable, CaseIterable {
    let device: UInt8
    let number: UInt8

    static let allCases = (0..<5 as Range<UInt8>).flatMap { device in (0..<3 as Range<UInt8>).map { Place(device: device, number: $0) } }
    var identity: Identity { LeftoverTests.identity(device) }
  }

  private static func identity(_ device: UInt8) -> Identity {
    var identity = Identity(.peer)
    for byte in [1, 2, 3, device] { identity.append(byte) }
    return identity
  }

  private static func entry(_ identity: Identity, _ number: UInt8, due: Int64) -> Leftovers.Entry {
    var entry = Leftovers.Entry()
    (entry.identity, entry.place, entry.due) = (identity, number, Instant(microseconds: due))
    return entry
  }

  @Test("each is taken once, or ends once when its time is over; nobody looks too late, nor for ever", arguments: 0..<30 as Range<UInt64>)
  func againstModel(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    var table = Leftovers(in: &arena)
    var model: [Place: (due: Int64, isOver: Bool)] = [:]
    var now: Int64 = 0
    func place(of entry: Leftovers.Entry) -> Place? { Place.allCases.first { $0.identity == entry.identity && $0.number == entry.place } }
    for _ in 0..<1_000 {
      let chosen = Place.allCases.randomElement(using: &random)!
      switch Int.random(in: 0..<40, using: &random) {
      case 0:
        var ended: Set<Place> = []
        while let entry = table.take(unless: Renumbering()) { #expect(place(of: entry).map { ended.insert($0).inserted } == true) }
        #expect(ended == Set(model.filter { !$0.value.isOver }.keys) && table.next == .never)
        model.removeAll()
      case 1...20:
        let due = now + .random(in: 0..<40_000_000, using: &random)
        let isAdded = table.add(Self.entry(chosen.identity, chosen.number, due: due))
        #expect(isAdded)
        if model[chosen] == nil { model[chosen] = (due, false) }
      case 21...25:
        let taken = table.take(chosen.identity, at: Int(chosen.number))
        let known = model.removeValue(forKey: chosen)
        #expect(taken.map(place) == known.map { _ in chosen } && taken?.due.microseconds == known?.due && taken?.isOver == known?.isOver)
      default:
        now += .random(in: 0..<9_000_000, using: &random)
        var ended: Set<Place> = []
        while let entry = table.takeExpired(by: Instant(microseconds: now)) {
          #expect(place(of: entry).map { ended.insert($0).inserted } == true)
        }
        let due = model.filter { $0.value.due <= now }
        #expect(ended == Set(due.filter { !$0.value.isOver }.keys))
        for (place, known) in due { model[place] = known.isOver ? nil : (now + Limits.longestSilence.microseconds, true) }
        #expect(table.next.microseconds == model.values.map(\.due).min() ?? .max, "the next moment is that of the first")
      }
      #expect(table.count == model.count && table.next.microseconds <= model.values.map(\.due).min() ?? .max)
    }
  }

  @Test("512 fit and one more does not, until one of them has been taken; who is there already finds room")
  func full() {
    let loan = Loan()
    var arena = loan.arena
    var table = Leftovers(in: &arena)
    func add(_ number: Int) -> Bool { table.add(Self.entry(Self.identity(UInt8(number & 255)), UInt8(number >> 8), due: 1)) }
    let added = (0..<513).map { add($0) }
    #expect(added == [Bool](repeating: true, count: 512) + [false])
    let (count, isKnown) = (table.count, add(511))
    let taken = table.take(Self.identity(7), at: 0)
    let (isNew, isBeyond) = (add(512), add(7))
    #expect(count == 512 && isKnown && taken != nil && isNew && !isBeyond)
  }

  @Test("what is due is done: the gateway never asks to be called at once for ever", arguments: 0..<8 as Range<UInt64>)
  func rest(seed: UInt64) {
    let yard = Yard(seed)
    var rig = Rig(yard)
    for device in 1...5 as ClosedRange<UInt8> {
      for place in ["trigger/trigger\(device % 4)", "region/region\(device % 4)/event"] {
        let topic = Topic(Array("forecourt/site/gateway/\(place)".utf8).span.bytes)
        let id = Text<128>(Array("address:c0:00:00:00:00:0\(device)".utf8).span.bytes)
        rig.gateway.restore(Unfinished(topic: topic, id: id, since: .zero), at: .zero)
      }
    }
    var (calls, steps) = (0, 0)
    rig.hear(yard.steps(from: 10)) { rig, time in
      let moment = Instant(microseconds: Int64(time * 1e6))
      while rig.gateway.leftoversDue <= moment, calls < 100_000 {
        rig.gateway.expireLeftovers(at: max(rig.gateway.leftoversDue, rig.gateway.now))
        calls += 1
      }
      rig.wait(until: time)
      #expect(rig.gateway.nextDeadline > moment)
      steps += 1
    }
    #expect(calls < 500 && steps > 1_000, "\(calls) calls")
  }
}
