package import Core

/// What visits taught of transmitters and receivers, saved for the next run: one JSON object per line, readable by the owner only.
package enum LearntFile {
  private static let mostBytes = (Limits.learntPowers + SitePlan.mostRecords) * 256

  package enum Record {
    case power(LearntPowers.Record)
    case receiver(ReceiverRecord)
  }

  /// Returns how many lines were invalid.
  package static func read(_ path: String, _ body: (Record) -> Void) throws(FileRefusal) -> Int {
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

  private static func record(_ line: RawSpan) -> Record? {
    guard let object = try? JSONObject(line) else { return nil }
    return object.has("id") ? power(object) : receiver(object)
  }

  private static func power(_ object: borrowing JSONObject) -> Record? {
    guard let id: Text<128> = try? object.text("id"), let identity = try? Identity(written: id.bytes),
      let power = try? object.number("power_dbm", -127...40), let visits = try? object.number("visits", 1...255)
    else { return nil }
    return .power(LearntPowers.Record(identity, power: Decibels(Float(power)), visits: UInt8(visits)))
  }

  private static func receiver(_ object: borrowing JSONObject) -> Record? {
    var record = ReceiverRecord()
    guard let gateway: Text<32> = try? object.text("gateway"), let visits = try? object.number("visits", 1...65_535),
      let x = try? object.number("x_m", -10_000...10_000), let y = try? object.number("y_m", -10_000...10_000),
      let offset = try? object.number("offset_db", -60...60), let doubt = try? object.number("doubt_db", 0...60)
    else { return nil }
    (record.gateway, record.point, record.visits) = (gateway, PlanPoint(x: Float(x), y: Float(y)), UInt16(visits))
    (record.offset, record.doubt) = (Decibels(Float(offset)), Decibels(Float(doubt)))
    return .receiver(record)
  }

  package static func text(_ powers: borrowing LearntPowers, _ plan: borrowing SitePlan) -> [UInt8] {
    var text: [UInt8] = []
    for place in 0..<powers.count where powers[place].visits > 0 {
      var line = Text<400>()
      line.openObject()
      line.member("id", powers[place].identity)
      line.member("power_dbm", powers[place].power.value, places: 1)
      line.member("visits", Int64(powers[place].visits))
      line.closeObject()
      append(line, to: &text)
    }
    let receivers = plan.records
    for index in receivers.indices where receivers[index].visits > 0 {
      let record = receivers[index]
      var line = Text<400>()
      line.openObject()
      line.member("gateway", text: record.gateway.bytes)
      line.member("x_m", record.point.x, places: 2)
      line.member("y_m", record.point.y, places: 2)
      line.member("offset_db", record.offset.value, places: 1)
      line.member("doubt_db", record.doubt.value, places: 1)
      line.member("visits", Int64(record.visits))
      line.closeObject()
      append(line, to: &text)
    }
    return text
  }

  private static func append(_ line: Text<400>, to text: inout [UInt8]) {
    if line.overflowed { return }
    for index in 0..<line.count { text.append(line[index]) }
    text.append(UInt8(ascii: "\n"))
  }
}
