import Foundation
import Testing

@testable import Host

@Suite("what the gateway keeps is replaced by no other file of its own") struct ConfigurationOwnFiles {
  private func isRefused(_ file: String, _ more: String = "") -> Bool {
    let toml = shortest + "outbox.path = \"/nowhere/o.db\"\npublish.metrics_file = \"\(file)\"\n"
    return findings(toml + more).contains { $0.contains("is a file that the gateway keeps, and each telemetry would replace it") }
  }

  @Test(
    "metrics_file is neither the outbox nor one of the files beside it",
    arguments: [
      "o.db", "o.db-wal", "o.db-shm", "o.db.learnt-powers.jsonl", "o.db.neighbours.jsonl", "o.db.adapters.jsonl", "o.db.announced.jsonl",
      "../nowhere/./o.db",
    ])
  func beside(name: String) {
    // Where no folder is, nobody can tell that two spellings are one.
    #expect(isRefused("/nowhere/" + name) == !name.hasPrefix(".."))
  }

  @Test("nor by a link or another spelling, nor the id, nor the salt; another file there is welcome") func others() throws {
    let folder = try Folder()
    folder.write("o.db", [1])
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: folder.path + "/o.db")
    for (metrics, isIt) in [("link", true), ("./o.db", true), ("o.db-wal", true), ("o.prom", false)] {
      let toml = shortest + "outbox.path = \"\(folder.path)/o.db\"\npublish.metrics_file = \"\(folder.path)/\(metrics)\"\n"
      #expect(findings(toml).isEmpty == !isIt, "\(metrics)")
    }
    #expect(isRefused("/nowhere/id", "peer.id_file = \"/nowhere/id\"\n") && isRefused("/nowhere/s", "privacy.salt_file = \"/nowhere/s\"\n"))
    #expect(!isRefused("/nowhere/figures.prom"))
  }
}
