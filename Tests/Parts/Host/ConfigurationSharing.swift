import Testing

@testable import Host

@Suite("what a shared adapter cannot do") struct ConfigurationSharing {
  @Test("the first radio serves and transmits, any radio asks: each needs an adapter of its own", arguments: [0, 1, 2, 3]) func modes(
    shared: Int
  ) {
    let (first, second) = (shared & 1 != 0, shared & 2 != 0)
    var text = shortest
    for (number, isShared) in [(0, first), (1, second)] {
      text += "[[radio]]\nname = \"r\(number)\"\nadapter = \"hci\(number)\"\n" + (isShared ? "mode = \"raw\"\n" : "")
    }
    let transmit = "[[transmit]]\nkind = \"ibeacon\"\nuuid = \"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\"\n"
    func faults(_ more: String) -> [String] {
      findings(text + more).filter { $0.contains("needs an adapter") }.map {
        $0.components(separatedBy: ": ").dropFirst().joined(separator: ": ")
      }
    }
    func words(_ what: String, _ number: Int) -> String {
      "\(what) needs an adapter in mode \"user\"; radio \(number) is shared (mode = \"raw\")"
    }
    let both = (first ? [1] : []) + (second ? [2] : [])
    #expect(faults("[peer]\nidentify = true\n") == both.map { words("peer: identify", $0) })
    #expect(faults("[peer]\nserve = true\n") == (first ? [words("peer: serve", 1)] : []))
    #expect(faults(transmit) == (first ? [words("transmit", 1)] : []))
    #expect(faults("") == [])
  }
}
