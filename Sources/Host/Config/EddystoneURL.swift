import Core

/// Eddystone-URL: one byte for the scheme, one for each usual ending, the rest unchanged.
func eddystoneURL(_ text: String) -> [UInt8]? {
  let schemes = ["http://www.", "https://www.", "http://", "https://"]
  let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
  guard let scheme = schemes.firstIndex(where: { text.rest(after: $0) != nil }) else { return nil }
  var bytes = [UInt8(scheme)]
  var rest = Array(text.bytes.dropFirst(schemes[scheme].utf8.count))[...]
  while let first = rest.first {
    if let ending = endings.firstIndex(where: { rest.starts(with: $0.bytes) }) {
      rest = rest.dropFirst(endings[ending].utf8.count)
      let hasSlash = rest.first == UInt8(ascii: "/")
      if hasSlash { rest = rest.dropFirst() }
      bytes.append(UInt8(hasSlash ? ending : ending + endings.count))
    } else {
      guard 0x21...0x7E ~= first else { return nil }
      bytes.append(first)
      rest = rest.dropFirst()
    }
  }
  return bytes
}
