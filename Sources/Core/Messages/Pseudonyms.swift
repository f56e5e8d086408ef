/// Names for devices that the configuration does not ask for: constant for a day at one site, different the next day, and irreversible.
///
/// The day's key is the day's number encrypted with the salt; a name is half of a CBC-MAC of the identity under that key. All inputs have
/// the same length, for which CBC-MAC is sound.
package struct Pseudonyms {
  private let cipher: Cipher
  private let salt: Block
  private var day = Int64.min
  private var key = Block(repeating: 0)

  package init(_ cipher: @escaping Cipher, salt: Block) {
    self.cipher = cipher
    self.salt = salt
  }

  @_optimize(size)
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
