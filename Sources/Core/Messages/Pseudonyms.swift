/// Names for people who are nobody's business: the same all day long at one site, another tomorrow, and no way back.
///
/// The day's key is the salt's encryption of the day's number; a name is half of a CBC-MAC over the identity under that key. All
/// messages have the same length, where CBC-MAC is sound.
package struct Pseudonyms {
  private let cipher: Cipher
  private let salt: Block
  private var day = Int64.min
  private var key = Block(repeating: 0)

  package init(_ cipher: @escaping Cipher, salt: Block) {
    self.cipher = cipher
    self.salt = salt
  }

  package mutating func name(of identity: Identity, on today: Int64) -> Text<128> {
    if today != day {
      day = today
      key = cipher(salt, Self.block { $0 < 8 ? UInt8(truncatingIfNeeded: today >> Int64($0 * 8)) : 0 })
    }
    var mac = cipher(key, Self.block { $0 == 0 ? identity.kind.rawValue : $0 == 1 ? identity.length : 0 })
    for start in stride(from: 0, to: Identity.mostBytes, by: 16) {
      mac = cipher(key, mac ^ Self.block { start + $0 < Int(identity.length) ? identity.bytes[start + $0] : 0 })
    }
    var text = Text<128>("hash:")
    for index in 0..<8 { text.append(hex: mac[index]) }
    return text
  }

  private static func block(_ byte: (Int) -> UInt8) -> Block {
    var block = Block(repeating: 0)
    for index in 0..<16 { block[index] = byte(index) }
    return block
  }
}
