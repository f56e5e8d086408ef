import Testing

@testable import Core

@Suite("Another gateway with our site and name") struct TwinTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test("two signs of it, 3 s apart and 3 s after the first connection, count for two minutes")
  func signs() {
    let loan = Loan()
    for (signs, isThere) in [
      ([13], false), ([13, 15.9], false), ([13, 16], true), ([12.9, 16], false), ([13, 14, 15, 16], true), ([13, 133], true),
      ([13, 133.1], false),
    ] as [([Double], Bool)] {
      var membership = Membership(on: loan)
      membership.reload(Settings.grouped(["we"]))
      membership.suspectTwin(at: at(1))
      membership.connected(true, at: at(10))
      for sign in signs {
        membership.connected(false, at: at(sign - 0.2))
        membership.connected(true, at: at(sign))
        membership.suspectTwin(at: at(sign))
      }
      let last = signs.last ?? 10
      let told = [membership.hasTwin(at: at(last)), membership.hasTwin(at: at(last + 120)), membership.hasTwin(at: at(last + 120.1))]
      #expect(told == [isThere, isThere, false], "\(signs)")
    }
  }

  @Test("while it is there nobody is served in a group, and nothing else changes", arguments: [true, false], ["pumps", ""] as [Name])
  func nobody(isThere: Bool, group: Name) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("one", group: group)
      var entry = SiteSettings.Entry()
      entry.name = $0.gateway.name
      precondition($0.site.roster.append(entry) == nil)
    }
    var hello = Neighbour()
    (hello.name, hello.boot, hello.sequence) = (rig.gateway.settings.gateway.name, isThere ? "another" : "test", 1)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.connected(true, at: .zero)
    for second in 1..<10 { rig.gateway.receive(hello: hello, at: at(Double(second))) }
    #expect(rig.gateway.hasTwin == isThere)
    rig.hear(from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(from: 18, to: 30, level: -60)
    let told = rig.told().filter { $0.event == "fire" || $0.event == "undecided" }
    let doubt = Told("undecided", "one", reason: "silent neighbour")
    #expect(told == [isThere && group == "pumps" ? doubt : Told("fire", "one")])
  }
}
