/// Why a device could not be asked.
package enum PeerFailure: UInt8, BitwiseCopyable, Sendable {
  case unreachable, refused, silent, garbled, hungUp, flooded, interrupted, wantsPairing

  package var sentence: StaticString {
    switch self {
    case .unreachable: "it was heard, but no connection came about"
    case .refused: "the controller refuses to connect"
    case .silent: "it connected, but does not answer"
    case .garbled: "it answers nonsense"
    case .hungUp: "it hung up before it had answered"
    case .flooded: "it floods the connection"
    case .interrupted: "the radio had to start again"
    case .wantsPairing: "it wants to be paired, which a gateway does not do"
    }
  }
}

/// What a radio found out by connecting and transmitting.
///
/// It travels among the radio's packets as a vendor event that no controller sends: in order with the adverts, and kept by a recording.
package enum PeerNews: BitwiseCopyable, Sendable {
  case identified(KnownPeer)
  /// It answered, and has no installation id.
  case stranger(Address)
  case failed(Address, PeerFailure)
  /// One of its services, during a thorough reading.
  case offers(Address, ServiceGroup)
  /// The level of a connection.
  case level(Address, Int8)
  /// A transmission is on the air; `power` is what the controller chose.
  case sends(transmission: UInt8, power: Int8?)
  /// It is not: the controller refused the command with this status.
  case withheld(transmission: UInt8, status: UInt8, isPower: Bool)

  /// The number that stands for our own services.
  package static let ownServices: UInt8 = 255

  private static let vendor: UInt8 = 0xFF
  /// "forecour"
  private static let mark: UInt64 = 0x72_756F_6365_726F_66

  package var packet: Text<64> {
    var body = Text<64>()
    body.append(little: Self.mark, bytes: 8)
    append(to: &body)
    var packet = Text<64>()
    packet.append(byte: PacketType.event.rawValue)
    packet.append(byte: Self.vendor)
    packet.append(byte: UInt8(body.count))
    packet.append(body)
    return packet
  }

  private func append(to body: inout Text<64>) {
    func open(_ kind: UInt8, _ address: Address, _ body: inout Text<64>) {
      body.append(byte: kind)
      body.append(little: address.word, bytes: 8)
    }
    switch self {
    case .identified(let peer):
      open(1, peer.address, &body)
      body.append(little: UInt64(peer.id), bytes: 4)
    case .stranger(let address): open(2, address, &body)
    case .failed(let address, let failure):
      open(3, address, &body)
      body.append(byte: failure.rawValue)
    case .offers(let address, let group):
      open(4, address, &body)
      body.append(little: UInt64(group.first), bytes: 2)
      body.append(little: UInt64(group.last), bytes: 2)
      body.append(onAir: group.uuid)
    case .level(let address, let level):
      open(5, address, &body)
      body.append(byte: UInt8(bitPattern: level))
    case .sends(let transmission, let power):
      open(6, Address(word: UInt64(transmission)), &body)
      body.append(byte: UInt8(bitPattern: power ?? 127))
    case .withheld(let transmission, let status, let isPower):
      open(7, Address(word: UInt64(transmission)), &body)
      body.append(byte: status)
      body.append(byte: isPower ? 1 : 0)
    }
  }

  /// nil for every other packet. `packet` begins with its H4 type.
  package init?(packet: RawSpan) {
    guard packet.byteCount >= 20, packet[0] == PacketType.event.rawValue, packet[1] == Self.vendor else { return nil }
    let parameters = packet.extracting(droppingFirst: 3)
    guard parameters.little64(at: 0) == Self.mark else { return nil }
    let address = Address(word: parameters.little64(at: 9))
    let transmission = parameters[9]
    let rest = parameters.extracting(droppingFirst: 17)
    switch (parameters[8], rest.byteCount) {
    case (1, 4): self = .identified(KnownPeer(address: address, id: rest.little32(at: 0)))
    case (2, 0): self = .stranger(address)
    case (3, 1):
      guard let failure = PeerFailure(rawValue: rest[0]) else { return nil }
      self = .failed(address, failure)
    case (4, 20):
      let uuid = ServiceUUID(onAir: rest.extracting(droppingFirst: 4))
      self = .offers(address, ServiceGroup(first: rest.little16(at: 0), last: rest.little16(at: 2), uuid: uuid))
    case (5, 1): self = .level(address, rest.signed(at: 0))
    case (6, 1): self = .sends(transmission: transmission, power: rest[0] == 127 ? nil : rest.signed(at: 0))
    case (7, 2): self = .withheld(transmission: transmission, status: rest[0], isPower: rest[1] == 1)
    default: return nil
    }
  }
}
