import Core

@testable import Host
@testable import forecourt

/// A gateway with its memory and its messages, and without threads, for tests of what stands around it.
struct Machine: ~Copyable {
  var gateway: Gateway
  let messages: Ring<Message>

  static func configuration(_ toml: String) throws -> Configuration {
    try Configuration(reading: ConfigurationText(name: "config.toml", text: Array(("gateway.purpose = \"told\"\n" + toml).utf8)))
  }

  init(_ toml: String) throws {
    let settings = try Self.configuration(toml).core
    var arena = Arena.taken(bytes: Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 1_024))
    messages = Ring(capacity: 1_024, in: &arena)
    let publisher = Publisher(
      into: messages, boot: Text("0123456789abcdef"), clock: WallClock(started: .zero, epoch: nil),
      pseudonyms: Pseudonyms(aes128(), salt: Block(repeating: 0)))
    gateway = Gateway(settings, seed: 1, cipher: aes128(), publisher: publisher, in: &arena)
    gateway.caughtUp(at: .zero)
  }

  /// A legacy advert of the address C0:00:00:00:00:0N; with a beacon's number, of that iBeacon.
  /// `addressKind`: of an address that changes 0x40.
  mutating func hear(
    _ device: UInt8, at seconds: Double, level: Int8 = -60, radio: Int = 0, beacon: UInt8? = nil, addressKind: UInt8 = 0xC0
  ) {
    let data: [UInt8] = beacon.map { [0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, $0, 0xC5] } ?? []
    let report = [3, 1, device, 0, 0, 0, 0, addressKind, UInt8(data.count)] + data + [UInt8(bitPattern: level)]
    let packet = [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
    gateway.receive(packet.span.bytes, radio: radio, at: .zero + .seconds(seconds))
  }

  static func identity(_ words: String) throws -> Identity { try Identity(written: Text<128>(words).bytes) }
  static let uuid = "2f2f2f2f-2f2f-2f2f-2f2f-2f2f2f2f2f2f"
}
