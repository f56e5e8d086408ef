import Testing

@testable import forecourt

@Suite("an invocation is what its command declares")
struct InvocationTests {
  private static var command: Command {
    Command(
      name: "replay", summary: "", description: [], operands: .oneOrMore("CAPTURE"),
      options: [
        .config, .json, Option("seconds", .number("N", 1...600), ""), Option("capture", .text("FILE"), repeatable: true, ""),
      ], run: { _ in })
  }

  private func invocation(_ arguments: String...) throws -> Invocation { try Invocation(Self.command, arguments, Output()) }

  @Test("options and operands may stand in any order") func order() throws {
    let invocation = try invocation("a.btsnoop", "--json", "b.btsnoop", "--seconds", "10", "--capture=x=y", "--capture", "z", "--", "--c")
    #expect(invocation.operands == ["a.btsnoop", "b.btsnoop", "--c"])
    #expect(invocation.has("json") && !invocation.has("config"))
    #expect(invocation.number("seconds") == 10)
    #expect(invocation.values("capture") == ["x=y", "z"])
    #expect(invocation.value("config") == nil)
  }

  @Test("a value may begin with a hyphen") func hyphen() throws {
    #expect(try invocation("a", "--config", "--odd").value("config") == "--odd")
  }

  @Test("numbers are whole and in range") func numbers() {
    for text in ["0", "601", "1.5", "-1", "ten", "99999999999999999999", "+1", " 1"] {
      #expect(throws: Exit.usage) { try invocation("a", "--seconds", text) }
    }
  }

  @Test("a missing operand is an error, unless help is asked for") func operands() throws {
    #expect(throws: Exit.usage) { try invocation("--json") }
    #expect(try invocation("--help").asksForHelp)
  }

  @Test("a command that asks for an option it does not declare is our mistake") func undeclared() async {
    await #expect(processExitsWith: .failure) {
      let command = Command(name: "x", summary: "", description: [], run: { _ in })
      _ = try Invocation(command, [], Output()).has("json")
    }
  }
}
