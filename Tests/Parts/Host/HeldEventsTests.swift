import Core
import Seeds
import Testing

@testable import Host

@Suite("Events that are only in memory") struct HeldEventsTests {
  private static let start = Instant.zero + .seconds(1_000)

  private func moment(_ seconds: Double) -> Moment { Moment(at: Self.start + .seconds(seconds), wall: nil, isTrusted: false) }

  private func event(_ number: Int, isUrgent: Bool = false, visit: Message.VisitEdge = .none, lasting: Interval? = nil) -> Message {
    var message = Message()
    (message.care, message.at, message.isUrgent, message.visit) = (.event, Self.start, isUrgent, visit)
    message.payload = Payload("\(number)")
    if let lasting { message.expires = Self.start + lasting }
    return message
  }

  private func payloads(_ held: HeldEvents) -> [Int] { held.events.map { Int(String($0.message.payload)) ?? -1 } }

  @Test("of one more than there is room for the oldest that is not urgent goes, else the oldest") func full() {
    for (urgent, gone) in [([0, 1, 5], 2), ([], 0), (Array(0...HeldEvents.most), 0), (Array(0..<HeldEvents.most), HeldEvents.most)] {
      var held = HeldEvents()
      for number in 0...HeldEvents.most {
        let evicted = held.add(event(number, isUrgent: urgent.contains(number)), at: moment(0))
        #expect(evicted == (number == HeldEvents.most ? 1 : 0))
      }
      #expect(payloads(held) == (0...HeldEvents.most).filter { $0 != gone }, "\(gone)")
    }
  }

  @Test("an event expires at its end, unless it is on its way; what the disk has now is gone, but not what is on its way") func over() {
    var held = HeldEvents()
    for (number, seconds) in [(0, 10), (1, 10), (2, 20), (3, nil)] as [(Int, Double?)] {
      _ = held.add(event(number, visit: .begins, lasting: seconds.map { .seconds($0) }), at: moment(0))
    }
    #expect(held.hasUnsent && !held.isAllSent(at: Self.start) && !held.hasRefused)
    for number in [0, 1] {
      #expect(held.next(isUrgent: false, at: Self.start)?.number == UInt64(number + 1)); held.send(UInt64(number + 1))
    }
    #expect(held.next(isUrgent: true, at: Self.start) == nil)
    let known = [2, 2, 9].map { held.acknowledge($0) }
    #expect(known == [true, false, false])
    #expect(payloads(held) == [0, 2, 3])
    let early = held.expire(at: Self.start + .seconds(20) - Interval(microseconds: 1))
    let due = held.expire(at: Self.start + .seconds(20))
    #expect(early == 0)
    #expect(due == 1 && payloads(held) == [0, 3])
    #expect(held.visits.map { String($0.payload) } == ["0", "1", "2", "3"], "of all, in their order, whatever became of them")
    held.stored()
    #expect(payloads(held) == [0] && held.visits.isEmpty && !held.hasUnsent && held.isAllSent(at: Self.start))
    held.requeue()
    let hasUnsent = held.hasUnsent
    let rest = held.expire(at: Self.start + .hours(1))
    #expect(hasUnsent && rest == 1 && held.count == 0)
  }

  @Test("any order of sending, refusing, acknowledging and lost lines is as in a model", arguments: 1...20 as ClosedRange<UInt64>)
  func asAModel(seed: UInt64) {
    struct Entry {
      var number: UInt64
      var isUrgent: Bool
      var isVisit: Bool
      var isOnItsWay = false
      var due = 0
      var pause = 0
    }
    var random = Seeded(seed)
    var (held, model, visits, last, now) = (HeldEvents(), [Entry](), 0, 0 as UInt64, 0)
    for _ in 0..<300 {
      let at = moment(Double(now)).at
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1, 2:
        last += 1
        let entry = Entry(number: last, isUrgent: .random(using: &random), isVisit: .random(using: &random))
        model.append(entry)
        #expect(held.add(event(Int(last), isUrgent: entry.isUrgent, visit: entry.isVisit ? .begins : .none), at: moment(Double(now))) == 0)
      case 3, 4:
        let isUrgent = Bool.random(using: &random)
        let next = model.firstIndex { !$0.isOnItsWay && $0.due <= now && $0.isUrgent == isUrgent }
        #expect(held.next(isUrgent: isUrgent, at: at)?.number == next.map { model[$0].number })
        if let next {
          held.send(model[next].number)
          model[next].isOnItsWay = true
        }
      case 5:
        guard let index = model.indices.filter({ model[$0].isOnItsWay }).randomElement(using: &random) else { break }
        let pause = min(max(model[index].pause * 2, 1), model[index].isUrgent ? 5 : 60)
        (model[index].isOnItsWay, model[index].pause, model[index].due) = (false, pause, now + pause)
        #expect(held.refuse(model[index].number, at: at) == moment(Double(now + pause)).at)
      case 6:
        guard let index = model.indices.filter({ model[$0].isOnItsWay }).randomElement(using: &random) else { break }
        let isKnown = held.acknowledge(model[index].number)
        #expect(isKnown)
        if model.remove(at: index).isVisit { visits += 1 }
      case 7 where Int.random(in: 0..<4, using: &random) == 0:
        held.requeue()
        for index in model.indices { (model[index].isOnItsWay, model[index].pause, model[index].due) = (false, 0, 0) }
      default: now += Int.random(in: 0..<4, using: &random)
      }
      let later = moment(Double(now)).at
      #expect(held.events.map(\.number) == model.map(\.number) && held.visits.count == visits + model.count { $0.isVisit })
      #expect(held.hasUnsent == model.contains { !$0.isOnItsWay } && held.hasRefused == model.contains { $0.pause > 0 })
      #expect(held.isAllSent(at: later) == !model.contains { !$0.isOnItsWay && $0.due <= now })
      #expect(held.nextRetry(after: later) == (model.map(\.due).filter { $0 > now }.min().map { moment(Double($0)).at } ?? .never))
    }
  }
}
