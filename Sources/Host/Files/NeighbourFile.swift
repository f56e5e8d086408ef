package import Core

/// The neighbours of which anything was ever known, saved for the next run: one JSON object per line, readable by the owner only.
package enum NeighbourFile {
  /// Beside the outbox.
  package static var name: String { "neighbours.jsonl" }

  package enum Standing: UInt8, BitwiseCopyable {
    /// It was heard.
    case met
    /// Only its status came.
    case stated
    /// Nobody waits for the run `boot` any more.
    case forgotten
  }

  package struct Entry {
    package var name: Name
    package var groups: GroupList
    /// The last sign of life: Unix time in seconds; nil if the clock was not synchronised.
    package var seen: Int64?
    /// Which of its runs was the last; empty in files of older gateways.
    package var boot: Text<16>
    package var standing: Standing

    package init(_ name: Name, _ groups: GroupList, seen: Int64?, boot: Text<16> = Text(), _ standing: Standing = .met) {
      (self.name, self.groups, self.seen, self.boot, self.standing) = (name, groups, seen, boot, standing)
    }

    /// Whether its last sign of life was longer ago. Only a synchronised clock can tell.
    package func isSilent(for most: Interval, at now: Moment) -> Bool {
      guard let seen, let wall = now.wall, wall / 1_000_000 - seen > Int64(most.seconds) else { return false }
      return now.trustedWall != nil
    }
  }

  private static let mostBytes = Roster.capacity * 512

  /// And how many lines were invalid.
  package static func read(_ path: String) throws(FileRefusal) -> (entries: [Entry], strange: Int) {
    var (entries, strange): ([Entry], Int) = ([], 0)
    try JSONLines.read(path, atMost: mostBytes) { line in
      if let entry = entry(line) { entries.append(entry) } else { strange += 1 }
    }
    return (entries, strange)
  }

  private static func entry(_ line: RawSpan) -> Entry? {
    guard let object = try? JSONObject(line), let name: Name = try? object.text("gateway"), !name.isEmpty else { return nil }
    var groups = GroupList()
    if let written: Text<100> = try? object.text("groups") { groups.read(written.bytes) }
    let seen = (try? object.number("seen", 0...1e12)).flatMap { $0 }
    let boot: Text<16>? = try? object.text("boot")
    let standing = Standing(written: (try? object.text("standing")) ?? Text<16>())
    return Entry(name, groups, seen: seen.map { Int64($0) }, boot: boot ?? Text(), standing)
  }

  /// A longer file could not be read again. Without a forgotten one, or one that was never heard, we wait for more gateways, or as many as
  /// the broker knows; without one that we met, for fewer. So these stay longest, and of the same kind who was heard last.
  package static func shorten(_ entries: inout [Entry]) {
    while entries.count > Roster.capacity {
      var oldest = 0
      for index in entries.indices where entries[index].goes(before: entries[oldest]) { oldest = index }
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
      line.member("boot", text: entry.boot.bytes)
      line.member("standing", entry.standing.word)
      line.closeObject()
      JSONLines.append(line, to: &bytes)
    }
    return bytes
  }
}

extension NeighbourFile.Entry {
  fileprivate func goes(before other: Self) -> Bool {
    if standing != other.standing { return standing.rawValue > other.standing.rawValue }
    return seen ?? .max < other.seen ?? .max
  }
}

extension NeighbourFile.Standing {
  fileprivate var word: StaticString {
    switch self {
    case .met: "met"
    case .stated: "stated"
    case .forgotten: "forgotten"
    }
  }

  /// Whoever cannot be read was met, as in files of older gateways: it is waited for.
  fileprivate init(written word: Text<16>) {
    if word == Text("stated") { self = .stated } else if word == Text("forgotten") { self = .forgotten } else { self = .met }
  }
}
