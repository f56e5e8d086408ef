import Core
import Foundation
import Testing

@testable import Host

@Suite("The files beside the outbox") struct SideFilesTests {
  private let scratch = Scratch()

  private func text(_ name: String) -> String? { try? String(contentsOfFile: scratch.path + "/" + name, encoding: .utf8) }

  @Test("gateways in one folder share none, and those of outbox.db keep their names") func names() {
    for (outbox, path) in [
      ("/d/outbox.db", "/d/adapters.jsonl"), ("/d/b.db", "/d/b.db.adapters.jsonl"), ("outbox.db", "adapters.jsonl"),
      ("b.db", "b.db.adapters.jsonl"), ("/d/outbox.db2", "/d/outbox.db2.adapters.jsonl"),
    ] { #expect(SideFiles.path(AdapterFile.name, beside: outbox) == path) }
  }

  @Test("a gateway that ran before begins once with copies of what all had; a new one, and that of outbox.db, take nothing") func adopted()
    throws
  {
    scratch.write("neighbours.jsonl", Array("old\n".utf8))
    scratch.write("learnt-powers.jsonl", Array("learnt\n".utf8))
    scratch.write("outbox.db", [])
    try SideFiles.adopt(beside: scratch["outbox.db"])
    try SideFiles.adopt(beside: scratch["b.db"])
    #expect(scratch.names == ["learnt-powers.jsonl", "neighbours.jsonl", "outbox.db"])
    for name in ["b.db", "c.db"] {
      scratch.write(name, [])
      try SideFiles.adopt(beside: scratch[name])
      #expect(text(name + ".neighbours.jsonl") == "old\n" && text(name + ".learnt-powers.jsonl") == "learnt\n")
      #expect(text(name + ".adapters.jsonl") == nil)
    }
    #expect(text("neighbours.jsonl") == "old\n", "the others' gateway has it still")
    scratch.write("neighbours.jsonl", Array("new\n".utf8))
    try FileManager.default.removeItem(atPath: scratch.path + "/b.db.learnt-powers.jsonl")
    try SideFiles.adopt(beside: scratch["b.db"])
    #expect(text("b.db.neighbours.jsonl") == "old\n" && text("b.db.learnt-powers.jsonl") == nil, "what somebody removed stays away")
  }

  @Test("what cannot be read is said, and nothing is begun without it") func unreadable() throws {
    try FileManager.default.createDirectory(atPath: scratch.path + "/neighbours.jsonl", withIntermediateDirectories: false)
    scratch.write("learnt-powers.jsonl", Array("learnt\n".utf8))
    scratch.write("b.db", [])
    #expect(throws: FileRefusal.self) { try SideFiles.adopt(beside: scratch["b.db"]) }
    #expect(text("b.db.learnt-powers.jsonl") == nil)
  }
}
