import Testing

@testable import Core

@Suite("BTHome's table") struct BTHomeTests {
  /// bthome.io/format, version 2: the id, our name, its bytes (s: signed; 0: a length precedes them), its decimals, its factor.
  private static let table = """
    00 packet_id 1 0; 01 battery 1 0; 02 temperature 2s 2; 03 humidity 2 2; 04 pressure 3 2; 05 illuminance 3 2; 06 mass_kg 2 2;
    07 mass_lb 2 2; 08 dew_point 2s 2; 09 count 1 0; 0a energy 3 3; 0b power 3 2; 0c voltage 2 3; 0d pm2_5 2 0; 0e pm10 2 0;
    0f state 1 0; 10 power_on 1 0; 11 opening 1 0; 12 co2 2 0; 13 tvoc 2 0; 14 moisture 2 2; 15 battery_low 1 0; 16 battery_charging 1 0;
    17 carbon_monoxide 1 0; 18 cold 1 0; 19 connectivity 1 0; 1a door 1 0; 1b garage_door 1 0; 1c gas_detected 1 0; 1d heat 1 0;
    1e light 1 0; 1f lock 1 0; 20 moisture_detected 1 0; 21 motion 1 0; 22 moving 1 0; 23 occupancy 1 0; 24 plug 1 0; 25 presence 1 0;
    26 problem 1 0; 27 running 1 0; 28 safety 1 0; 29 smoke 1 0; 2a sound 1 0; 2b tamper 1 0; 2c vibration 1 0; 2d window 1 0;
    2e humidity 1 0; 2f moisture 1 0; 3a button 1 0; 3c dimmer 2 0; 3d count 2 0; 3e count 4 0; 3f rotation 2s 1; 40 distance_mm 2 0;
    41 distance_m 2 1; 42 duration 3 3; 43 current 2 3; 44 speed 2 2; 45 temperature 2s 1; 46 uv_index 1 1; 47 volume_l 2 1;
    48 volume_ml 2 0; 49 volume_flow_rate 2 3; 4a voltage 2 1; 4b gas 3 3; 4c gas 4 3; 4d energy 4 3; 4e volume_l 4 3; 4f water 4 3;
    50 timestamp 4 0; 51 acceleration 2 3; 52 gyroscope 2 3; 53 text 0 0; 54 raw 0 0; 55 volume_storage 4 3; 56 conductivity 2 0;
    57 temperature 1s 0; 58 temperature 1s 2 x35; 59 count 1s 0; 5a count 2s 0; 5b count 4s 0; 5c power 4s 2; 5d current 2s 3;
    5e direction 2 2; 5f precipitation 2 1; 60 channel 1 0; 61 rotational_speed 2 0; 62 speed 4s 6; 63 acceleration 4s 6;
    64 light_level 1 0; f0 device_type 2 0; f1 firmware_version 4 0; f2 firmware_version 3 0
    """

  @Test("each object is read as the format says, and no other is") func objects() throws {
    var wanted: [UInt8: String] = [:]
    for row in Self.table.split(whereSeparator: { ";\n".contains($0) }) {
      let words = row.split(separator: " ")
      wanted[try #require(UInt8(words[0], radix: 16))] = words.joined(separator: " ")
    }
    for id in UInt8.min ... .max {
      let object = BTHomeObject(id)
      #expect((object == nil) == (wanted[id] == nil), "\(id)")
      guard let object else { continue }
      let factor = object.factor > 1 ? " x\(object.factor)" : ""
      let hex = (id < 16 ? "0" : "") + String(id, radix: 16)
      #expect("\(hex) \(object.name) \(object.bytes)\(object.isSigned ? "s" : "") \(object.decimals)\(factor)" == wanted[id])
      guard object.bytes > 0 else { continue }
      // All ones: minus one, or the most that so many bytes hold. And one in the lowest byte.
      for (byte, one) in [(UInt8(0xFF), object.isSigned ? -1 : 1 << (8 * Int64(object.bytes)) - 1), (0, 1)] as [(UInt8, Int64)] {
        let data = [0x40, id, byte == 0 ? 1 : byte] + [UInt8](repeating: byte, count: Int(object.bytes) - 1)
        let span = data.span
        var measurements = BTHome(span.bytes)!
        guard let measurement = measurements.next() else {
          Issue.record("\(id)")
          continue
        }
        #expect(measurement.value == one * Int64(object.factor) && measurement.isNumber, "\(id)")
      }
    }
  }

  @Test("an advert of version 2 may measure nothing; any other version, and nothing at all, is another's") func versions() {
    for (data, isOurs) in [([], false), ([0x40], true), ([0x41], true), ([0x20], false), ([0x60], false)] as [([UInt8], Bool)] {
      let span = data.span
      var measurements = BTHome(span.bytes)
      #expect((measurements != nil) == isOurs, "\(data)")
      #expect(measurements?.next() == nil && measurements?.damage == nil, "\(data)")
    }
  }

  @Test("battery, temperature and voltage are the sender's attributes, in hundredths of a degree and millivolts") func attributes() {
    for (object, battery, temperature, voltage) in [
      ("01 5D", 93, nil, nil), ("02 CA09", nil, 2_506, nil), ("45 1101", nil, 2_730, nil), ("57 EA", nil, -2_200, nil),
      ("58 EA", nil, -770, nil), ("0C 020C", nil, nil, 3_074), ("4A 020C", nil, nil, 65_535), ("4A 2100", nil, nil, 3_300),
      ("03 BF13", nil, nil, nil),
    ] as [(String, UInt8?, Int16?, UInt16?)] {
      let data = bytes("D2FC 40" + object)
      let told = Said([UInt8(data.count + 1), 0x16] + data).attributes
      #expect(told.battery == battery && told.temperature == temperature && told.voltage == voltage, "\(object): \(told)")
    }
  }
}
