import Foundation
import Testing

@testable import Host

@Suite("what the gateway keeps is replaced by no other file of its own") struct ConfigurationOwnFiles {
  private func isRefused(_ file: String, _ more: String = "") -> Bool {
    let toml = shortest + "outbox.path = \"/nowhere/o.db\"\npublish.metrics_file = \"\(file)\"\n"
    return findings(toml + more).contains { $0.contains("publish: metrics_file is the same file as ") }
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

  @Test("the id lies beside the outbox, and begins with its name as the other files there do, unless the file says otherwise")
  func ids() throws {
    for (toml, path) in [
      ("", "/var/lib/forecourt/id"), ("outbox.path = \"/d/outbox.db\"\n", "/d/id"), ("outbox.path = \"/d/b.db\"\n", "/d/b.db.id"),
      ("outbox.path = \"/d/b.db\"\npeer.id_file = \"/e/id\"\n", "/e/id"),
    ] {
      let configuration = try Configuration(reading: source(shortest + toml))
      #expect(same(configuration.host.idFile, path), "\(toml)")
    }
    #expect(isRefused("/nowhere/o.db.id"))
  }

  @Test("what the gateway writes is neither its configuration, nor what it reads, nor anything else that it writes; each is told once")
  func shared() throws {
    let folder = try Folder()
    folder.write("anna.irk", "ec0234a357c8ad05341010a60a397d9b\n")
    func told(_ toml: String) throws -> [String] {
      let path = folder.write("c.toml", shortest + toml + "[[key.irk]]\nalias = \"anna\"\nkey_file = \"anna.irk\"\n")
      return found(try ConfigurationText(reading: path)).map { $0.words }
    }
    let end = ": the gateway would write over it, name another"
    for (table, key) in [("publish", "metrics_file"), ("privacy", "salt_file"), ("peer", "id_file"), ("outbox", "path")] {
      for (file, other) in [("c.toml", "this configuration"), ("./anna.irk", "key_file")] {
        #expect(try told("\(table).\(key) = \"\(file)\"\n") == ["\(key) is the same file as \(other)" + end])
      }
      #expect(try told("\(table).\(key) = \"anna\"\n") == [])
    }
    for (toml, words) in [
      ("privacy.salt_file = \"x\"\npeer.id_file = \"x\"\n", "salt_file is the same file as id_file"),
      ("outbox.path = \"x\"\npublish.metrics_file = \"x\"\n", "metrics_file is the same file as the outbox or one beside it"),
      ("peer.id_file = \"/var/lib/forecourt/salt\"\n", "id_file is the same file as salt_file"),
      ("outbox.path = \"/var/lib/forecourt/salt\"\n", "path is the same file as salt_file"),
      ("privacy.salt_file = \"/var/lib/forecourt/outbox.db-wal\"\n", "salt_file is the same file as the outbox or one beside it"),
    ] { #expect(try told(toml) == [words + end]) }
  }
}
