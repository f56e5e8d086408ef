import Testing

@testable import Core

@Suite("Which gateways belong to the site") struct MembershipRuleTests {
  private let loan = Loan()
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  private func hello(_ name: Name, _ sequence: UInt32 = 1, echo: UInt32 = 0, boot: Text<16> = "run 1") -> Neighbour {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence, hello.echo, hello.isOnline) = (name, boot, sequence, echo, true)
    hello.groups.append("pumps")
    return hello
  }

  /// Names in their places, with `*` where the roster lists them.
  private func names(_ membership: borrowing Membership) -> [String] {
    membership.members.indices.map { index in
      let name = membership.members[index].name
      return String(decoding: (0..<name.count).map { name[$0] }, as: UTF8.self) + (membership.members[index].isRostered ? "*" : "")
    }
  }

  @Test("a roster names the others, not us; who is struck off leaves a place, and without a roster everybody stays") func rosters() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped(["we", "one", "two"]))
    #expect(names(membership) == ["one*", "two*"] && !membership.isRosteredAlone)
    membership.reload(Settings.grouped(["two", "three", "we"]))
    #expect(names(membership) == ["three*", "two*"], "the place that is free is taken")
    let run = membership.members[0].run
    membership.reload(Settings.grouped(["we"]))
    #expect(names(membership) == ["", ""] && membership.isRosteredAlone && membership.members[0].run == run + 1)
    membership.reload(Settings.grouped(["we", "one"]))
    membership.reload(Settings.grouped())
    #expect(names(membership) == ["one", ""] && !membership.isRosteredAlone)
    var groups = GroupList()
    groups.append("pumps")
    membership.restore("old", groups)
    #expect(names(membership) == ["one", "old"] && membership.hasCompetitor(in: "pumps", at: at(1)))
    membership.reload(Settings.grouped(["we", "old"]))
    membership.restore("older", groups)
    #expect(names(membership) == ["", "old*"], "a roster overrules what an earlier run knew")
    membership.receive(status: hello("stranger"), at: at(1))
    membership.receive(hello: hello("another"), at: at(1))
    #expect(membership.refused.strangers == 2 && names(membership) == ["", "old*"])
  }

  @Test("a neighbour that was not heard is answered within 200 ms, one that was heard at the next hello") func answers() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.receive(hello: hello("one"), at: at(0))
    let alone = membership.due
    membership.connected(true, at: at(10))
    _ = membership.nextHello(at: at(10))
    let next = membership.due
    membership.receive(hello: hello("one", 2), at: at(10.1))
    let answer = membership.due
    _ = membership.nextHello(at: at(10.3))
    membership.receive(hello: hello("one", 3), at: at(10.4))
    let known = membership.due
    membership.receive(hello: hello("two"), at: at(11.2))
    let late = membership.due
    #expect(alone == .never && next == at(11) && answer == at(10.3) && known == at(11.3) && late == at(11.3), "sooner is not later")
  }

  @Test("whoever was alone goes on hearing itself when a neighbour's status comes, until its next hello is overdue") func meets() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    for second in [0.0, 1, 11] {
      let number = membership.nextHello(at: at(second))
      membership.receiveOwnHello(number, at: at(second + 0.1))
    }
    #expect(membership.due == at(21))
    membership.receive(status: hello("one"), at: at(15))
    #expect(membership.isAcquainted(at: at(24.5)) && !membership.isAcquainted(at: at(24.7)))
    let number = membership.nextHello(at: at(21))
    #expect(membership.due == at(22))
    membership.receiveOwnHello(number, at: at(21.1))
    #expect(membership.isAcquainted(at: at(25.5)) && !membership.isAcquainted(at: at(25.7)), "from now on each second")
  }

  @Test("an echo proves that the neighbour heard one of our last eight hellos, or what we said since") func echoes() {
    for (echo, isProven) in [(0, false), (1, false), (2, true), (9, true), (10, true), (11, false)] as [(UInt32, Bool)] {
      var membership = Membership(on: loan)
      membership.reload(Settings.grouped())
      membership.connected(true, at: at(0))
      // The first of nine hellos is forgotten; the tenth word is a claim's.
      for second in 1...9 { _ = membership.nextHello(at: at(Double(second))) }
      _ = membership.nextSequence()
      membership.receive(hello: hello("one", 1, echo: echo), at: at(10))
      #expect(membership.members[0].isProven == isProven, "\(echo)")
      let moment = at(echo == 2 ? 2 : 9)
      #expect(membership.members[0].hearsUs(since: moment) == isProven)
      #expect(!membership.members[0].hearsUs(since: moment + .milliseconds(1)))
    }
  }

  @Test("a claim is a neighbour's if all of it is right; ours is not counted, any other is refused and counted") func claims() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.receive(hello: hello("zero"), at: at(1))
    membership.receive(hello: hello("one"), at: at(1))
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("one", "pumps", "run 1", 2)
    claim.identity.append(1)
    func admit(simulated: Bool = false, _ change: (inout Claim) -> Void = { _ in }) -> Int? {
      var changed = claim
      change(&changed)
      return membership.admit(changed, from: "we", simulated: simulated, at: at(2))
    }
    let (good, own) = (admit(), admit { $0.gateway = "we" })
    #expect(good == 1 && own == nil && membership.refused.claims == 0)
    let wrong = [
      admit { $0.gateway = "two" }, admit { $0.boot = "run 2" }, admit { $0.identity = Identity(.address) },
      admit { $0.level = Decibels(20.1) },
      admit { $0.level = Decibels(-127.1) }, admit(simulated: true), admit { $0.simulated = true },
    ]
    #expect(wrong.allSatisfy { $0 == nil } && membership.refused.claims == 7)
    let edges = [admit { $0.level = Decibels(20) }, admit { $0.level = Decibels(-127) }, admit(simulated: true) { $0.simulated = true }]
    #expect(edges == [1, 1, 1] && membership.refused.claims == 7)
  }

  @Test("what a list of numbers holds is found again under each name and run, and no more is written than there is room")
  func lists() {
    func name(_ number: Int) -> Name {
      var name = Name(number % 3 == 0 ? "a \"gate\" " : "gate")
      name.append(decimal: UInt64(number))
      return name
    }
    func boot(_ number: Int) -> Text<16> {
      var boot = Text<16>("run")
      boot.append(decimal: UInt64(10_000 + number))
      return boot
    }
    for room in [60, 100, 101, 250, 900, 5_000] {
      var list = HeardList(room: room)
      var taken = 0
      while taken < 64, list.append(UInt32(taken) * 1_000_003, of: name(taken), boot(taken)) { taken += 1 }
      var written = Text<1_023>()
      written.member("heard", text: list.numbers.bytes)
      written.member("runs", text: list.runs.bytes)
      #expect(written.count <= room && !list.numbers.overflowed && !list.runs.overflowed && taken > 0, "\(room): \(written.count)")
      for number in 0..<64 {
        let echo = Claim.echo(to: name(number), boot(number), in: list.numbers.bytes, runs: list.runs.bytes, mustName: true)
        #expect(echo == (number < taken ? UInt32(number) * 1_000_003 : 0), "\(room), \(number)")
        let other = Claim.echo(to: name(number), "another", in: list.numbers.bytes, runs: list.runs.bytes, mustName: true)
        #expect(other == 0)
      }
    }
    // The keys take 21 bytes, a name of four with its number twelve more, its run eight and a slash.
    for (room, fits) in [(21 + 4 + 12 + 8 + 1, true), (21 + 4 + 12 + 8, false)] {
      var list = HeardList(room: room)
      let isTaken = list.append(7, of: "gate", "0123456789abcdef")
      #expect(isTaken == fits && list.numbers == (fits ? "7/gate" : "") && list.runs == (fits ? "01234567" : ""))
    }
    for (words, number) in [
      ("999999999/we", 999_999_999), ("4294967295/we", .max), ("4294967296/we", 0), ("/we", 0), ("1a/we", 0), ("7/w", 0), ("7/wee", 0),
      ("1/we/2/we", 1),
    ]
      as [(Text<64>, UInt32)]
    { #expect(Claim.echo(to: "we", "run", in: words.bytes, runs: Text<8>().bytes, mustName: false) == number, "\(words)") }
  }
}
