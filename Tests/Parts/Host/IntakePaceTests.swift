import Core
import Testing

@testable import Host

@Suite("how often the intake complains") struct IntakePaceTests {
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

  @Test("of messages that fail authentication one is told, with the name in which it came") func warnings() {
    var keys = SiteProof()
    keys.append([UInt8](repeating: 9, count: 32))
    let door = Door { $0.siteKeys = keys }
    for _ in 0..<300 { _ = door.claim() }
    let words = "fails authentication with this site's key and is ignored: does that gateway have another key, or is it forged?"
    #expect(door.log.take() == ["warning: a message in the name of other \(words)"] && door.counters.forged.count == 300)
  }
}
