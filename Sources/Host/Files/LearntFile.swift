package import Core

/// What visits taught of transmitters and receivers, saved for the next run: one JSON object per line, readable by the owner only.
package enum LearntFile {
  private static let mostBytes = (Limits.learntPowers + SitePlan.mostRecords + UnplacedSite.mostRecords) * 256

  package enum Record {
    case power(LearntPowers.Record)
    case receiver(ReceiverRecord)
    case place(PlaceRecord)
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
    if object.has("id") { return power(object) }
    return object.has("place") ? place(object) : receiver(object)
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

  private static func place(_ object: borrowing JSONObject) -> Record? {
    var record = PlaceRecord()
    guard let place: Text<32> = try? object.text("place"), let receiver: Text<32> = try? object.text("heard_by"),
      let visits = try? object.number("visits", 1...65_535), let loss = try? object.number("loss_db", 0...60),
      let doubt = try? object.number("doubt_db", 0...60)
    else { return nil }
    (record.place, record.receiver, record.visits) = (place, receiver, UInt16(visits))
    (record.loss, record.doubt) = (Decibels(Float(loss)), Decibels(Float(doubt)))
    // Of our own gateway: which of its radios.
    if let radio = try? object.number("place_radio", 0...3) { record.placeRadio = Int8(radio) }
    if let radio = try? object.number("heard_by_radio", 0...3) { record.receiverRadio = Int8(radio) }
    return .place(record)
  }

  package static func text(_ powers: borrowing LearntPowers, _ plan: borrowing SitePlan, _ site: borrowing UnplacedSite) -> [UInt8] {
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
    site.forEachRecord { append(line($0), to: &text) }
    return text
  }

  private static func line(_ record: PlaceRecord) -> Text<400> {
    var line = Text<400>()
    line.openObject()
    line.member("place", text: record.place.bytes)
    if record.placeRadio >= 0 { line.member("place_radio", Int64(record.placeRadio)) }
    line.member("heard_by", text: record.receiver.bytes)
    if record.receiverRadio >= 0 { line.member("heard_by_radio", Int64(record.receiverRadio)) }
    line.member("loss_db", record.loss.value, places: 1)
    line.member("doubt_db", record.doubt.value, places: 1)
    line.member("visits", Int64(record.visits))
    line.closeObject()
    return line
  }

  private static func append(_ line: Text<400>, to text: inout [UInt8]) {
    if line.overflowed { return }
    for index in 0..<line.count { text.append(line[index]) }
    text.append(UInt8(ascii: "\n"))
  }
}
