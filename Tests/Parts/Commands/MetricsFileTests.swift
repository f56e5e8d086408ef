import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("metrics_file, as the daemon keeps it") struct MetricsFileTests {
  private static func settings(_ file: String?) -> String {
    "[publish]\ntelemetry_s = 1\n" + (file.map { "metrics_file = \"FOLDER/\($0)\"\n" } ?? "")
  }

  /// Turns until the file is there, or has gone; each asks for the next telemetry.
  private func turn(_ rig: inout DaemonRig, from start: Double, until file: String, isThere: Bool) throws -> Bool {
    let path = rig.program.folder.appending(path: file).path
    for step in 0..<50 {
      _ = try rig.turn(at: start + Double(step))
      for _ in 0..<20 {
        if FileManager.default.fileExists(atPath: path) == isThere { return true }
        usleep(10_000)
      }
    }
    return false
  }

  private func reload(_ rig: inout DaemonRig, at seconds: Double, _ file: String?) throws {
    try rig.reads(Self.settings(file))
    rig.command(.reload)
    let told = try rig.turns(at: seconds, until: "/reply/reload")
    #expect(told.contains { $0.contains(#""ok":true"#) }, "\(told)")
  }

  @Test("it goes when a reload moves it or takes the key out, and at the end") func leaves() throws {
    var rig = try DaemonRig(Self.settings("old.prom"))
    var isDone = try turn(&rig, from: 1, until: "old.prom", isThere: true)
    #expect(isDone)
    try reload(&rig, at: 1_000, "new.prom")
    isDone = try turn(&rig, from: 1_001, until: "old.prom", isThere: false)
    #expect(isDone, "moved")
    isDone = try turn(&rig, from: 2_000, until: "new.prom", isThere: true)
    #expect(isDone)
    try reload(&rig, at: 3_000, nil)
    isDone = try turn(&rig, from: 3_001, until: "new.prom", isThere: false)
    #expect(isDone, "taken out")
    try reload(&rig, at: 4_000, "last.prom")
    isDone = try turn(&rig, from: 4_001, until: "last.prom", isThere: true)
    #expect(isDone)
    rig.daemon.metrics.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.program.folder.path).filter { $0.hasSuffix(".prom") }
    #expect(names == [])
  }

  @Test("a file that this run has not written stays at its end") func foreign() throws {
    let rig = try DaemonRig(Self.settings("mine.prom"))
    try rig.program.write("mine.prom", "somebody's")
    rig.daemon.metrics.close()
    let path = rig.program.folder.appending(path: "mine.prom").path
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
