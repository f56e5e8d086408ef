import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what the report collects of a run") struct ReportRunTests {
  /// A run of which the machine is told step by step, as `replay --report` does it.
  private func observe(_ run: inout ReportRun, _ machine: inout Machine, _ at: Double, radio: Int = 0) {
    run.observe(machine.gateway, radio: radio, at: .zero + .seconds(at))
    while let message = machine.messages.pop() { run.record(message) }
  }

  private func page(_ runs: [ReportRun]) throws -> String {
    let program = try Program()
    defer { program.remove() }
    let place = program.folder.appending(path: "page.html").path
    var page = try ReportPage(creating: place, force: false)
    page.write(runs, captures: ["yard.btsnoop"], epoch: nil)
    #expect(page.close() == 0)
    return try String(contentsOfFile: place, encoding: .utf8)
  }

  private static let near = "[[trigger]]\nname = \"pump-1\"\nmatch = \"ibeacon:*\"\n"

  /// Of device n, 60 - n adverts; the first ones stand at the pump, two come near and are gone.
  private func crowd(_ toml: String, of count: UInt8) throws -> ReportRun {
    var machine = try Machine(toml)
    var run = ReportRun("config.toml", "the text", machine.gateway.settings)
    for step in 0..<120 {
      for device in 1...count where step < (device < 3 ? 120 : 60 - Int(device)) {
        let level: Int8 = device < 3 ? (step < 30 ? -88 : -50) : device == 20 || device == 30 ? -66 : -92
        let at = 1 + Double(step) / 10 + Double(device) / 1_000
        machine.hear(device, at: at, level: level, beacon: device)
        observe(&run, &machine, at)
      }
    }
    return run
  }

  private func order(_ page: String) -> [Int] {
    page.matches(of: #/<figcaption>(?:<b>[^<]*<\/b> )?<code>ibeacon:[-0-9a-f]+:7:(\d+)</#).map { Int($0.1)! }
  }

  @Test("who fired stands first, then who came near, then who was heard most; forty have charts, six of them open")
  func ranked() throws {
    let run = try crowd(Self.near, of: 45)
    let page = try page([run])
    let order = order(page)
    #expect(order == [1, 2, 20, 30] + (3...40).filter { $0 != 20 && $0 != 30 }, "\(order)")
    let header = page.firstMatch(of: #/<\/h1><p>([^<]*)</#).map { String($0.1) }
    #expect(header == "12.9 s; 45 devices heard. This is a rehearsal, not a live gateway.")
    let parts = page.components(separatedBy: "<details><summary>34 more devices, none of which fired</summary>")
    #expect(parts.count == 2 && self.order(parts[0]).count == 6)
    let words = "<p>5 more devices not shown: the configuration does not look for them, or they were heard less often.</p>"
    let isLeftOut = page.contains(words)
    let hasFigures = page.contains("<code>ibeacon:\(Machine.uuid):7:3</code><small>57 samples; its power is ")
    #expect(isLeftOut && hasFigures)
    let summaries = page.matches(of: #/<summary>([^<]*)</#).map { String($0.1) }
    #expect(summaries == ["4 approaches without a fire", "34 more devices, none of which fired"])
    let leads = page.contains("<a href=\"#d2\"><code title=\"ibeacon:")
    #expect(leads, "a visit leads to its chart")
    let few = try self.page([try crowd(Self.near, of: 6)])
    #expect(!few.contains("more device") && self.order(few) == [1, 2, 3, 4, 5, 6] && !few.contains("not shown"))
    let seven = try self.page([try crowd(Self.near, of: 7)])
    #expect(seven.contains("<summary>1 more device, none of which fired</summary>"))
  }

  @Test("devices that the configuration does not look for have charts only where it looks for none") func matched() throws {
    let some = try crowd(Self.near.replacing("ibeacon:*", with: "ibeacon:\(Machine.uuid):7:2"), of: 4)
    #expect(try order(page([some])) == [2] && some.devices.count == 4)
    #expect(try order(page([try crowd("", of: 4)])) == [1, 2, 3, 4])
  }

  @Test("a sample is one point, with its radio's offset taken out; thresholds are those of its triggers, alike ones in one line")
  func points() throws {
    let radios = "[[radio]]\nname = \"a\"\n[[radio]]\nname = \"b\"\nadapter = \"hci1\"\nreceive_offset_db = 3\n"
    let triggers = ["x", "y"].map { "[[trigger]]\nname = \"\($0)\"\nmatch = \"ibeacon:*\"\narm_m = 6\nleave_m = 4\nfire_m = 1\n" }.joined()
    let last = "[[trigger]]\nname = \"z\"\nmatch = \"ibeacon:*\"\narm_m = 6\nleave_m = 3\nfire_m = 2\n"
    let other = "[[trigger]]\nname = \"nobody\"\nmatch = \"irk:*\"\narm_m = 7\n"
    var machine = try Machine(radios + triggers + other + last)
    var run = ReportRun("config.toml", "", machine.gateway.settings)
    for step in 0..<70 {
      let at = 1 + Double(step) / 10
      machine.hear(1, at: at, level: -60, radio: 0, beacon: 1)
      observe(&run, &machine, at, radio: 0)
      // Nothing new of it: the radios' next packets, which came at the same moment, are of nobody.
      observe(&run, &machine, at, radio: 0)
      observe(&run, &machine, at, radio: 1)
      machine.hear(1, at: at, level: -59, radio: 1, beacon: 1)
      observe(&run, &machine, at, radio: 1)
    }
    let device = try #require(run.devices.first)
    #expect(
      run.devices.count == 1 && device.samples == 140 && device.points.count == 140 && abs(run.seconds - 7.9) < 1e-6, "\(device.samples)")
    #expect(device.points.allSatisfy { $0.level == ($0.radio == 0 ? -60 : -62) })
    #expect(device.points[0].radio == 0 && device.points[1].radio == 1)
    #expect(device.points.allSatisfy { $0.low < $0.average && abs($0.high + $0.low - 2 * $0.average) < 0.001 })
    #expect(
      device.lines.map { "\($0.title) \($0.triggers)" }
        == ["fire 1.0 m: x 2", "leave 4.0 m: x 2", "arm 6.0 m: x 3", "fire 2.0 m: z 1", "leave 3.0 m: z 1"], "\(device.lines)")
    #expect(run.radios == ["a", "b"] && run.triggers == ["x", "y", "nobody", "z"] && device.isMatched && device.name.isEmpty)
  }
}
