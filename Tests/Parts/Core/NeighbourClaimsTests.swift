import Testing

@testable import Core

@Suite("What neighbours have claimed") struct NeighbourClaimsTests {
  @Test("each neighbour has one place in a list, and a forgotten list gives all its places back", arguments: 0..<30 as Range<UInt64>)
  func againstModel(seed: UInt64) throws {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    let room = 24
    var claims = NeighbourClaims(capacity: room, in: &arena)
    var heads = [Int32](repeating: -1, count: 6)
    var model = [[Int: UInt32]](repeating: [:], count: heads.count)
    for step in 1...1_500 as ClosedRange<UInt32> {
      let list = Int.random(in: heads.indices, using: &random)
      if Int.random(in: 0..<10, using: &random) == 0 {
        claims.forget(&heads[list])
        model[list] = [:]
      } else {
        let neighbour = Int.random(in: 0..<8, using: &random)
        let isKnown = model[list][neighbour] != nil
        let isFull = model.reduce(0) { $0 + $1.count } == room
        let place = claims.place(for: neighbour, run: 1, head: &heads[list])
        #expect((place < 0) == (isFull && !isKnown))
        guard place >= 0 else { continue }
        if !isKnown {
          let entry = claims[place]
          #expect(entry.sequence == 0 && entry.echo == 0 && entry.standing == .withdrawn && entry.level == nil && !entry.hasFired)
        }
        (claims[place].sequence, claims[place].echo, claims[place].level) = (step, step, Decibels(-60))
        claims[place].record(.fired, isSettled: false)
        model[list][neighbour] = step
      }
      for (head, known) in zip(heads, model) {
        for neighbour in 0..<8 {
          let place = claims.find(neighbour, from: head)
          let sequence = place < 0 ? nil : claims[place].sequence
          try #require(sequence == known[neighbour])
        }
      }
      let taken = claims.free.taken
      try #require(taken == model.reduce(0) { $0 + $1.count })
    }
  }

  @Test("of a neighbour's earlier run it remains only that it fired")
  func restarted() {
    let loan = Loan()
    var arena = loan.arena
    var claims = NeighbourClaims(capacity: 2, in: &arena)
    for standing in [Claim.Standing.holding, .fired] {
      var head: Int32 = -1
      let place = claims.place(for: 3, run: 7, head: &head)
      (claims[place].sequence, claims[place].echo, claims[place].level) = (9, 8, Decibels(-60))
      claims[place].record(standing, isSettled: false)
      claims[place].follow(7)
      #expect(claims[place].sequence == 9 && claims[place].standing == standing && claims[place].hasFired == (standing == .fired))
      claims[place].follow(8)
      let entry = claims[place]
      #expect(entry.run == 8 && entry.sequence == 0 && entry.echo == 0 && entry.standing == .withdrawn && entry.level == nil)
      #expect(entry.hasFired == (standing == .fired))
      // Until its new run knows of a visit of its own.
      for (next, hasFired) in [(Claim.Standing.candidate, standing == .fired), (.fired, true), (.withdrawn, false)] {
        claims[place].record(next, isSettled: false)
        #expect(claims[place].hasFired == hasFired, "\(standing), then \(next)")
      }
      // Or until that has had time to find the old one.
      claims[place].record(standing, isSettled: false)
      claims[place].follow(9)
      claims[place].record(.candidate, isSettled: true)
      #expect(!claims[place].hasFired)
      claims.forget(&head)
    }
  }
}

@Suite("A neighbour that went in the middle of a visit") struct GoneNeighbourTests {
  @Test("what it was about to serve is not served here, for it may have been; what it only saw is") func goes() {
    for standing in [Claim.Standing.holding, .candidate] {
      var rig = Rig {
        $0.calibrateEverybody()
        // Whoever sends ten adverts a second, and is first heard after six, was not here at the start.
        $0.addTrigger("pump", group: "pumps") { $0.minimumRate = 1.4 }
      }
      rig.gateway.connected(true, at: .zero)
      var told: [Told] = []
      for tenth in 0..<260 {
        let now = Instant.zero + .milliseconds(Int64(tenth) * 100)
        rig.gateway.tick(at: now)
        for (topic, payload) in rig.said() {
          if let one = Told(topic: topic, payload: payload) { told.append(one) }
          guard topic.contains("/hello/"), let number = payload.firstMatch(of: /"seq":(\d+)/).flatMap({ UInt32($0.1) }) else { continue }
          rig.gateway.triggers.membership.receiveOwnHello(number, at: now)
        }
        if tenth >= 60 { rig.hear(1, at: Double(tenth) / 10, level: -60) }
        var other = Neighbour()
        (other.name, other.boot, other.isOnline) = ("other", "run", tenth < 64)
        other.groups.append("pumps")
        if tenth == 61 || tenth == 64 { rig.gateway.receive(status: other, at: now) }
        guard tenth == 62 else { continue }
        var claim = Claim()
        (claim.gateway, claim.trigger, claim.group, claim.boot) = ("other", "theirs", "pumps", "run")
        claim.identity = rig.gateway.devices[0].identity
        (claim.standing, claim.sequence, claim.level) = (standing, 1, Decibels(-80))
        rig.gateway.receive(claim: claim, at: now)
      }
      let events = told.map(\.event)
      #expect(events == ["arm", standing == .holding ? "undecided" : "fire"], "\(standing): \(told)")
    }
  }
}

