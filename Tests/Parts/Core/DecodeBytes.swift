import Core

/// `043E0C…`, spaces allowed.
func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.utf8.filter { $0 != UInt8(ascii: " ") }.map { UInt8(String(UnicodeScalar($0)), radix: 16)! }
  precondition(digits.count % 2 == 0, "a byte is two digits")
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ span: RawSpan) -> String {
  var text = ""
  for index in 0..<span.byteCount {
    text += String(span[index] >> 4, radix: 16) + String(span[index] & 15, radix: 16)
  }
  return text
}

func string<let capacity: Int>(_ text: Text<capacity>) -> String {
  String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
}

func written(_ identity: Identity) -> String {
  var text = Text<128>()
  text.append(identity)
  return string(text)
}

func written(_ address: Address) -> String { String(written(Identity(.address, address)).dropFirst("address:".count)) }

/// An address as people write it, random by default.
func address(_ text: String, type: UInt8 = 1) -> Address {
  Address(text.split(separator: ":").reduce(0) { $0 << 8 | UInt64($1, radix: 16)! }, type: type)
}

/// One legacy advert, or scan response, as an HCI event.
func advert(_ data: [UInt8], from sender: Address = address("C1:22:33:44:55:66"), at level: Int8 = -60, event: UInt8 = 0) -> [UInt8] {
  let address = (0..<6).map { sender.written(5 - $0) }
  let report = [event, sender.kind.rawValue] + address + [UInt8(data.count)] + data + [UInt8(bitPattern: level)]
  return [4, 0x3E, UInt8(report.count + 2), 0x02, 1] + report
}

/// One extended report as an HCI event.
func extended(
  _ data: [UInt8], from sender: Address = address("C1:22:33:44:55:66"), at level: Int8 = -60, event: UInt16 = 0, set: UInt8 = 1,
  power: Int8 = 127
) -> [UInt8] {
  let address = (0..<6).map { sender.written(5 - $0) }
  let head: [UInt8] = [UInt8(event & 0xFF), UInt8(event >> 8), sender.kind == .anonymous ? 0xFF : sender.kind.rawValue] + address
  let rest: [UInt8] = [1, 1, set, UInt8(bitPattern: power), UInt8(bitPattern: level), 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)]
  return [4, 0x3E, UInt8(2 + head.count + rest.count + data.count), 0x0D, 1] + head + rest + data
}

/// Calls `body` with every report of an event.
func forEachReport(in packet: [UInt8], _ body: (borrowing Report) throws -> Void) throws {
  let span = packet.span
  guard case .reports(var reports) = try HCIEvent(span.bytes) else { return }
  while let report = try reports.next() { try body(report) }
}
