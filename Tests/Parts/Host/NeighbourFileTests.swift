import Core
import Testing

@testable import Host

@Suite("the file of neighbours ever met") struct NeighbourFileTests {
  @Test("neighbours are read back, and damaged lines are skipped")
  func roundTrip() throws {
    let scratch = Scratch()
    let path = scratch.path + "/neighbours.jsonl"
    #expect(try NeighbourFile.read(path).entries.isEmpty, "none was ever met")
    var groups = GroupList()
    groups.append(Name("pumps"))
    groups.append(Name("doors"))
    var everywhere = GroupList()
    everywhere.isEverything = true
    let entries = [
      NeighbourFile.Entry(Name("island \"2\""), groups, seen: 1_764_000_000, boot: Text("0123456789abcdef"), .forgotten),
      NeighbourFile.Entry(Name("island-3"), everywhere, seen: nil, .stated),
    ]
    // An older gateway's file.
    let old = "{\"gateway\":\"old\",\"groups\":\"*\",\"seen\":7}\n"
    try NewFile.write(
      NeighbourFile.text(entries) + Array((old + "{\"gateway\":7}\n{\"gateway\":\"\"}\n{\"groups\":\"*\"}\nnonsense\n").utf8),
      to: path)
    let (read, strange) = try NeighbourFile.read(path)
    #expect(strange == 4)
    #expect(read.map { String($0.name) } == ["island \"2\"", "island-3", "old"])
    #expect(read.map { String($0.groups.text) } == ["pumps/doors", "*", "*"] && read.map { $0.seen } == [1_764_000_000, nil, 7])
    #expect(read.map { String($0.boot) } == ["0123456789abcdef", "", ""] && read.map { $0.standing } == [.forgotten, .stated, .met])
  }

  @Test("only a synchronised clock expires a neighbour") func silent() {
    let seen: Int64 = 1_790_000_000
    func isSilent(_ seen: Int64?, after seconds: Int64, isTrusted: Bool = true) -> Bool {
      let wall = (1_790_000_000 + seconds) * 1_000_000
      return NeighbourFile.Entry(Name("island-2"), GroupList(), seen: seen)
        .isSilent(for: .seconds(60), at: Moment(at: .zero, wall: wall, isTrusted: isTrusted))
    }
    #expect(isSilent(seen, after: 61) && !isSilent(seen, after: 60))
    #expect(!isSilent(seen, after: 61, isTrusted: false) && !isSilent(nil, after: 61))
  }

  @Test("the 64 that were heard last are kept, and the longest names fit what is read") func most() throws {
    let scratch = Scratch()
    let path = scratch.path + "/neighbours.jsonl"
    var groups = GroupList()
    for _ in 0..<8 { groups.append(Name("\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"")) }
    var entries: [NeighbourFile.Entry] = []
    for number in 0..<100 as Range<Int64> {
      let name = Name("\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\(number)")
      entries.append(NeighbourFile.Entry(name, groups, seen: number == 3 ? nil : 1_790_000_000 + number * 7 % 100))
      NeighbourFile.shorten(&entries)
    }
    try NewFile.write(NeighbourFile.text(entries), to: path)
    let read = try NeighbourFile.read(path).entries
    #expect(read.count == 64 && read.contains { $0.seen == nil } && read.allSatisfy { $0.seen ?? .max >= 1_790_000_037 })
    for standing in [NeighbourFile.Standing.stated, .forgotten] {
      entries[5].standing = standing
      let name = entries[5].name
      entries[5].seen = nil
      entries.append(NeighbourFile.Entry(Name("one more"), groups, seen: 0))
      NeighbourFile.shorten(&entries)
      #expect(entries.count == 64 && !entries.contains { $0.name == name } && entries.contains { $0.name == Name("one more") })
    }
  }
}