@Suite("A neighbour that must learn of us") struct NeighbourNewsTests {
  private let loan = Loan()
  private func word(_ name: Name = "other", boot: Text<16> = "run 1", isOnline: Bool = true) -> Neighbour {
    var word = Neighbour()
    (word.name, word.boot, word.isOnline) = (name, boot, isOnline)
    word.groups.append("pumps")
    return word
  }

  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64(seconds * 1e6)) }

  @Test("it is news when it appears, starts anew or comes back, and not when it repeats itself")
  func appears() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    var isNews = [membership.isNews(word(), at: at(1)), membership.isNews(word(isOnline: false), at: at(1))]
    #expect(isNews == [true, false])
    membership.receive(status: word(), at: at(1))
    isNews = [membership.isNews(word(), at: at(2)), membership.isNews(word(boot: "run 2"), at: at(2))]
    #expect(isNews == [false, true])
    // A proven run gives way only to one that hears us: a retained status may be old.
    var hello = word()
    (hello.sequence, hello.echo) = (1, membership.nextHello(at: at(2)))
    membership.receive(hello: hello, at: at(2))
    #expect(membership.isNews(word(boot: "run 0"), at: at(3)) == false)
    membership.receive(status: word(isOnline: false), at: at(4))
    isNews = [membership.isNews(word(), at: at(4)), membership.isNews(word(), at: at(9))]
    #expect(isNews == [false, true], "it said goodbye, and was still heard a moment ago")
  }

  @Test("a stranger is no news where a roster lists the site, or where the table is full of names that spoke")
  func strangers() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped(["we", "other"]))
    #expect(membership.isNews(word("stranger"), at: at(1)) == false)
    membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    for number in 0..<64 {
      var hello = word(Name())
      hello.name = "gate"
      hello.name.append(decimal: UInt64(number))
      hello.sequence = 1
      #expect(membership.isNews(word("late"), at: at(1)) == true)
      membership.receive(hello: hello, at: at(1))
    }
    #expect(membership.isNews(word("late"), at: at(1)) == false)
  }

  @Test("a rehearsal is no news for a gateway, nor a gateway for a rehearsal", arguments: [true, false])
  func rehearsal(isRehearsal: Bool) {
    let rig = Rig {
      $0.gateway.simulated = isRehearsal
      $0.addTrigger("pump", group: "pumps")
    }
    for simulated in [true, false] {
      var word = word()
      word.simulated = simulated
      #expect(rig.gateway.isNews(word) == (simulated == isRehearsal))
    }
  }
}

@Suite("A gateway that takes another's place") struct PlaceTakerTests {
  @Test("does not inherit the consent that the other gave", arguments: [false, true]) func consent(isReplaced: Bool) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump", group: "pumps") { $0.minimumRate = 1.4 }
    }
    rig.gateway.connected(true, at: .zero)
    var (number, fires, asked) = (UInt32(0), 0, UInt32(0))
    var names: [Name] = ["first", "second"]
    func answer(_ name: Name, at now: Instant) {
      number += 1
      var claim = Claim()
      (claim.gateway, claim.group, claim.boot, claim.sequence) = (name, "pumps", "run", number)
      (claim.echo, claim.isListening, claim.identity) = (asked, true, rig.gateway.devices[0].identity)
      rig.gateway.receive(claim: claim, at: now)
    }
    for tenth in 0..<140 {
      let now = Instant.zero + .milliseconds(Int64(tenth) * 100)
      rig.wait(until: Double(tenth) / 10)
      for name in names where tenth % 10 == 0 {
        var hello = Neighbour()
        number += 1
        (hello.name, hello.boot, hello.isOnline, hello.uptime) = (name, "run", true, now - .zero)
        hello.groups.append("pumps")
        (hello.sequence, hello.echo) = (number, rig.gateway.triggers.membership.sequence)
        rig.gateway.receive(hello: hello, at: now)
      }
      if tenth >= 60 { rig.hear(1, at: Double(tenth) / 10, level: -60) }
      for (topic, payload) in rig.said() {
        if payload.contains(#""event":"fire""#) { fires += 1 }
        guard let own = payload.firstMatch(of: /"seq":(\d+)/).flatMap({ UInt32($0.1) }) else { continue }
        if topic.contains("/hello/") { rig.gateway.triggers.membership.receiveOwnHello(own, at: now) }
        guard topic.contains("claim/pumps/"), payload.contains("holding"), asked == 0 else { continue }
        // It asks both. The first one answers, and makes room; then the second one answers.
        asked = own
        answer("first", at: now)
        if isReplaced {
          _ = rig.gateway.forget("first")
          names = ["third", "second"]
          var hello = Neighbour()
          number += 1
          (hello.name, hello.boot, hello.isOnline, hello.sequence) = ("third", "run", true, number)
          hello.groups.append("pumps")
          hello.echo = rig.gateway.triggers.membership.sequence
          rig.gateway.receive(hello: hello, at: now)
        }
        answer("second", at: now)
      }
    }
    #expect(fires == (isReplaced ? 0 : 1))
  }
}
