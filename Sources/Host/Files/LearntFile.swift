package import Core

/// What visits taught of transmitters and receivers, saved for the next run: one JSON object per line, readable by the owner only.
package enum LearntFile {
  /// Beside the outbox.
  package static var name: String { "learnt-powers.jsonl" }
  private static let mostBytes = Limits.learntPowers * 256 + (SitePlan.mostRecords + UnplacedSite.mostRecords) * 512

  package enum Record {
    case power(LearntPowers.Record)
    case receiver(ReceiverRecord)
    case place(PlaceRecord)
  }

  private enum Line {
    case record(Record)
    /// About a radio that we no longer have.
    case obsolete
    case strange
  }

  /// `radios` names ours. Returns how many lines were invalid.
  @export(interface) package static func read(
    _ path: String, radios: [Name] = [RadioSettings().name], _ body: (Record) -> Void
  ) throws(FileRefusal) -> Int {
    var strange = 0
    try JSONLines.read(path, atMost: mostBytes) { line in
      switch Self.line(line, radios) {
      case .record(let record): body(record)
      case .obsolete: break
      case .strange: strange += 1
      }
    }
    return strange
  }

  private static func line(_ line: RawSpan, _ radios: [Name]) -> Line {
    guard let object = try? JSONObject(line) else { return .strange }
    if object.has("id") { return power(object).map { .record($0) } ?? .strange }
    guard object.has("place") else { return receiver(object, radios).map { .record($0) } ?? .strange }
    guard let record = place(object) else { return .strange }
    guard let place = radio(object, "place_radio", radios), let receiver = radio(object, "heard_by_radio", radios) else { return .obsolete }
    var whole = record
    (whole.placeRadio, whole.receiverRadio) = (place, receiver)
    return .record(.place(whole))
  }

  /// Which of our radios a record is about, -1 for a neighbour's; nil: none that we have. By its name: its number is only its place in the
  /// configuration. Of a single radio all is its own, also under another name, or under the number that older files have.
  private static func radio(_ object: borrowing JSONObject, _ key: StaticString, _ radios: [Name]) -> Int8? {
    guard object.has(key) else { return -1 }
    if radios.count <= 1 { return 0 }
    guard let name: Name = try? object.text(key) else { return nil }
    return radios.firstIndex { $0 == name }.map { Int8($0) }
  }

  private static func power(_ object: borrowing JSONObject) -> Record? {
    guard let id: Text<128> = try? object.text("id"), let identity = try? Identity(written: id.bytes),
      let power = try? object.number("power_dbm", -127...40), let visits = try? object.number("visits", 1...255)
    else { return nil }
    return .power(LearntPowers.Record(identity, power: Decibels(Float(power)), visits: UInt8(visits)))
  }

  private static func receiver(_ object: borrowing JSONObject, _ radios: [Name]) -> Record? {
    var record = ReceiverRecord()
    guard let gateway: Text<32> = try? object.text("gateway"), let visits = try? object.number("visits", 1...65_535),
      let x = try? object.number("x_m", -10_000...10_000), let y = try? object.number("y_m", -10_000...10_000),
      let offset = try? object.number("offset_db", -60...60), let doubt = try? object.number("doubt_db", 0...60)
    else { return nil }
    (record.gateway, record.point, record.visits) = (gateway, PlanPoint(x: Float(x), y: Float(y)), UInt16(visits))
    (record.offset, record.doubt) = (Decibels(Float(offset)), Decibels(Float(doubt)))
    record.setting = (try? object.number("receive_offset_db", -40...40)).flatMap { $0 }.map { Decibels(Float($0)) }
    // One of another name stands where it stood: the place says enough.
    record.radio = radio(object, "radio", radios) ?? -1
    return .receiver(record)
  }

  private static func place(_ object: borrowing JSONObject) -> PlaceRecord? {
    var record = PlaceRecord()
    guard let place: Text<32> = try? object.text("place"), let receiver: Text<32> = try? object.text("heard_by"),
      let visits = try? object.number("visits", 1...65_535), let loss = try? object.number("loss_db", 0...60),
      let doubt = try? object.number("doubt_db", 0...60)
    else { return nil }
    (record.place, record.receiver, record.visits) = (place, receiver, UInt16(visits))
    (record.loss, record.doubt) = (Decibels(Float(loss)), Decibels(Float(doubt)))
    record.setting = (try? object.number("offset_db", -80...80)).flatMap { $0 }.map { Decibels(Float($0)) }
    return record
  }

  package static func text(
    _ powers: borrowing LearntPowers, _ plan: borrowing SitePlan, _ site: borrowing UnplacedSite, radios: [Name] = [RadioSettings().name]
  ) -> [UInt8] {
    var text: [UInt8] = []
    for place in 0..<powers.count where powers[place].visits > 0 {
      var line = Text<512>()
      line.openObject()
      line.member("id", powers[place].identity)
      line.member("power_dbm", powers[place].power.value, places: 1)
      line.member("visits", Int64(powers[place].visits))
      line.closeObject()
      JSONLines.append(line, to: &text)
    }
    let receivers = plan.records
    for index in receivers.indices where receivers[index].visits > 0 {
      let record = receivers[index]
      var line = Text<512>()
      line.openObject()
      line.member("gateway", text: record.gateway.bytes)
      member("radio", record.radio, radios, of: &line)
      line.member("x_m", record.point.x, places: 2)
      line.member("y_m", record.point.y, places: 2)
      line.member("offset_db", record.offset.value, places: 1)
      line.member("doubt_db", record.doubt.value, places: 1)
      line.member("visits", Int64(record.visits))
      if let setting = record.setting { line.member("receive_offset_db", setting.value, places: 1) }
      line.closeObject()
      JSONLines.append(line, to: &text)
    }
    site.forEachRecord { JSONLines.append(line($0, radios), to: &text) }
    return text
  }

  private static func member(_ key: StaticString, _ radio: Int8, _ radios: [Name], of line: inout Text<512>) {
    if radios.indices.contains(Int(radio)) { line.member(key, text: radios[Int(radio)].bytes) }
  }

  private static func line(_ record: PlaceRecord, _ radios: [Name]) -> Text<512> {
    var line = Text<512>()
    line.openObject()
    line.member("place", text: record.place.bytes)
    member("place_radio", record.placeRadio, radios, of: &line)
    line.member("heard_by", text: record.receiver.bytes)
    member("heard_by_radio", record.receiverRadio, radios, of: &line)
    if let setting = record.setting { line.member("offset_db", setting.value, places: 1) }
    line.member("loss_db", record.loss.value, places: 1)
    line.member("doubt_db", record.doubt.value, places: 1)
    line.member("visits", Int64(record.visits))
    line.closeObject()
    return line
  }
}

extension Settings {
  /// In their order; without any in the configuration, that of the one which is assumed.
  package var radioNames: [Name] {
    var names: [Name] = []
    for index in radios.indices { names.append(radios[index].name) }
    return names.isEmpty ? [RadioSettings().name] : names
  }
}
