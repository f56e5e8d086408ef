import Core

/// The selector that was probably meant by a text that is none. `aliases`: of the keys. It is read as every selector is, so it is right.
func selectorMeant(by text: String, aliases: [String]) -> String? {
  let bytes = trimmed(text.utf8.map { $0 })
  let body = String(decoding: bytes, as: UTF8.self)
  for alias in aliases where same(alias, body) { return "irk:" + alias }
  for candidate in candidates(bytes) {
    let written = Text<160>(candidate)
    if written.count == candidate.utf8.count, (try? Selector(written: written.bytes)) != nil { return candidate }
  }
  return nil
}

private func candidates(_ bytes: [UInt8]) -> [String] {
  let body = String(decoding: bytes, as: UTF8.self)
  if isAddress(bytes) { return ["address:" + colons(bytes)] }
  guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
    // Sixteen bytes without hyphens may be somebody's key.
    switch bytes.count {
    case 36: return ["ibeacon:" + body + ":*"]
    case 40: return ["altbeacon:" + body]
    case 8: return ["peer:" + body]
    default: return []
    }
  }
  let kind = String(decoding: bytes[..<colon].map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  var rest = trimmed(bytes[(colon + 1)...])
  let named = kindMeant(by: kind)
  // A short UUID as programs write it.
  if same(named, "service"), rest.count > 2, rest[0] == UInt8(ascii: "0"), rest[1] | 0x20 == UInt8(ascii: "x") { rest.removeFirst(2) }
  var ending = rest
  while let last = ending.last, last == UInt8(ascii: "*") || last == UInt8(ascii: ":") || last == UInt8(ascii: "@") { ending.removeLast() }
  if ending.isEmpty { return [named + ":*"] }
  let parts = [rest, colons(rest).utf8.map { $0 }, ending]
  var all: [String] = []
  for part in parts { all.append(named + ":" + String(decoding: part, as: UTF8.self)) }
  // A name that ends with a star is the beginning of one; a name with an address and a star is nothing.
  if same(named, "name"), rest.contains(UInt8(ascii: "@")) { return [] }
  for end in rest.last == UInt8(ascii: "*") ? [":*", "*@*", "@*"] : [":*", "@*", "*"] {
    all.append(named + ":" + String(decoding: ending, as: UTF8.self) + end)
  }
  return all
}

private func kindMeant(by kind: String) -> String {
  for (other, right) in [
    ("mac", "address"), ("addr", "address"), ("bdaddr", "address"), ("uuid", "ibeacon"), ("beacon", "ibeacon"), ("app", "peer"),
    ("uid", "eddystone"),
  ] where same(kind, other) { return right }
  let kinds = ["irk", "peer", "eid", "ibeacon", "altbeacon", "eddystone", "service", "name", "address"]
  return suggestion(for: kind, among: kinds) ?? kind
}

/// An address as selectors and adapters have it; anything else as it is.
func colons(_ bytes: [UInt8]) -> String {
  String(decoding: bytes.map { $0 == UInt8(ascii: "-") && isAddress(bytes) ? UInt8(ascii: ":") : $0 }, as: UTF8.self)
}
