import Foundation
import Testing

@testable import Core

@Suite("What is printed of an advert is what its bytes say") struct DecodeTextTests {
  /// The members of the advert's first field.
  private func printed(_ data: String) throws -> NSDictionary {
    let packet = bytes(data)
    var fields = Fields(packet.span.bytes)
    var text = Text<1023>()
    text.openObject()
    if let field = fields.next() { text.members(of: field) }
    text.closeObject()
    return try #require(try JSONSerialization.jsonObject(with: Data(string(text).utf8)) as? NSDictionary, "\(string(text))")
  }

  private func object(_ json: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
  }

  @Test(
    "each field without a format of its own",
    arguments: [
      ("02011A", #"{"field":"flags","value":26}"#),
      ("050312180F18", #"{"field":"services","complete":true,"uuids":["1812","180f"]}"#),
      ("0502 0F180A18", #"{"field":"services","complete":false,"uuids":["180f","180a"]}"#),
      ("0905 78563412 0F1E2D3C", #"{"field":"services","complete":true,"uuids":["12345678","3c2d1e0f"]}"#),
      (
        "1106 100F0E0D0C0B0A090807060504030201",
        #"{"field":"services","complete":false,"uuids":["01020304-0506-0708-090a-0b0c0d0e0f10"]}"#
      ),
      ("0314 1218", #"{"field":"solicitations","uuids":["1812"]}"#),
      ("0409 427573", #"{"field":"name","complete":true,"text":"Bus"}"#), ("0308 426F", #"{"field":"name","complete":false,"text":"Bo"}"#),
      ("020AF4", #"{"field":"tx_power","value":-12}"#), ("0319 C103", #"{"field":"appearance","value":961}"#),
      ("0424 16 3A61", #"{"field":"uri","text":"\u0016:a"}"#), ("03F0 A1B2", #"{"field":"unknown","type":240,"data":"a1b2"}"#),
      ("0516 0F18 5A5B", #"{"field":"service_data","uuid":"180f","data":"5a5b"}"#),
      ("05FF 5900 1234", #"{"field":"manufacturer","company":89,"data":"1234"}"#),
    ])
  func plain(data: String, json: String) throws {
    #expect(try printed(data) == object(json))
  }

  @Test(
    "each of Eddystone's frames",
    arguments: [
      (
        "00E7 0102030405060708090A 0B0C0D0E0F10",
        #"{"frame":"uid","namespace":"0102030405060708090a","instance":"0b0c0d0e0f10","power_at_0m_dbm":-25}"#
      ),
      ("10EB 03 6578616D706C6507", #"{"frame":"url","url":"https://example.com","power_at_0m_dbm":-21}"#),
      (
        "2000 0BB8 1940 00010203 00040506",
        #"{"frame":"tlm","voltage_mv":3000,"temperature_c":25.25,"adverts":66051,"uptime_s":26343.0}"#
      ),
      (
        "2000 0BB8 E6C0 00010203 00040506",
        #"{"frame":"tlm","voltage_mv":3000,"temperature_c":-25.25,"adverts":66051,"uptime_s":26343.0}"#
      ),
      ("2000 0BB8 8000 00010203 00040506", #"{"frame":"tlm","voltage_mv":3000,"adverts":66051,"uptime_s":26343.0}"#),
      ("2001 A1B2C3D4", #"{"frame":"sealed-tlm","sealed":"a1b2c3d4"}"#),
      ("30EE 0123456789ABCDEF", #"{"frame":"eid","id":"0123456789abcdef","power_at_0m_dbm":-18}"#),
      ("4001 02", #"{"frame":"unknown","content":"400102"}"#),
    ])
  func eddystone(frame: String, json: String) throws {
    let data = bytes(frame)
    let field = [UInt8(data.count + 3), 0x16, 0xAA, 0xFE] + data
    let found = try printed(field.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    #expect(found["eddystone"] as? NSDictionary == (try object(json)))
  }

  @Test("an iBeacon among Apple's messages, and an AltBeacon") func beacons() throws {
    let data = "1EFF4C00 10020B1C 0215 0102030405060708090A0B0C0D0E0F10 1112 1314 C5"
    let apple = try printed(data)["apple"] as? [NSDictionary]
    #expect(apple?.count == 2 && apple?[0]["type"] as? Int == 16 && apple?[0]["data"] as? String == "0b1c")
    let beacon = try #require(apple?.last)
    #expect(beacon["type"] as? Int == 2 && beacon["uuid"] as? String == "01020304-0506-0708-090a-0b0c0d0e0f10")
    #expect(beacon["major"] as? Int == 0x1112 && beacon["minor"] as? Int == 0x1314 && beacon["measured_power_dbm"] as? Int == -59)
    let other = try printed("1BFF 1801 BEAC 0102030405060708090A0B0C0D0E0F1011121314 BE 09")
    let wanted = #"{"id":"0102030405060708090a0b0c0d0e0f1011121314","measured_power_dbm":-66}"#
    #expect(other["altbeacon"] as? NSDictionary == (try object(wanted)) && other["company"] as? Int == 0x0118)
  }
}
