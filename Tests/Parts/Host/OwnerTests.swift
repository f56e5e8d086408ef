import Core
import Foundation
import Testing

@testable import Host

/// Root's files in another user's folder; only root can give files away.
@Suite("Files belong to the folder's owner", .enabled(if: geteuid() == 0))
struct OwnerTests {
  private let scratch = Scratch()
  private static let nobody: uid_t = 65_534

  init() throws { try #require(chown(scratch.path, Self.nobody, Self.nobody) == 0) }

  private func owner(of name: String) -> uid_t? {
    ((try? FileManager.default.attributesOfItem(atPath: scratch.path + "/" + name))?[.ownerAccountID] as? NSNumber)?.uint32Value
  }

  @Test("a file created by root goes to the folder's owner; an existing one and a link's target do not")
  func given() throws {
    _ = try SecretFile.bytes(4, keptIn: scratch.path + "/id")
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    let outbox = try Outbox(settings, machine: 1)
    #expect(owner(of: "id") == Self.nobody)
    let names = scratch.names.filter { $0.hasPrefix("outbox") }
    #expect(names == ["outbox.db", "outbox.db-shm", "outbox.db-wal"])
    for name in names { #expect(owner(of: name) == Self.nobody, "\(name)") }
    _ = consume outbox

    let elsewhere = Scratch()
    elsewhere.write("secret", [1])
    for (link, target) in [("old", "secret"), ("new", "made")] {
      #expect(symlink(elsewhere.path + "/" + target, scratch.path + "/" + link) == 0)
      #expect(try NewFile(creating: scratch.path + "/" + link, .own).keep() == 0)
      #expect(owner(of: link) == Self.nobody, "the new file takes the link's place")
    }
    #expect((try FileManager.default.attributesOfItem(atPath: elsewhere.path + "/secret")[.ownerAccountID] as? NSNumber) == 0)
    #expect(elsewhere.names == ["secret"])
  }

  @Test("an outbox that the gateway may write and not read is none to it: it will be set aside") func unreadable() throws {
    for (name, bytes) in [
      ("whole", Array("SQLite format 3\u{0}".utf8) + [1, 2]), ("hidden", Array("SQLite format 3\u{0}".utf8)), ("other", [1]),
    ] {
      scratch.write(name, bytes, mode: name == "hidden" ? 0o200 : 0o600)
      #expect(chown(scratch.path + "/" + name, Self.nobody, Self.nobody) == 0)
      var host = HostSettings()
      host.outbox.path = scratch[name]
      let owner = try #require(Owner(ofFolderOf: scratch.path + "/" + name))
      try #require(owner.enter())
      defer { Owner.leave() }
      let examined = Examined.outbox(host, as: "nobody")[0]
      #expect(
        examined.words.hasSuffix(name == "whole" ? ": can be written" : ": is no outbox: the gateway will set it aside and start a new one")
      )
    }
  }

  @Test(
    "a file beside the outbox that another user's run has left is named, with the line that mends it",
    arguments: ["outbox.db-wal", "outbox.db-shm", "learnt-powers.jsonl", "id", "salt", "", "none"])
  func foreign(name: String) throws {
    for other in ["outbox.db", "outbox.db-wal", "outbox.db-shm", "learnt-powers.jsonl", "id", "salt"] where name != "none" {
      scratch.write(other, [])
      if other != name { #expect(chown(scratch.path + "/" + other, Self.nobody, Self.nobody) == 0) }
    }
    var host = HostSettings()
    (host.outbox.path, host.idFile, host.saltFile) = (scratch["outbox.db"], scratch.path + "/id", scratch.path + "/salt")
    let owner = try #require(Owner(ofFolderOf: scratch.path + "/id"))
    try #require(owner.enter())
    defer { Owner.leave() }
    let examined = Examined.outbox(host, as: "nobody")[0]
    let place = scratch.path + "/" + name
    let isWell = ["", "none"].contains(name)
    #expect(
      examined.words
        == (isWell
          ? "\(scratch.path)/outbox.db: can be written"
          : "\(place): belongs to somebody else: once as root: chown nobody \(place)"))
    #expect(examined.isBad != isWell)
  }

  @Test("a folder in which the gateway may not write is named, unless its secret is there already") func folders() throws {
    scratch.write("id", [1, 2, 3, 4], mode: 0o600)
    #expect(chown(scratch.path + "/id", Self.nobody, Self.nobody) == 0)
    var settings = Settings()
    var host = HostSettings()
    (settings.peer.serve, settings.publish.unknown) = (true, .hash)
    (host.idFile, host.saltFile, host.metricsFile) = (scratch.path + "/id", scratch.path + "/salt", scratch.path + "/figures.prom")
    let owner = try #require(Owner(ofFolderOf: host.idFile))
    defer { chmod(scratch.path, 0o700) }
    for (mode, named) in [(0o700, []), (0o500, ["metrics_file", "salt_file"])] as [(mode_t, [String])] {
      chmod(scratch.path, mode)
      try #require(owner.enter())
      defer { Owner.leave() }
      let found = Examined.files(settings, host, as: "nobody")
      #expect(found.map(\.subject) == named)
      #expect(found.allSatisfy { $0.words.hasSuffix(": nobody may not write in its folder: name another place") })
    }
  }

  @Test("after a clean stop an outbox is read by who may not write beside it, whatever it is called; not while it has a log") func history()
    throws
  {
    let path = scratch.path + "/a?b#c%41.db"
    var settings = OutboxSettings()
    settings.path = Path(path)
    var message = Message()
    (message.care, message.topic, message.payload) = (.event, Topic("t"), Payload("{}"))
    do {
      let outbox = try Outbox(settings, machine: 1)
      try outbox.startTransaction(isDurable: true)
      try outbox.store(message, at: Moment(at: .zero, wall: 1, isTrusted: true))
      _ = try outbox.commit()
    }
    #expect(scratch.names == ["a?b#c%41.db"])
    let owner = try #require(Owner(ofFolderOf: path))
    defer { chmod(scratch.path, 0o700) }
    for hasLog in [false, true] {
      chmod(scratch.path, 0o700)
      if hasLog { scratch.write("a?b#c%41.db-wal", [1]) }
      chmod(scratch.path, 0o555)
      try #require(owner.enter())
      defer { Owner.leave() }
      var topics: [Topic] = []
      let read = { (entry: borrowing OutboxHistory.Entry) in
        topics.append(entry.topic)
        return true
      }
      if hasLog {
        #expect(throws: StoreFault.self) { try OutboxHistory(path: path).read(read) }
      } else {
        try OutboxHistory(path: path).read(read)
      }
      #expect(topics == (hasLog ? [] : [Topic("t")]))
    }
  }

  @Test("root reads with the folder owner's rights, and then as root again")
  func looking() throws {
    scratch.write("private", [1])
    let path = scratch.path + "/private"
    #expect(Owner(ofFolderOf: "/etc/passwd") == nil)
    let owner = try #require(Owner(ofFolderOf: path))
    do {
      try #require(owner.enter())
      defer { Owner.leave() }
      #expect(!FileSystem.isReadable(Text(path)) && !FileSystem.isWritable(Text(path)) && FileSystem.isWritable(Text(scratch.path)))
      #expect(throws: FileRefusal.self) { try File(reading: path, atMost: 9) }
    }
    #expect(FileSystem.isReadable(Text(path)) && FileSystem.isWritable(Text(path)))
  }
}
