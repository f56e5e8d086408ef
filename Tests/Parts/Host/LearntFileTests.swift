import Core
import Foundation
import Testing

@testable import Host

@Suite("the file of learnt powers")
struct LearntFileTests {
  @Test("learnt powers are read back, readable by the owner only; a damaged line is skipped and counted") func roundTrip() throws {
    let scratch = Scratch()
    let path = scratch.path + "/learnt"
    var arena = Arena.taken(bytes: 2 * LearntPowers.bytes)
    var powers = LearntPowers(seed: 1, in: &arena)
    let identities = ["peer:0000BEEF", "name:Rita's \"phone\"@aa:bb:cc:dd:ee:ff", "irk:anna"].map { Text<128>($0) }
    for (index, text) in identities.enumerated() {
      powers.keep(LearntPowers.Record(try Identity(written: text.bytes), power: Decibels(-50.5 - Float(index)), visits: UInt8(index + 1)))
    }
    try LearntFile.write(LearntFile.text(powers), to: path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    let damage = ["half a line", "{\"id\":\"peer:1\"}", "{\"id\":\"peer:0000BEEF\",\"power_dbm\":900,\"visits\":1}", "{\"id\":7}"]
    let text = try String(contentsOfFile: path, encoding: .utf8) + damage.joined(separator: "\n")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var again = LearntPowers(seed: 2, in: &arena)
    let strange = try LearntFile.read(path) { again.keep($0) }
    #expect(strange == damage.count)
    #expect(again.count == identities.count)
    for (index, text) in identities.enumerated() {
      let identity = try Identity(written: text.bytes)
      #expect(again.power(of: identity, assumed: Decibels(-90))?.value == -50.5 - Float(index))
    }
  }

  @Test("a missing file counts as empty; a folder in its place is an error") func missing() throws {
    let scratch = Scratch()
    #expect(try LearntFile.read(scratch.path + "/learnt") { _ in } == 0)
    #expect(throws: FileRefusal.self) { try LearntFile.read(scratch.path) { _ in } }
  }
}
