package import Core

/// The neighbours that were ever met, saved for the next run: one JSON object per line, readable by the owner only.
package enum NeighbourFile {
  package struct Entry {
    package var name: Name
    package var groups: GroupList
    /// Unix time in seconds; nil if the clock was not synchronised.
    package var seen: Int64?

    package init(_ name: Name, _ groups: GroupList, seen: Int64?) { (self.name, self.groups, self.seen) = (name, groups, seen) }

    /// Whether it was last heard longer ago. Only a synchronised clock can tell.
    package func isSilent(for most: Interval, at now: Moment) -> Bool {
      guard let seen, let wall = now.wall, wall / 1_000_000 - seen > Int64(most.seconds) else { return false }
      return now.trustedWall != nil
    }
  }

  private static let mostBytes = Roster.capacity * 512

  package static func read(_ path: String) throws(FileRefusal) -> [Entry] {
    var entries: [Entry] = []
    try JSONLines.read(path, atMost: mostBytes) { line in if let entry = entry(line) { entries.append(entry) } }
    return entries
  }

  private static func entry(_ line: RawSpan) -> Entry? {
    guard let object = try? JSONObject(line), let name: Name = try? object.text("gateway"), !name.isEmpty else { return nil }
    var groups = GroupList()
    if let written: Text<100> = try? object.text("groups") { groups.read(written.bytes) }
    let seen = (try? object.number("seen", 0...1e12)).flatMap { $0 }
    return Entry(name, groups, seen: seen.map { Int64($0) })
  }

  /// A longer file could not be read again: the one that was heard longest ago goes.
  package static func shorten(_ entries: inout [Entry]) {
    while entries.count > Roster.capacity {
      var oldest = 0
      for index in entries.indices where entries[index].seen ?? .max < entries[oldest].seen ?? .max { oldest = index }
      entries.remove(at: oldest)
    }
  }

  package static func text(_ entries: [Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      var line = Text<512>()
      line.openObject()
      line.member("gateway", text: entry.name.bytes)
      let groups = entry.groups.text
      line.member("groups", text: groups.bytes)
      if let seen = entry.seen { line.member("seen", seen) } else { line.memberNull("seen") }
      line.closeObject()
      JSONLines.append(line, to: &bytes)
    }
    return bytes
  }
}
