import Testing

@testable import Core

@Suite("What is known of one neighbour") struct MemberTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  private func list(_ words: StaticString) -> GroupList {
    var list = GroupList()
    list.read(Text<100>(words).bytes)
    return list
  }

  private func word(
    _ boot: Text<16> = "run 1", _ sequence: UInt32 = 1, groups: StaticString = "pumps", isOnline: Bool = true, uptime: Double = 0
  ) -> Neighbour {
    var word = Neighbour()
    (word.name, word.boot, word.sequence, word.isOnline, word.uptime) = ("other", boot, sequence, isOnline, .seconds(uptime))
    word.groups = list(groups)
    return word
  }

  private func member(_ words: Neighbour..., spoken: Instant? = nil, at now: Double = 100) -> Member {
    var member = Member("other")
    for word in words { _ = member.receive(hello: word, repeating: spoken, at: at(now)) }
    return member
  }

  @Test("it is heard for 3.5 s after its last hello or claim") func heard() {
    var other = Member("other")
    #expect(!other.isHeard(at: at(0)) && other.isHearsay && !other.isFree)
    #expect((other.receive(hello: word(), repeating: nil, at: at(100))) == true)
    #expect(other.isHeard(at: at(103.499)) && !other.isHeard(at: at(103.5)) && !other.isHearsay)
    #expect((other.receive(claim: 2, repeating: nil, at: at(105))) == true)
    #expect(other.isHeard(at: at(108.499)) && !other.isHeard(at: at(108.5)))
    // Nor is a claim that comes late, or again.
    #expect((other.receive(claim: 2, repeating: nil, at: at(110))) == true && !other.isHeard(at: at(110)))
    #expect((other.receive(claim: 1, repeating: nil, at: at(110))) == true && !other.isHeard(at: at(110)))
    // A replay is no sign of life.
    let isTaken = other.receive(hello: word("run 1", 2), repeating: nil, at: at(120))
    #expect(!isTaken && !other.isHeard(at: at(120)))
  }

  @Test("the broker's word that it is lost is no goodbye of one that was met, by its hello, its status or an earlier run") func lost() {
    var lost = word(isOnline: false)
    lost.isLost = true
    for met in ["hello", "status", "run before", "never"] {
      var other = Member("other")
      switch met {
      case "hello": _ = other.receive(hello: word(), repeating: nil, at: at(100))
      case "status": other.receive(status: word(), restored: nil, at: at(100))
      case "run before": other.restore(list("pumps"))
      default: break
      }
      other.receive(status: lost, restored: nil, at: at(101))
      #expect(other.isGone(at: at(200)) == (met == "never") && other.competes(in: "pumps", at: at(200)) == (met != "never"), "\(met)")
      other.receive(status: word(isOnline: false), restored: nil, at: at(201))
      #expect(other.isGone(at: at(300)), "\(met): that is a goodbye")
    }
  }

  @Test("it has gone once it said goodbye and is silent, unless the roster lists it") func gone() {
    for (isRostered, saysGoodbye, isSilent) in [(false, true, true), (true, true, true), (false, false, true), (false, true, false)] {
      var other = member(word(), at: 100)
      if isRostered { other.enroll(list("*")) }
      // Our line came back a moment ago.
      if saysGoodbye { other.receive(status: word(isOnline: false), restored: at(100.5), at: at(101)) }
      let now = at(isSilent ? 103.5 : 103)
      let isGone = !isRostered && saysGoodbye && isSilent
      #expect(other.isGone(at: now) == isGone, "\(isRostered) \(saysGoodbye) \(isSilent)")
      #expect(other.competes(in: "pumps", at: now) == !isGone && other.isAway(from: "pumps", at: now) == isGone)
      #expect(!other.competes(in: "doors", at: now) && !other.isAway(from: "doors", at: now))
      other.strikeOff()
      #expect(other.isGone(at: now) == (saysGoodbye && isSilent))
      _ = other.receive(hello: word("run 1", 2), repeating: nil, at: at(110))
      #expect(!other.isGone(at: at(200)), "a hello takes the goodbye back")
    }
  }

  @Test("it may have fired unheard only if it went while our line was down") func unheard() {
    let goodbye = word(isOnline: false)
    for (restored, mayHaveFired) in [(nil, false), (at(99), false), (at(100.5), true)] as [(Instant?, Bool)] {
      var other = member(word(), at: 100)
      other.receive(status: goodbye, restored: restored, at: at(101))
      #expect(other.isAway(from: "pumps", at: at(200)) == mayHaveFired, "\(String(describing: restored))")
      // The broker tells it again after the next break.
      other.receive(status: goodbye, restored: at(300), at: at(301))
      #expect(other.isAway(from: "pumps", at: at(400)) == mayHaveFired)
      // Another run of it has come and gone meanwhile.
      other.receive(status: word("run 2", isOnline: false), restored: at(500), at: at(501))
      #expect(other.isAway(from: "pumps", at: at(600)))
      _ = other.receive(hello: word("run 2", 2), repeating: nil, at: at(700))
      other.receive(status: word("run 2", isOnline: false), restored: at(500), at: at(701))
      #expect(other.isGone(at: at(800)) && !other.isAway(from: "pumps", at: at(800)), "we heard it until it went")
    }
    // Known by its retained status alone.
    var stranger = Member("other")
    stranger.restore(list("pumps"))
    stranger.receive(status: goodbye, restored: nil, at: at(1))
    stranger.receive(status: goodbye, restored: at(50), at: at(51))
    #expect(stranger.isAway(from: "pumps", at: at(60)), "it may only be starting anew, as we are")
    #expect(stranger.isGone(at: at(121)) && !stranger.isAway(from: "pumps", at: at(121)))
    stranger.receive(status: word("run 2", isOnline: false), restored: at(170), at: at(171))
    #expect(stranger.isAway(from: "pumps", at: at(180)))
    // Met by no run of ours.
    var another = Member("other")
    another.receive(status: goodbye, restored: nil, at: at(1))
    #expect(another.isGone(at: at(2)) && !another.isAway(from: "pumps", at: at(2)))
  }

  @Test("it competes in the groups that it names, in those of the last half minute, and in those of the roster") func groups() {
    var other = member(word("run 1", 1, groups: "pumps/doors"), at: 100)
    #expect(other.concerns("pumps", at: at(100)) && other.concerns("doors", at: at(100)) && !other.concerns("till", at: at(100)))
    _ = other.receive(hello: word("run 1", 2, groups: "till"), repeating: nil, at: at(200))
    for group in ["pumps", "doors"] as [Name] {
      #expect(other.concerns(group, at: at(229.999)) && !other.concerns(group, at: at(230)), "\(group)")
    }
    #expect(other.concerns("till", at: at(900)) && other.groupsKnown == list("till"))
    // Groups of a change within the half minute add to those before; later ones replace them.
    _ = other.receive(hello: word("run 1", 3, groups: "yard"), repeating: nil, at: at(229.999))
    #expect(other.concerns("pumps", at: at(259)) && other.concerns("till", at: at(259)) && !other.concerns("pumps", at: at(259.999)))
    _ = other.receive(hello: word("run 1", 4, groups: "gate"), repeating: nil, at: at(259.999))
    #expect(other.concerns("yard", at: at(270)) && !other.concerns("till", at: at(270)))
    // The same groups again are no change.
    _ = other.receive(hello: word("run 1", 5, groups: "gate"), repeating: nil, at: at(280))
    #expect(!other.concerns("yard", at: at(290)))
    for (rostered, hears, concerns) in [("*", false, true), ("*", true, false), ("doors", true, true), ("till", true, false)]
      as [(StaticString, Bool, Bool)]
    {
      var listed = Member("other")
      listed.enroll(list(rostered))
      if hears { _ = listed.receive(hello: word(), repeating: nil, at: at(1)) }
      #expect(listed.concerns("doors", at: at(900)) == concerns && listed.isRostered && !listed.isHearsay, "\(rostered) \(hears)")
      listed.strikeOff()
      #expect(!listed.concerns("doors", at: at(900)))
    }
    var restored = Member("other")
    restored.restore(list("till"))
    #expect(restored.concerns("till", at: at(900)) && restored.isHearsay && !restored.concerns("doors", at: at(900)))
  }

  @Test("a retained status is believed of the current run, of an unproven one, and where there is none") func statuses() {
    for isProven in [false, true] {
      for boot in ["run 1", "run 2", ""] as [Text<16>] {
        let new = member(word(), spoken: isProven ? at(99) : nil)
        let isCurrent = boot == "run 1"
        var other = new
        other.receive(status: word(boot, isOnline: false), restored: nil, at: at(101))
        #expect(other.isGone(at: at(200)) == (isCurrent || boot.isEmpty || !isProven), "goodbye of \(boot), proven: \(isProven)")
        #expect(other.boot == "run 1" && other.run == new.run)
        other.receive(status: word(boot, 0, groups: "doors"), restored: nil, at: at(102))
        // A recording of what it said before its goodbye.
        let isStale = isCurrent && isProven
        #expect(other.isGone(at: at(200)) == isStale)
        guard !isStale else {
          #expect(other.groupsKnown == list("pumps"))
          _ = other.receive(hello: word(boot, 2, groups: "doors"), repeating: nil, at: at(103))
          #expect(!other.isGone(at: at(200)) && other.groupsKnown == list("doors"))
          continue
        }
        let isBelieved = !isProven
        #expect(other.boot == (isBelieved ? boot : "run 1") && other.run == new.run + (isBelieved && !isCurrent ? 1 : 0))
        #expect(other.groupsKnown == list(isBelieved ? "doors" : "pumps"))
        #expect(other.concerns("doors", at: at(131)) && other.concerns("pumps", at: at(131)), "either way both for a while")
        #expect(other.concerns("doors", at: at(132)) == isBelieved && other.concerns("pumps", at: at(132)) == !isBelieved)
        #expect(other.isProven == (isProven && other.boot == "run 1") && other.sequence == (isBelieved && !isCurrent ? 0 : 1))
      }
    }
    var unheard = Member("other")
    unheard.receive(status: word(isOnline: false), restored: nil, at: at(1))
    #expect(unheard.isGone(at: at(2)) && unheard.boot == "run 1" && unheard.isHearsay)
    unheard.receive(status: word(), restored: nil, at: at(2))
    #expect(!unheard.isGone(at: at(2)) && unheard.boot == "run 1" && unheard.run == 1 && unheard.concerns("pumps", at: at(99)))
  }

  @Test("a proven run gives way only to one that echoes us; until then another is echoed, and its groups count") func contenders() throws {
    var other = member(word("run 1", 50), spoken: at(99))
    #expect(other.isProven && other.run == 1)
    #expect((other.receive(hello: word("run 2", 3, groups: "doors"), repeating: nil, at: at(101))) == true)
    #expect(other.boot == "run 1" && other.sequence == 50)
    #expect(other.concerns("doors", at: at(130.9)) && !other.concerns("doors", at: at(131)))
    var echo = try #require(other.toEcho(at: at(104.499)))
    #expect(echo.boot == "run 2" && echo.sequence == 3)
    #expect(other.toEcho(at: at(104.5)) == nil, "neither has been heard since")
    #expect((other.receive(hello: word("run 1", 51), repeating: nil, at: at(103))) == true)
    echo = try #require(other.toEcho(at: at(104.5)))
    #expect(echo.boot == "run 1" && echo.sequence == 51)
    for (boot, sequence, isNew) in [("run 2", 3, false), ("run 2", 2, false), ("run 2", 4, true), ("run 3", 1, true)]
      as [(Text<16>, UInt32, Bool)]
    {
      #expect(other.receive(hello: word(boot, sequence), repeating: nil, at: at(105)) == isNew, "\(boot) \(sequence)")
    }
    echo = try #require(other.toEcho(at: at(105)))
    #expect(echo.boot == "run 3" && echo.sequence == 1)
    _ = other.receive(hello: word("run 3", 2), repeating: at(104), at: at(106))
    #expect(other.boot == "run 3" && other.isProven && other.sequence == 2 && other.run == 2)
    echo = try #require(other.toEcho(at: at(107)))
    #expect(echo.boot == "run 3" && echo.sequence == 2, "it contends no longer")
  }

  @Test("an unproven run gives way to any other, and nothing of it is left") func unproven() {
    var other = member(word("run 1", 50))
    #expect((other.receive(hello: word("run 2", 1), repeating: nil, at: at(101))) == true)
    #expect(other.boot == "run 2" && other.sequence == 1 && other.run == 2 && !other.isProven && other.toEcho(at: at(101))?.sequence == 1)
    _ = other.receive(hello: word("run 2", 2), repeating: at(100), at: at(102))
    #expect(other.isProven && other.hearsUs(since: at(100)) && !other.hearsUs(since: at(100.001)))
    // An echo of an older number takes nothing back.
    _ = other.receive(hello: word("run 2", 3), repeating: at(98), at: at(103))
    #expect(other.hearsUs(since: at(100)))
    _ = other.receive(hello: word("run 3", 1), repeating: at(103), at: at(104))
    #expect(other.hearsUs(since: at(103)) && other.run == 3)
    other.receive(status: word("run 3", isOnline: true), restored: nil, at: at(105))
    #expect(other.run == 3 && other.sequence == 1, "a status of the same run starts none")
  }

  @Test("its claims may come 1,023 numbers late, and 640 a second") func claims() {
    var other = member(word("run 1", 5_000))
    #expect(other.receive(claim: 5_000 - 1_023, repeating: nil, at: at(101)) && other.sequence == 5_000)
    let isTooOld = !other.receive(claim: 5_000 - 1_024, repeating: nil, at: at(101))
    #expect(isTooOld)
    #expect(other.receive(claim: 6_000, repeating: at(100.5), at: at(101)) && other.sequence == 6_000)
    #expect(other.isProven && other.hearsUs(since: at(100.5)))
    var taken = 2
    for number in 0..<800 where other.receive(claim: 6_001 + UInt32(number), repeating: nil, at: at(101.9)) { taken += 1 }
    #expect(taken == 640)
    let isTooMany = !other.receive(claim: 7_000, repeating: nil, at: at(101.999))
    #expect(isTooMany && other.sequence == 6_638)
    #expect(other.receive(claim: 7_000, repeating: nil, at: at(102)) && other.sequence == 7_000)
  }

  @Test("it vouches for an id that its proven run read while an address lives") func vouches() {
    let life = Candidates.lifetime.seconds
    for (uptime, vouches) in [(-10.001, false), (-10, true), (0, true), (life, true), (life + 0.001, false)] {
      let other = member(word("run 1", 1, uptime: 5_000), spoken: at(99))
      var peer = KnownPeer(address: Address(word: 7), id: 8)
      (peer.boot, peer.uptime) = ("run 1", .seconds(5_000 - uptime))
      #expect(other.vouches(for: peer) == vouches, "\(uptime) s after it")
      let unproven = member(word("run 1", 1, uptime: 5_000))
      peer.boot = "run 2"
      #expect(!other.vouches(for: peer) && !unproven.vouches(for: peer))
    }
  }

  @Test("who takes a place inherits nothing but the count of runs") func places() {
    var other = member(word("run 1", 50), spoken: at(99))
    other.enroll(list("doors"))
    let run = other.run
    other.become("next")
    #expect(other.name == "next" && other.run == run + 1 && !other.isRostered && other.boot.isEmpty && !other.isProven)
    #expect(other.sequence == 0 && other.groupsKnown.isEmpty && !other.concerns("pumps", at: at(100)) && other.isHearsay)
    #expect(!other.isHeard(at: at(100)) && !other.hearsUs(since: at(0)) && other.toEcho(at: at(100)) == nil)
    other.vacate()
    #expect(other.isFree && other.run == run + 2)
  }
}

