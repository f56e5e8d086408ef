import Core
import Testing

@testable import Host

@Suite("the file of neighbours ever met") struct NeighbourFileTests {
  @Test("neighbours are read back, and damaged lines are skipped")
  func roundTrip() throws {
    let scratch = Scratch()
    let path = scratch.path + "/neighbours.jsonl"
    #expect(try NeighbourFile.read(path).isEmpty, "none was ever met")
    var groups = GroupList()
    groups.append(Name("pumps"))
    groups.append(Name("doors"))
    var everywhere = GroupList()
    everywhere.isEverything = true
    let entries = [
      NeighbourFile.Entry(Name("island \"2\""), groups, seen: 1_764_000_000), NeighbourFile.Entry(Name("island-3"), everywhere, seen: nil),
    ]
    try LearntFile.write(NeighbourFile.text(entries) + Array("{\"gateway\":7}\nnonsense\n".utf8), to: path)
    let read = try NeighbourFile.read(path)
    #expect(read.map { String($0.name) } == ["island \"2\"", "island-3"])
    #expect(read.map { String($0.groups.text) } == ["pumps/doors", "*"] && read.map { $0.seen } == [1_764_000_000, nil])
  }
}
