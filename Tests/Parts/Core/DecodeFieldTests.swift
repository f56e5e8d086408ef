import Core
import Testing

/// A field's parts, to compare.
func describe(_ data: [UInt8]) -> (fields: [String], damage: Malformed?) {
  let span = data.span
  var fields = Fields(span.bytes)
  var found: [String] = []
  while let field = fields.next() { found.append(describe(field)) }
  return (found, fields.damage)
}

private func describe(_ field: borrowing Field) -> String {
  switch field {
  case .flags(let value): return "flags \(value)"
  case .services(var list): return "services\(list.isComplete ? "" : " among others") \(describe(&list))"
  case .solicitations(var list): return "solicitations \(describe(&list))"
  case .name(let text, let isComplete): return "name\(isComplete ? "" : " short") \(hex(text))"
  case .txPower(let level): return "power \(level)"
  case .serviceData(let uuid, let data): return "data of \(describe(uuid)) \(hex(data))"
  case .manufacturer(let company, let data): return "manufacturer \(company) \(hex(data))"
  case .appearance(let value): return "appearance \(value)"
  case .uri(let text): return "uri \(hex(text))"
  case .unknown(let type, let data): return "unknown \(type) \(hex(data))"
  }
}

private func describe(_ list: inout UUIDList) -> String {
  var all: [String] = []
  while let uuid = list.next() { all.append(describe(uuid)) }
  return all.joined(separator: " ")
}

private func describe(_ uuid: ServiceUUID) -> String {
  let base = ServiceUUID(short: 0)
  if uuid.low == base.low && uuid.high & 0xFFFF_FFFF == base.high { return String(uuid.high >> 32, radix: 16) }
  return (0..<16).map { String(uuid.byte($0) >> 4, radix: 16) + String(uuid.byte($0) & 15, radix: 16) }.joined()
}

@Suite("Fields of an advert") struct DecodeFieldTests {
  @Test("each kind of field is decoded, with its bytes")
  func kinds() {
    let (fields, damage) = describe(
      bytes(
        "020106 05030AFEAAFE 0302D2FC 0504785634 12" + "1107A6FFA91B91F4F2AD0F4A6DCF5444232F" + "0308426F 0409427573 020AF4 0416AAFE10"
          + "0620785634120A" + "12210102030405060708090A0B0C0D0E0F10FF" + "05FF4C001005 03190403 0324163A 0314AFFE 021B00"
      ).filter { _ in true })
    #expect(
      fields == [
        "flags 6", "services fe0a feaa", "services among others fcd2", "services among others 12345678",
        "services 2f234454cf6d4a0fadf2f4911ba9ffa6", "name short 426f", "name 427573", "power -12", "data of feaa 10",
        "data of 12345678 0a", "data of 100f0e0d0c0b0a090807060504030201 ff", "manufacturer 76 1005", "appearance 772", "uri 163a",
        "solicitations feaf", "unknown 27 00",
      ])
    #expect(damage == nil)
  }

  @Test("several fields of one type in one advert are several fields") func several() {
    #expect(describe(bytes("03FF4C00 03FF5900 03FF4C00")).fields == ["manufacturer 76 ", "manufacturer 89 ", "manufacturer 76 "])
  }

  @Test("a zero length ends the fields; what follows is padding") func padding() {
    let (fields, damage) = describe(bytes("020106 00 FFFFFF"))
    #expect(fields == ["flags 6"] && damage == nil)
  }

  @Test("a field longer than the advert ends it and is counted; the fields before it are kept") func overrun() {
    let (fields, damage) = describe(bytes("020106 0909427573"))
    #expect(fields == ["flags 6"] && damage == .truncated)
  }

  @Test(
    "a field that its type does not allow is passed on as bytes, and counted",
    arguments: [
      ("0101", "unknown 1 "), ("030A0102", "unknown 10 0102"), ("0216AA", "unknown 22 aa"), ("02FF4C", "unknown 255 4c"),
      ("0403AAFE0A", "unknown 3 aafe0a"), ("021904", "unknown 25 04"),
    ])
  func impossible(text: String, field: String) {
    let (fields, damage) = describe(bytes(text + "020106"))
    #expect(fields == [field, "flags 6"] && damage == .impossible)
  }

  @Test("no bytes give no fields") func nothing() {
    let (fields, damage) = describe([])
    #expect(fields.isEmpty && damage == nil)
  }

  @Test("Apple's messages have their common names, and no others")
  func apple() {
    var names: [String] = []
    for kind in UInt8.min ... .max {
      // An overflow area takes all that is left; the others say how much is theirs.
      let data = kind == 1 ? [kind] + [UInt8](repeating: 0, count: 16) : [kind, 0]
      var messages = AppleMessages(data.span.bytes)
      if let name = messages.next()?.name { names.append("\(kind) \(name)") }
    }
    #expect(
      names == [
        "1 overflow", "2 ibeacon", "3 airprint", "5 airdrop", "6 homekit", "7 proximity-pairing", "8 hey-siri", "9 airplay-target",
        "10 airplay-source", "11 magic-switch", "12 handoff", "13 tethering-target", "14 tethering-source", "15 nearby-action",
        "16 nearby-info", "18 find-my",
      ])
  }

  @Test("a character is one where Unicode says so") func characters() {
    var wrong: [[UInt8]] = []
    for first in UInt8.min ... .max {
      for second in UInt8.min ... .max {
        for rest in [[], [0x7F], [0x80], [0xBF], [0xC0], [0x80, 0x80], [0xBF, 0xBF], [0x80, 0xC0]] as [[UInt8]] {
          let data = [first, second] + rest
          let length = (1...data.count).first { String(validating: data.prefix($0), as: UTF8.self)?.unicodeScalars.count == 1 } ?? 0
          if data.span.bytes.characterLength(at: 0) != length { wrong.append(data) }
        }
      }
    }
    #expect(wrong.isEmpty)
  }
}
