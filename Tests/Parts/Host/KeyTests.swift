import Core
import Host
import Testing

private func block(_ hex: String) -> Block {
  var block = Block(repeating: 0)
  for index in 0..<16 {
    let start = hex.index(hex.startIndex, offsetBy: index * 2)
    block[index] = UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
  }
  return block
}

/// Keys in lent memory, with libcrypto's AES.
private final class Keyring {
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: IdentityKeys.bytes + 64, alignment: 64)
  private var keys: IdentityKeys

  init(_ all: [KeySettings]) {
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    var list = KeyList(filledWith: KeySettings())
    for key in all { _ = list.append(key) }
    keys = IdentityKeys(list, cipher: aes128(), in: &arena)
  }

  deinit { memory.deallocate() }

  func resolve(_ address: Address) -> String? { keys.resolve(address).map { written(keys.identity(ofResolver: $0)) } }
  func resolve(ephemeral: UInt64, at time: Int64?) -> String? { keys.resolve(ephemeral: ephemeral, unixTime: time).map(written) }

  private func written(_ identity: Identity) -> String {
    var text = Text<128>()
    text.append(identity)
    return String(text)
  }
}

private func irk(_ alias: StaticString, _ hex: String) -> KeySettings {
  var key = KeySettings()
  key.alias = Name(alias)
  key.key = block(hex)
  return key
}

@Suite("Keys") struct KeyTests {
  @Test("AES-128 gives the vector of FIPS 197, appendix C.1") func aes() {
    let cipher = aes128()
    let enciphered = cipher(block("000102030405060708090a0b0c0d0e0f"), block("00112233445566778899aabbccddeeff"))
    #expect(enciphered == block("69c4e0d86a7b0430d8cdb78070b4c55a"))
    #expect(cipher(block("000102030405060708090a0b0c0d0e0f"), block("00112233445566778899aabbccddeeff")) == enciphered)
  }

  /// Core 6.0, Vol 3, Part H, D.7: this key makes of 708194 the hash 0dfbaa.
  @Test("a resolvable address is resolved by its key and by no other") func resolvable() {
    let keys = Keyring([irk("other", "00000000000000000000000000000001"), irk("phone", "ec0234a357c8ad05341010a60a397d9b")])
    #expect(keys.resolve(Address(0x7081_940D_FBAA, type: 1)) == "irk:phone")
    #expect(keys.resolve(Address(0x7081_940D_FBAB, type: 1)) == nil)
    #expect(keys.resolve(Address(0x7081_950D_FBAA, type: 1)) == nil)
    // A public address that looks the same is none of ours.
    #expect(keys.resolve(Address(0x7081_940D_FBAA, type: 0)) == nil)
  }

  /// Computed with `openssl enc -aes-128-ecb` by the steps of eid-computation.md, the beacon's clock at 123,456 s.
  @Test("an ephemeral identifier is resolved around its time only") func ephemeral() throws {
    var key = irk("beacon", "000102030405060708090a0b0c0d0e0f")
    key.kind = .eid(exponent: 10, clock: 1_700_000_000)
    let keys = Keyring([key])
    let now: Int64 = 1_700_000_000 + 123_456
    for (identifier, isKnown) in Self.identifiers { #expect((keys.resolve(ephemeral: identifier, at: now) == "eid:beacon") == isKnown) }
    #expect(keys.resolve(ephemeral: Self.identifiers[1].0, at: nil) == nil)
    #expect(keys.resolve(ephemeral: Self.identifiers[1].0, at: now + 4_096) == nil)
    #expect(keys.resolve(ephemeral: Self.identifiers[1].0, at: now) == "eid:beacon")
  }

  /// Of the period before, this one, the next, and the one after that.
  static let identifiers: [(UInt64, Bool)] = [
    (0xD9E8_1729_12C8_6A48, true), (0x8D37_4317_1F78_7324, true), (0x7CBC_E233_C5BD_1915, true), (0x0C9E_FB06_CA5E_267B, false),
  ]
}
