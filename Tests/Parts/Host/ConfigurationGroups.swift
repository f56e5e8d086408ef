import Testing

@testable import Host

@Suite("the groups of [site] gateways and those of the triggers") struct ConfigurationGroups {
  /// `roster` is the list, `groups` those of this gateway's triggers; its name is "c".
  private func told(_ roster: String, _ groups: String...) -> [String] {
    var text = shortest + "gateway.name = \"c\"\n[site]\ngateways = [\(roster)]\n"
    for (index, group) in groups.enumerated() {
      let match = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:\(index):*"
      text += "[[trigger]]\nname = \"t\(index)\"\nmatch = \"\(match)\"\ngroup = \"\(group)\"\n"
    }
    return findings(text).map { $0.replacing("config.toml:", with: "") }
  }

  @Test("a group that does not stand behind the gateway's own name is refused: nobody would compete there") func strangers() {
    let words = "is none of those that [site] gateways lists behind this gateway's name"
    #expect(
      told("\"c/pumps\", \"b/pumps\"", "pump") == [
        "8:1: trigger \"t0\": group (\"pump\") \(words); did you mean \"pumps\"?"
      ])
    #expect(told("\"b\", \"c/pumps/doors\"", "pumps", "tills", "doors") == ["12:1: trigger \"t1\": group (\"tills\") \(words)"])
    #expect(told("\"c/pumps\"", "pump").count == 1, "alone on the list, too")
    #expect(told("\"c/pumps\", \"b/pumps\"", "pumps", "doors", "doors") == [], "two doors here, and no other gateway's")
    #expect(told("\"c/pumps\", \"b/pumps/doors\"", "pumps", "doors", "doors").count == 2)
    #expect(told("\"c/pumps\", \"b/pump\"", "pump").count == 1, "the neighbours' groups are not ours")
  }

  @Test("a group that no other gateway has is warned of where its trigger is alone in it") func lone() {
    let words = "is listed behind no other name in [site] gateways: this trigger competes with none"
    for own in ["c", "c/pump", "c/pump/doors"] {
      #expect(
        told("\"\(own)\", \"b/pumps\"", "pump") == [
          "8:1: warning: trigger \"t0\": group (\"pump\") \(words); did you mean \"pumps\"?"
        ], "\(own)")
    }
    #expect(told("\"a/tills\", \"c\", \"b/pumps\"", "doors") == ["8:1: warning: trigger \"t0\": group (\"doors\") \(words)"])
    #expect(told("\"c\", \"b/pumps\"", "doors", "doors") == [], "two here compete")
    #expect(told("\"c/doors\", \"b\"", "doors") == [], "a bare name is in every group")
    #expect(told("\"c\"", "doors") == [], "no other gateway is listed at all")
    #expect(told("\"c/pumps\", \"b/pumps\"", "pumps") == [] && told("\"c/pumps\", \"b\"") == [])
  }

  @Test("of a list without this gateway that is all there is to say") func others() {
    #expect(told("\"a/pumps\", \"b/pumps\"", "pump").count == 1)
  }
}
