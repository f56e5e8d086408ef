import Core

/// One phone during the run: its next advert, its address, its power in this run.
struct Transmitter: Sendable {
  let phone: Phone
  let payload: PhonePayload
  let power: Double
  private(set) var due: Int64
  private(set) var address: Address
  /// The address before: a gateway may still refer to it.
  private(set) var formerAddress: Address
  private var renewal: Int64
  private var random: Random

  init(_ phone: Phone, seed: UInt64, index: Int, cipher: Cipher?) {
    self.phone = phone
    payload = PhonePayload(phone)
    random = Random(seed: seed, 0x564F_4943, index)
    power = phone.power + phone.powerSpread * random.normal()
    due = Int64(phone.interval * 1e6 * random.fraction())
    address = Self.address(for: phone.address, &random, cipher)
    formerAddress = address
    renewal = .max
    if let seconds = phone.address.seconds { renewal = Int64(seconds * 1e6 * random.fraction()) + 1 }
  }

  /// Core 6.0, Vol 6, Part B, 4.4.2.2.1: a random delay of 0 to 10 ms is added to every interval.
  mutating func transmitted(_ cipher: Cipher?) {
    due += Int64(phone.interval * 1e6) + Int64(random.fraction() * 10_000)
    guard due >= renewal, let seconds = phone.address.seconds else { return }
    renewal += Int64(seconds * 1e6)
    formerAddress = address
    address = Self.address(for: phone.address, &random, cipher)
  }

  /// Whether `identity` means this phone.
  func isMeant(by identity: Identity) -> Bool {
    switch identity.kind {
    case .iBeacon, .altBeacon, .eddystone:
      if case .beacon(let own) = phone.says { return own == identity }
      return false
    case .irk:
      guard case .resolvable = phone.address, Int(identity.length) == phone.name.count else { return false }
      for index in 0..<phone.name.count where identity.bytes[index] != phone.name[index] { return false }
      return true
    case .service, .name, .address: return identity.ends(with: address) || identity.ends(with: formerAddress)
    case .peer, .eid: return false
    }
  }

  private static func address(for life: AddressLife, _ random: inout Random, _ cipher: Cipher?) -> Address {
    let randomType = UInt64(1) << 48
    let bits = random.next() >> 18
    switch life {
    case .fixed: return Address(word: randomType | bits | 0xC000_0000_0000)
    case .rotating: return Address(word: randomType | bits & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000)
    case .resolvable(let key, _):
      guard let cipher else { preconditionFailure("a phone with a key needs a cipher") }
      let part = bits & 0x3FFFFF | 0x400000
      return Address(word: randomType | part << 24 | hash(part, key, cipher))
    }
  }

  /// Core 6.0, Vol 3, Part H, 2.2.2: the last 24 bits of the encrypted block whose end is the random part.
  private static func hash(_ part: UInt64, _ key: Block, _ cipher: Cipher) -> UInt64 {
    var plain = Block(repeating: 0)
    for index in 0..<3 { plain[15 - index] = UInt8(truncatingIfNeeded: part >> UInt64(8 * index)) }
    let block = cipher(key, plain)
    return UInt64(block[13]) << 16 | UInt64(block[14]) << 8 | UInt64(block[15])
  }
}

extension AddressLife {
  fileprivate var seconds: Double? {
    switch self {
    case .fixed: nil
    case .rotating(let seconds), .resolvable(_, let seconds): seconds
    }
  }
}

extension Identity {
  fileprivate func ends(with address: Address) -> Bool {
    guard length >= 6 else { return false }
    for index in 0..<6 where bytes[Int(length) - 6 + index] != address.written(index) { return false }
    return true
  }
}