@Suite("The groups of a gateway") struct GroupListTests {
  private func list(_ words: Text<100>) -> GroupList {
    var list = GroupList()
    list.read(words.bytes)
    return list
  }

  @Test("they are read and written with slashes, each once; a ninth, a star, or too many letters mean all") func texts() {
    for words in ["", "a", "a/b", "a/b/c/d/e/f/g/h", "*"] as [Text<100>] {
      #expect(list(words).text == words)
      #expect(list(words).isEmpty == words.isEmpty && list(words).isEverything == (words == "*"))
    }
    #expect(list("a//b/a/").text == "a/b" && list("/").isEmpty && list("a/*/b").text == "*")
    let nine = list("a/b/c/d/e/f/g/h/i")
    #expect(nine.isEverything && nine.text == "*" && nine.has("i") && nine.has("z") && nine.indices.count == 8)
    #expect(list("a/b").has("a") && list("a/b").has("b") && !list("a/b").has("c") && !GroupList().has("a"))
    var long = GroupList()
    for letter in "abcd".utf8 { long.append(Name([UInt8](repeating: letter, count: 32).span.bytes)) }
    #expect(!long.isEverything && long.text == "*", "four names of 32 bytes do not fit into 100")
  }

  @Test("lists are equal that name the same groups in the same order, and appending adds what is missing") func lists() {
    #expect(list("a/b") == list("a/b") && list("a/b") != list("a") && list("a/b") != list("a/c") && list("a/b") != list("b/a"))
    var everything = list("a")
    everything.isEverything = true
    #expect(everything != list("a") && everything == everything)
    var sum = list("a/b")
    sum.append(list("b/c"))
    #expect(sum == list("a/b/c"))
    sum.append(list("*"))
    #expect(sum.isEverything && sum.has("z"))
  }
}
