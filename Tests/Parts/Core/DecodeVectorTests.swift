import Core
import Foundation
import Testing

/// A line of Tests/Decoding/vectors.jsonl: bytes from others' test suites, and what their parsers make of them.
struct Vector: Sendable, CustomTestStringConvertible {
  let name: String
  let source: String
  let kind: String
  let bytes: [UInt8]
  private let line: String

  static let folder = URL(filePath: #filePath).appending(path: "../../../Decoding").standardizedFileURL
  static let all: [Vector] = try! String(contentsOf: folder.appendingPathComponent("vectors.jsonl"), encoding: .utf8)
    .split(separator: "\n").map { Vector(String($0)) }
  static let events = all.filter { $0.kind == "hci_event" }

  private init(_ line: String) {
    self.line = line
    let object = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
    name = object["test"] as! String
    source = object["source"] as! String
    kind = object["kind"] as! String
    bytes = CoreTests.bytes(object["hex"] as! String)
  }

  var expected: [String: Any] {
    let object = try! JSONSerialization.jsonObject(with: Data(line.utf8)) as! [String: Any]
    let expected = object["expected"] as! [String: Any]
    return Dictionary(uniqueKeysWithValues: expected.map { ($0.key.replacingOccurrences(of: "sensor_msg.", with: ""), $0.value) })
  }

  var testDescription: String { "\(name) \(hex(bytes.span.bytes).prefix(60))" }
}

/// What others call by another name than bthome.io.
private let names = [
  "pm2.5": "pm2_5", "garage door": "garage_door", "moisture detected": "moisture_detected", "distance": "distance_m",
  "uv index": "uv_index",
  "volume mL": "volume_ml", "volume flow rate": "volume_flow_rate",
]
/// Said of the packet, not of what it measures; and what comes as a word there.
private let notMeasured = ["rssi", "mac", "type", "firmware", "packet", "button"]

@Suite("What others have recorded") struct DecodeVectorTests {
  @Test("every recorded event is one report from its address, at its level", arguments: Vector.events)
  func events(vector: Vector) throws {
    let heard = try reports(vector.bytes)
    #expect(heard.count == 1)
    if let level = vector.expected["rssi"] as? Int { #expect(heard.first.map { Int($0.level) } == level) }
    // The Govee H5178's second sensor has no radio: that parser makes an address up for it.
    if let address = vector.expected["mac"] as? String, vector.name != "test_Govee_H5178_sensor_1" {
      #expect(heard.first?.address.replacingOccurrences(of: ":", with: "").uppercased() == address)
    }
  }

  @Test(
    "BTHome's measurements are those that Home Assistant's parser reads",
    arguments: Vector.events.filter { $0.source.contains("bthome_v2") })
  func bthome(vector: Vector) throws {
    let isEncrypted = vector.expected["_needs_key"] != nil
    var found: [String: Double] = [:]
    try forEachReport(in: vector.bytes) { report in
      var fields = Fields(report.data)
      while let field = fields.next() {
        guard case .serviceData(BTHome.service, let data) = field, var measurements = BTHome(data) else { continue }
        #expect(measurements.isEncrypted == isEncrypted)
        while let measurement = measurements.next() {
          let decimals = (0..<measurement.object.decimals).reduce(1.0) { scale, _ in scale * 10 }
          found["\(measurement.object.name)"] = Double(measurement.value) / decimals
        }
        #expect(measurements.damage == nil)
      }
    }
    guard !isEncrypted else { return #expect(found.isEmpty) }
    for (key, value) in vector.expected where !notMeasured.contains(key) {
      let value = try #require(value as? Double, "\(key)")
      #expect(abs(try #require(found[names[key] ?? key], "\(key)") - value) < 0.0005, "\(key)")
    }
  }

  @Test("AltBeacons, iBeacons and Eddystones decode as other libraries decode them")
  func beacons() throws {
    var beacons = 0
    for vector in Vector.all {
      let expected = vector.expected
      let data = vector.kind == "hci_event" ? bytes(try reports(vector.bytes)[0].data) : vector.bytes
      let said = Said(data)
      if let uuid = expected["uuid"] as? String, let major = expected["major"] as? Int {
        beacons += 1
        let id = try #require(said.identity).filter { $0 != "-" }
        #expect(id.contains(uuid.filter { $0 != "-" }), "\(vector.testDescription)")
        let isAltBeacon = id.hasPrefix("altbeacon")
        #expect(isAltBeacon ? id.contains(String(format: "%04x", major)) : id.contains(":\(major):"))
        let power = expected["measured power"] as? Int ?? expected["tx_power"] as? Int
        #expect(said.measured.map(Int.init) == power)
      }
      if let voltage = expected["voltage"] as? Int, expected["class"] as? String == "EddystoneTLMFrame" {
        beacons += 1
        #expect(said.attributes.voltage.map(Int.init) == voltage)
        #expect(said.attributes.adverts.map(Int.init) == expected["advertising_count"] as? Int)
        if let temperature = expected["temperature"] as? Int { #expect(said.attributes.temperature == Int16(temperature * 100)) }
      }
      if let eid = expected["eid"] as? String {
        beacons += 1
        #expect(ephemeral(data) == UInt64(eid, radix: 16))
      }
    }
    #expect(beacons == 6)
  }

  @Test(
    "Radius Networks' own cases",
    arguments: [
      ("testDetectsDaveMHardwareBeacon", "altbeacon:2f234454cf6d4a0fadf2f4911ba9ffa600050003"), ("testDetectsAlternateBeconType", nil),
      ("testParseWrongFormatReturnsNothing", nil), ("testParseManufacturerIdentifierThatRunsOverPduLength", nil),
      ("testParseProblematicBeaconFromIssue229", "altbeacon:7777772e626c756b692e636f6d00010001000 1ab".filter { $0 != " " }),
      ("doesNotCashWithOverflowingByteCodeComparisonOnPdu", nil), ("doesNotCrashOnMalformedEddystoneBeacon", nil),
      ("testCanParsePdusFromAltBeacon", "altbeacon:2f234454cf6d4a0fadf2f4911ba9ffa600010002"),
      ("testCanParsePdusFromOtherBeacon", "eddystone:2f234454f4911ba9ffa6:000000000001"),
    ] as [(String, String?)])
  func altBeacon(name: String, identity: String?) throws {
    let vector = try #require(Vector.all.first { $0.name == name })
    #expect(
      Said(vector.bytes).identity == identity ?? Said([]).identity || (identity == nil && Said(vector.bytes).identity!.hasPrefix("name:")))
  }

  @Test("every prefix of every vector is refused or decoded, and its damage counted") func prefixes() throws {
    for vector in Vector.all {
      for length in 0..<vector.bytes.count {
        let prefix = Array(vector.bytes[..<length])
        if vector.kind == "hci_event" {
          #expect(throws: Malformed.truncated) { try reports(prefix) }
        } else {
          _ = Said(prefix, services: [DecodeIdentityTests.pocket])
          _ = describe(prefix)
        }
      }
    }
  }

  @Test("every prefix of every advert's data in a whole event is decoded, or its damage counted") func prefixesOfData() throws {
    for vector in Vector.events {
      let data = bytes(try reports(vector.bytes)[0].data)
      for length in 0..<data.count {
        let prefix = Array(data[..<length])
        #expect(try reports(advert(prefix))[0].data == hex(prefix.span.bytes))
        // Whole fields only, or the cut is told.
        let fields = describe(prefix)
        let ends = Self.fieldEnds(data)
        #expect(fields.damage == nil || fields.damage == .impossible || !ends.contains(length))
        #expect(ends.contains(length) || fields.damage == .truncated)
      }
    }
  }

  /// Where one field ends and the next begins.
  private static func fieldEnds(_ data: [UInt8]) -> Set<Int> {
    var ends: Set<Int> = [0]
    var place = 0
    while place < data.count, data[place] > 0 {
      place += 1 + Int(data[place])
      ends.insert(place)
    }
    if place < data.count { ends.formUnion(place...data.count) }
    return ends
  }

  private func ephemeral(_ data: [UInt8]) -> UInt64? {
    let loan = Loan()
    var arena = loan.arena
    let watched = WatchedServices(ServiceList(filledWith: ServiceUUID()), in: &arena)
    let span = data.span
    return watched.recognise(span.bytes).ephemeral
  }
}
