package import Core

/// The measured powers that visits taught, saved for the next run: one JSON object per line, readable by the owner only.
package enum LearntFile {
  private static let mostBytes = Limits.learntPowers * 256

  /// Returns how many lines were invalid.
  package static func read(_ path: String, _ body: (LearntPowers.Record) -> Void) throws(FileRefusal) -> Int {
    let bytes: [UInt8]
    do throws(FileRefusal) {
      bytes = try File(reading: path, atMost: mostBytes).bytes
    } catch {
      guard case .missing = error.reason else { throw error }
      return 0
    }
    var strange = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      var text = Text<400>()
      for byte in line { text.append(byte: byte) }
      if let record = record(text.bytes) { body(record) } else { strange += 1 }
    }
    return strange
  }

  private static func record(_ line: RawSpan) -> LearntPowers.Record? {
    guard let object = try? JSONObject(line), let id: Text<128> = try? object.text("id"), let identity = try? Identity(written: id.bytes),
      let power = try? object.number("power_dbm", -127...40), let visits = try? object.number("visits", 1...255)
    else { return nil }
    return LearntPowers.Record(identity, power: Decibels(Float(power)), visits: UInt8(visits))
  }

  package static func text(_ powers: borrowing LearntPowers) -> [UInt8] {
    var text: [UInt8] = []
    for place in 0..<powers.count where powers[place].visits > 0 {
      var line = Text<400>()
      line.openObject()
      line.member("id", powers[place].identity)
      line.member("power_dbm", powers[place].power.value, places: 1)
      line.member("visits", Int64(powers[place].visits))
      line.closeObject()
      if line.overflowed { continue }
      for index in 0..<line.count { text.append(line[index]) }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
