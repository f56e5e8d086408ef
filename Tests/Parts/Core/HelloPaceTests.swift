import Testing

@testable import Core

@Suite("When a gateway says hello, and whether it hears itself") struct HelloPaceTests {
  private let loan = Loan()
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  @Test("alone every 10 s once a hello has come back, otherwise each second; never without a group, a roster or a line")
  func paces() {
    for roster in [[], ["we"], ["we", "other"]] as [[Name]] {
      let isAlone = roster.count < 2
      var membership = Membership(on: loan)
      let before = membership.due
      membership.reload(Settings.grouped(roster))
      let offline = membership.due
      #expect(before == .never && offline == .never, "nobody is connected")
      membership.connected(true, at: at(10))
      let first = membership.due
      let number = membership.nextHello(at: at(10))
      let second = membership.due
      #expect(first == at(10) && second == at(11), "until it comes back")
      membership.receiveOwnHello(number, at: at(10.1))
      let next = membership.nextHello(at: at(11))
      let third = membership.due
      #expect(next == number + 1 && third == at(isAlone ? 21 : 12), "\(roster)")
      membership.connected(false, at: at(12))
      let broken = membership.due
      membership.connected(true, at: at(13))
      _ = membership.nextHello(at: at(13))
      let again = membership.due
      #expect(broken == .never && again == at(14), "another line knows nothing")
      membership.reload(Settings())
      let useless = membership.due
      #expect(useless == .never)
    }
  }

  @Test("a line is as old as its last change; word that it is still there changes nothing") func age() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    let before = membership.lineAge(at: at(1))
    #expect(before == nil)
    let changes: [(Bool, Double, Double)] = [(false, 2, 2), (true, 5, 5), (true, 7, 5), (false, 9, 9), (true, 14, 14)]
    for (isConnected, moment, since) in changes {
      membership.connected(isConnected, at: at(moment))
      let age = membership.lineAge(at: at(20))
      #expect(age == .seconds(20 - since), "\(moment)")
      if moment == 5 { membership.receiveOwnHello(membership.nextHello(at: at(6)), at: at(6)) }
      let isHeard = membership.hearsItself(at: at(moment))
      #expect(isHeard == (since == 5 && moment >= 5), "\(moment)")
    }
  }

  @Test("a gateway hears itself for its pace and 3.5 s after its last own hello, of this line, that it remembers")
  func hearing() {
    for roster in [["we"], ["we", "other"]] as [[Name]] {
      var membership = Membership(on: loan)
      membership.reload(Settings.grouped(roster))
      membership.connected(true, at: at(0))
      let isBefore = membership.hearsItself(at: at(0))
      // A claim goes before the first hello.
      let claim = membership.nextSequence()
      let number = membership.nextHello(at: at(1))
      for wrong in [0, claim, number + 1] { membership.receiveOwnHello(wrong, at: at(1)) }
      let isWrong = membership.hearsItself(at: at(1))
      membership.receiveOwnHello(number, at: at(1))
      let limit = (roster.count < 2 ? 10 : 1) + 3.5
      let (isHeard, isOver) = (membership.hearsItself(at: at(1 + limit - 0.001)), membership.hearsItself(at: at(1 + limit)))
      #expect(!isBefore && !isWrong && isHeard && !isOver, "\(roster)")
      // Eight later ones push it from memory.
      for second in 2...9 { _ = membership.nextHello(at: at(Double(second))) }
      membership.receiveOwnHello(number, at: at(20))
      let isForgotten = !membership.hearsItself(at: at(20))
      membership.receiveOwnHello(number + 1, at: at(20))
      let isKnown = membership.hearsItself(at: at(20))
      #expect(isForgotten && isKnown, "\(roster)")
      membership.connected(false, at: at(21))
      let isCut = !membership.hearsItself(at: at(21))
      #expect(isCut)
    }
  }

  @Test("whatever a stranger calls itself, the list of who is heard keeps to the room that it was given") func room() {
    func repeated(_ letter: String, _ count: Int) -> [UInt8] { Array(String(repeating: letter, count: count).utf8) }
    let letters = ["a", "\"", "\\", "\u{1}", "\u{7F}", "ä"]
    for (name, run) in letters.flatMap({ name in letters.map { (name, $0) } }) {
      let (gateway, boot) = (Name(repeated(name, 16).span.bytes), Text<16>(repeated(run, 8).span.bytes))
      for room in [0, 60, 200, 500, 900] {
        var heard = HeardList(room: room)
        var count = 0
        while count < 100, heard.append(4_294_967_295, of: gateway, boot) { count += 1 }
        var payload = Payload()
        payload.openObject()
        payload.member("v", 1)
        let before = payload.count
        payload.member(heard)
        #expect(!payload.overflowed && (count == 0 || payload.count - before <= room), "\(name) \(run) \(room): \(payload.count - before)")
        #expect(count > 0 || room < 400)
      }
    }
  }

  @Test("a group that a reload brings is given 3.5 s from its first hello, however old the line is") func patience() {
    var list = GroupList()
    list.append("pumps")
    var membership = Membership(on: loan)
    membership.reload(Settings())
    membership.connected(true, at: at(0))
    let expected: [Unheard?] = [nil, nil, .ourselves]
    for start in [25.0, 60] {
      membership.reload(Settings.grouped())
      var told: [Unheard?] = []
      for second in [0, 3, 4] {
        let now = at(start + Double(second))
        membership.updateHearing(for: list, at: now)
        told.append(membership.hearing.unheard)
        _ = membership.nextHello(at: now)
      }
      #expect(told == expected, "the first hello has had no time to come back")
      membership.reload(Settings())
    }
  }

  @Test("a gateway whose last group goes, and comes back, gets to know its neighbours anew") func anew() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    membership.receiveOwnHello(membership.nextHello(at: at(0)), at: at(0))
    let isKnown = membership.isAcquainted(at: at(5))
    membership.reload(Settings())
    membership.reload(Settings.grouped())
    membership.receiveOwnHello(membership.nextHello(at: at(6)), at: at(6))
    let (isEarly, isLater) = (membership.isAcquainted(at: at(8.9)), membership.isAcquainted(at: at(9)))
    #expect(isKnown && !isEarly && isLater)
  }
}
