import Core
import Testing

@testable import Host

@Suite("what the intake refuses, and how often it says so") struct IntakePaceTests {
  @Test("of nonsense that comes together two pieces are answered, then one a second") func replies() {
    let door = Door()
    let begun = Clock.now()
    var replies = 0
    for _ in 0..<300 {
      door.say("forecourt/site/gateway/command/ping", "", isRetained: true)
      replies += door.intake.takeReplies().count
    }
    let seconds = Int((Clock.now() - begun).seconds)
    #expect((2...2 + seconds).contains(replies), "\(replies) in \(seconds) s")
    #expect(door.counters.requestsRefused.count == 300 && door.log.take() == [])
  }

  @Test("a monitor's pings take no turn from a till, nor do commands from the pings; who is refused can tell which of them it was")
  func turns() {
    let trigger = #""trigger":"pump-3","id":"peer:BC00BD17""#
    for (flood, members, other, others) in [("ping", "", "trigger", trigger + ","), ("trigger", trigger + ",", "ping", "")] {
      let door = Door()
      let begun = Clock.now()
      var accepted: [String] = []
      var refused: [String] = []
      for number in 0..<60 {
        let replies = door.command(flood, "{\(members)\"request\":\"r\(number)\"}")
        while let heard = door.heard { accepted.append(String(heard.1.request)) }
        for reply in replies {
          #expect(reply.contains("\"request\":\"r\(number)\"") && reply.contains("too many commands"), "\(reply)")
          refused.append(reply)
        }
      }
      let seconds = Int((Clock.now() - begun).seconds)
      #expect(accepted.starts(with: (0..<10).map { "r\($0)" }) && (10...11 + 5 * seconds).contains(accepted.count), "\(accepted)")
      #expect((2...2 + seconds).contains(refused.count), "\(refused)")
      #expect(door.command(other, "{\(others)\"request\":\"till\"}") == [])
      #expect(door.heard.map { String($0.1.request) } == "till", "\(other)")
      // Its own complaints, too, though the flood has had the others.
      for number in 0..<30 {
        let replies = door.command(other, "{\(others)\"request\":\"s\(number)\"}")
        if replies.isEmpty { continue }
        #expect(replies.count == 1 && replies[0].contains("\"request\":\"s\(number)\""), "\(replies)")
        break
      }
      while let heard = door.heard { #expect(heard.1.request != Text("s29")) }
    }
  }

  @Test(
    "what another command has undone is carried out again, also under the same id; what only came twice is not",
    arguments: [
      ("authorization", #""authorization":"denied""#, "authorization", #""authorization":"always""#),
      ("ranging", #""action":"start""#, "ranging", #""action":"stop""#), ("ranging", #""seconds":5"#, "ranging", #""seconds":9"#),
      ("ranging", #""action":"stop""#, "authorization", #""authorization":"always""#),
    ])
  func superseded(name: String, members: String, other: String, others: String) {
    for id in ["", #","request":"r""#, #","request":"s""#] {
      let door = Door()
      func isCarriedOut(_ name: String, _ payload: String) -> Bool { door.command(name, payload).isEmpty && door.heard != nil }
      func order() -> Bool { isCarriedOut(name, "{\(members),\"request\":\"r\"}") }
      let (first, again) = (order(), order())
      let undone = isCarriedOut(other, "{\(others)\(id)}")
      let (anew, twice) = (order(), order())
      #expect([first, again, undone, anew, twice] == [true, false, true, true, false], "\(members), \(others)\(id)")
    }
  }

  @Test("a command that undoes nothing lets the others be repetitions") func besides() {
    let door = Door()
    let orders = [
      ("authorization", #"{"authorization":"always","request":"r"}"#), ("ranging", #"{"action":"start","request":"r"}"#),
      ("capture", #"{"request":"r"}"#), ("capture", #"{"seconds":9,"request":"r"}"#),
    ]
    for (name, order) in orders { #expect(door.command(name, order) == [] && door.heard != nil) }
    for (name, order) in orders { #expect(door.command(name, order) == [] && door.heard == nil, "\(order)") }
  }

  @Test("whatever comes at the allowed pace is answered, also if it is nonsense") func nonsense() {
    let door = Door()
    for number in 0..<10 {
      let replies = door.command("trigger", "{\"request\":\"r\(number)\",\"trigger\":7}")
      #expect(replies.count == 1 && replies[0].contains("\"request\":\"r\(number)\""), "\(number): \(replies)")
    }
    #expect(door.counters.requestsRefused.count == 10 && door.counters.requestsLimited.count == 0)
  }

  @Test("what nobody has asked for is refused unread, and so is a topic that says more or less than its kind does") func unasked() {
    let hello = #"{"v":1,"gateway":"other","boot":"b","seq":7,"groups":"island"}"#
    for (topic, payload) in [
      ("peer/aa:bb:cc:dd:ee:0f/other", #"{"v":1,"random":true,"id":"BC00BD17"}"#), ("claim/site/hello/other", hello),
      ("other/status", #"{"v":1,"state":"online","boot":"b"}"#),
    ] {
      func taken(_ topic: String, _ isAsked: Bool = true) -> Bool {
        let door = Door { ($0.peers, $0.claims) = (isAsked, isAsked) }
        door.say("forecourt/site/" + topic, payload)
        let isTaken = door.core.pop() != nil
        #expect(door.counters.requestsRefused.count == (isTaken ? 0 : 1) && door.counters.requestsLimited.count == 0, "\(topic)")
        return isTaken
      }
      #expect(taken(topic) && !taken(topic, false) && !taken(topic + "/more") && !taken(String(topic.prefix { $0 != "/" })))
    }
    for door in [Door(), Door { $0.peers = false }] {
      door.say("forecourt/site/peer/aa:bb:cc:dd:ee:0f", #"{"v":1,"random":true,"id":"BC00BD17"}"#)
      #expect(door.core.pop() == nil && door.counters.requestsRefused.count == 1)
    }
  }

  @Test("what finds the core's ring full is counted, once each, and is no mistake of its sender") func full() {
    let door = Door()
    for _ in 0..<16 { #expect(door.core.push(.caughtUp) == nil) }
    let hello = #"{"v":1,"gateway":"other","boot":"b","seq":7,"groups":"island"}"#
    var dropped = 0
    for (topic, payload) in [
      ("gateway/command/ping", "{}"), ("claim/site/hello/other", hello),
      ("peer/aa:bb:cc:dd:ee:0f/other", #"{"v":1,"random":true,"id":"BC00BD17"}"#),
    ] {
      door.say("forecourt/site/" + topic, payload)
      dropped += 1
      #expect(door.counters.requestsLimited.count == dropped, "\(topic)")
    }
    _ = door.claim()
    #expect(door.counters.requestsLimited.count == dropped + 1 && door.counters.claims.count == 1)
    #expect(door.counters.requestsRefused.count == 0 && door.counters.commands.count == 1)
  }

  @Test("a status that finds the core's ring full waits, the latest of each gateway, and nothing overtakes it") func held() {
    let door = Door()
    for _ in 0..<16 { #expect(door.core.push(.caughtUp) == nil) }
    func say(_ name: String, _ state: String) {
      door.say("forecourt/site/\(name)/status", "{\"v\":1,\"state\":\"\(state)\",\"boot\":\"b\"}")
    }
    func heard() -> String? {
      switch door.core.pop() {
      case .neighbour(let neighbour): "\(String(neighbour.name)) \(neighbour.isOnline)"
      case .claim: "a claim"
      case .caughtUp: "old"
      default: nil
      }
    }
    say("other", "online")
    say("third", "online")
    say("other", "offline")
    #expect(door.intake.holdsStatuses && door.counters.requestsLimited.count == 0)
    #expect(heard() == "old")
    // Takes the only room.
    door.intake.ring()
    #expect(door.intake.holdsStatuses)
    for _ in 0..<15 { #expect(heard() == "old") }
    door.say("forecourt/site/claim/island/peer:BC00BD17/other", Door.words(of: Name("other")) { _ in })
    #expect([heard(), heard(), heard(), heard()] == ["other false", "third true", "a claim", nil] && !door.intake.holdsStatuses)
    for _ in 0..<16 { #expect(door.core.push(.caughtUp) == nil) }
    for number in 0..<65 { say("gate\(number)", "offline") }
    #expect(door.counters.requestsLimited.count == 1, "sixty-four at most")
    for number in 0..<80 {
      #expect(heard() == (number < 16 ? "old" : "gate\(number - 16) false"))
      door.intake.ring()
    }
    #expect(heard() == nil && !door.intake.holdsStatuses)
  }

  @Test("a gateway may claim all the devices of a crowded yard; one that claims more still says hello, how it is, and whom it has read")
  func crowd() {
    let door = Door()
    var claims = 0
    while claims < 100_000, door.claim() != nil { claims += 1 }
    #expect(claims >= 576 + 12 * 3 && claims < 100_000 && door.counters.requestsLimited.count == 1)
    let hello = #"{"v":1,"gateway":"other","boot":"b","seq":7,"groups":"island"}"#
    for (topic, payload) in [
      ("claim/site/hello/other", hello), ("other/status", #"{"v":1,"state":"online","boot":"b"}"#),
      ("peer/aa:bb:cc:dd:ee:0f/other", #"{"v":1,"random":true,"id":"BC00BD17"}"#),
    ] {
      door.say("forecourt/site/" + topic, payload)
      let isTaken = door.core.pop() != nil
      #expect(isTaken, "\(topic)")
    }
  }

  @Test("of messages that fail authentication one is told, with the name in which it came") func warnings() {
    var keys = SiteProof()
    keys.append([UInt8](repeating: 9, count: 32))
    let door = Door { $0.siteKeys = keys }
    for _ in 0..<300 { _ = door.claim() }
    let words = "fails authentication with this site's key and is ignored: does that gateway have another key, or is it forged?"
    #expect(door.log.take() == ["warning: a message in the name of other \(words)"] && door.counters.forged.count == 300)
  }

  @Test("the broker's word that a neighbour is lost is no goodbye, whatever a goodbye says", arguments: ["stopped", "long", "none"])
  func lost(reason: String) throws {
    let words = ["long": String(repeating: "x", count: 500), "none": ""][reason] ?? reason
    for (reason, isLost) in [(words, false), ("connection lost", true)] {
      let door = Door()
      door.say("forecourt/site/other/status", #"{"v":1,"state":"offline","reason":"\#(reason)"}"#)
      guard case .neighbour(let other)? = door.core.pop() else {
        Issue.record("no word")
        return
      }
      #expect(!other.isOnline && other.isLost == isLost)
    }
  }
}
