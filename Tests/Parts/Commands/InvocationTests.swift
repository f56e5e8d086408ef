import Foundation
import Testing

@testable import Core
@testable import Host
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

  @Test("the salt and the id come from their files, byte by byte, and are not read unless somebody wants them") func secrets() throws {
    let program = try Program()
    defer { program.remove() }
    let written = (0..<16).map { UInt8($0 * 16 + 1) }
    let file = program.folder.appending(path: "salt")
    try Data(written).write(to: file)
    try Data([0xBC, 0, 0xBD, 0x17]).write(to: program.folder.appending(path: "id"))
    chmod(file.path, 0o600)
    chmod(program.folder.appending(path: "id").path, 0o600)
    var host = HostSettings()
    (host.saltFile, host.idFile) = (file.path, program.folder.appending(path: "id").path)
    let invocation = try invocation("a")
    let salt = try invocation.salt(.hash, in: host)
    #expect(salt.indices.map { salt[$0] } == written)
    let none = try invocation.salt(.publish, in: host)
    #expect(none.indices.allSatisfy { none[$0] == 0 })
    var peer = PeerSettings()
    #expect(try invocation.ownID(peer, in: host) == 0)
    peer.serve = true
    #expect(try invocation.ownID(peer, in: host) == 0xBC00_BD17)
    // Several gateways in one folder: one that ran before keeps what older versions gave all of them, a new one has its own.
    let former = host.idFile
    for (name, hasRun) in [("b.db", true), ("c.db", false)] {
      let outbox = program.folder.appending(path: name).path
      if hasRun { try Data().write(to: URL(filePath: outbox)) }
      (host.outbox.path, host.idFile) = (Path(outbox), outbox + ".id")
      let id = try invocation.ownID(peer, in: host, former: former)
      #expect((id == 0xBC00_BD17) == hasRun)
      #expect(try invocation.ownID(peer, in: host, former: "/none") == id, "kept")
    }
  }

  @Test("a secret that may not be written lacks a permission, one named wrongly is a fault of the configuration") func refused() throws {
    let invocation = try invocation("a")
    var host = HostSettings()
    for (path, exit) in [("/sys/salt", Exit.forbidden), ("/", .configuration), ("/none/salt", .configuration)] {
      host.saltFile = path
      #expect(throws: exit) { try invocation.salt(.hash, in: host) }
    }
  }

  @Test("a command that asks for an option it does not declare is our mistake") func undeclared() async {
    await #expect(processExitsWith: .failure) {
      let command = Command(name: "x", summary: "", description: [], run: { _ in })
      _ = try Invocation(command, [], Output()).has("json")
    }
  }
}
