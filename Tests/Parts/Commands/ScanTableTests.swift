import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("the live table, as a whole") struct ScanTableTests {
  private static let configuration = """
    [privacy]
    unknown = "publish"
    [[device]]
    name = "Bert of the long name"
    match = "ibeacon:\(Machine.uuid):7:2"
    [[region]]
    name = "bert"
    match = "ibeacon:\(Machine.uuid):7:2"
    """
  private static let trigger = "\n[[trigger]]\nname = \"pump-1\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\narm_m = 100\n"

  /// Ten seconds: 1 stands near, 2 comes nearer, 3 goes quiet after 2 s, 4 is a stranger that was heard once.
  private func table(of machine: inout Machine) -> ScanTable {
    var table = ScanTable(machine.gateway)
    for step in 0...40 {
      let at = 1 + Double(step) / 4
      machine.hear(1, at: at, level: step % 3 == 0 ? -52 : -50, beacon: 1)
      machine.hear(2, at: at + 0.01, level: Int8(-100 + step), beacon: 2)
      if step <= 8 { machine.hear(3, at: at + 0.02, level: -80, beacon: 3) }
      if step == 10 { machine.hear(4, at: at + 0.03, level: -90) }
      table.observe(machine.gateway, at: .zero + .seconds(at + 0.04))
    }
    return table
  }

  private func shown(
    _ table: inout ScanTable, _ machine: borrowing Machine, at seconds: Double = 11.2, columns: Int = 120, rows: Int = 9,
    isColoured: Bool = false
  ) -> String {
    let lines = table.lines(
      machine.gateway, at: .zero + .seconds(seconds), ["hci0 scanning", "nothing is published"], Colours(areShown: isColoured), columns,
      rows)
    return lines.joined(separator: "\n").replacing("\u{1B}", with: "^")
  }

  @Test("each width has the columns that fit, each row its figures; colours show zones, and who is silent is faint") func widths() throws {
    var machine = try Machine(Self.configuration + Self.trigger)
    var table = table(of: &machine)
    var text = ""
    for columns in [20, 40, 71, 72, 90, 103, 104, 140, 200] { text += "\(columns)\n" + shown(&table, machine, columns: columns) + "\n" }
    try Said("scan-widths").expect(text)
    text = shown(&table, machine, isColoured: true) + "\n" + shown(&table, machine, columns: 80, isColoured: true)
    var other = try Machine(Self.configuration)
    var without = self.table(of: &other)
    text += "\nwithout a trigger\n" + shown(&without, other) + "\n" + shown(&without, other, columns: 80)
    try Said("scan-colours").expect(text)
  }

  @Test("keys sort, and reverse; what is selected stays in sight, with its figures below; what is held does not move") func keys() throws {
    var machine = try Machine(Self.configuration + Self.trigger)
    var table = table(of: &machine)
    var text = ""
    for (keys, rows) in [
      ("d", 9), ("d", 9), ("a", 9), ("a", 9), ("r", 9), ("r", 9), ("g", 9), ("g", 9), ("i", 9), ("i", 9), ("i", 4), ("j", 5), ("j", 7),
      ("jj", 6), ("jj", 6), ("k", 7), ("m", 7), ("m", 7), ("k", 7), ("kkkk", 6), (" ", 9),
    ] {
      let areKnown = keys.utf8.map { table.typed($0) }
      #expect(!areKnown.contains(false))
      text += "\(keys)\n" + shown(&table, machine, columns: 72, rows: rows) + "\n"
    }
    for step in 0..<20 { machine.hear(5, at: 12 + Double(step) / 10, level: -40, beacon: 5) }
    text += "held\n" + shown(&table, machine, at: 14, columns: 72) + "\n"
    let areKnown = " x\u{1B}".utf8.map { table.typed($0) }
    #expect(areKnown == [true, false, false])
    table.observe(machine.gateway, at: .zero + .seconds(14))
    text += "no more\n" + shown(&table, machine, at: 14, columns: 72) + "\nlater\n" + shown(&table, machine, at: 62.99, columns: 72)
    text += "\nmuch later\n" + shown(&table, machine, at: 71.3, columns: 72) + "\n" + shown(&table, machine, at: 80, columns: 72)
    try Said("scan-keys").expect(text)
  }

  @Test(
    "a JSON line has whom it means, how it is heard, and its stage at each trigger; who was not heard since has none; a rehearsal says so")
  func json() throws {
    let program = try Program()
    defer { program.remove() }
    let place = program.folder.appending(path: "lines").path
    _ = FileManager.default.createFile(atPath: place, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: place))
    let out = Output(to: file.fileDescriptor)
    var machine = try Machine(Self.configuration + Self.trigger + "[[trigger]]\nname = \"till\"\nmatch = \"ibeacon:*\"\narm_m = 100\n")
    let table = table(of: &machine)
    for since in [0, 3.2, 11.0] {
      out.line("since \(since)")
      table.printHeard(since: .zero + .seconds(since), at: .zero + .seconds(11.2), machine.gateway, isRehearsal: since == 3.2, to: out)
    }
    #expect(!out.isTerminal && out.close())
    try Said("scan-lines").expect(try String(contentsOfFile: place, encoding: .utf8))
  }
}
