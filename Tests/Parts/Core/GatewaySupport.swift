@testable import Core

/// A gateway with its memory and its messages, for one test.
struct Rig: ~Copyable {
  let loan: Loan
  let messages: Ring<Message>
  var gateway: Gateway

  init(devices: Int = 64, epoch: Int64? = 1_760_000_000_000_000, boot: Text<16> = "test", _ configure: (inout Settings) -> Void = { _ in })
  {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = devices
    configure(&settings)
    let bytes = Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 4_096)
    loan = Loan(bytes: bytes)
    var arena = loan.arena
    messages = Ring(capacity: 4_096, in: &arena)
    let publisher = Publisher(
      into: messages, boot: boot, clock: WallClock(started: .zero, epoch: epoch), pseudonyms: Pseudonyms(nameless, salt: Block()))
    gateway = Gateway(settings, seed: 1, cipher: nameless, publisher: publisher, in: &arena)
  }

  /// What has been said since the last call: topics below the gateway's own, and payloads.
  func said() -> [(topic: String, payload: String)] {
    var all: [(topic: String, payload: String)] = []
    while let message = messages.pop() {
      all.append((String(message.topic).replacing("forecourt/site/gateway/", with: ""), String(message.payload)))
    }
    return all
  }

  /// A legacy advert from a device whose address ends in `device`.
  mutating func hear(_ device: UInt8, at seconds: Double, level: Int8 = -60, radio: Int = 0, data: [UInt8] = []) {
    let packet = advert([device, 0, 0, 0, 0, 0xC0], level: level, data: data)
    gateway.receive(packet.span.bytes, radio: radio, at: Instant(microseconds: Int64(seconds * 1e6)))
  }

  mutating func wait(until seconds: Double) { gateway.tick(at: Instant(microseconds: Int64(seconds * 1e6))) }
}

let nameless: Cipher = { key, plain in key &+ plain }

func advert(_ address: [UInt8], level: Int8, data: [UInt8]) -> [UInt8] {
  let report = [3, 1] + address + [UInt8(data.count)] + data + [UInt8(bitPattern: level)]
  return [4, 0x3E, UInt8(report.count + 2), 2, 1] + report
}

extension String {
  init<let capacity: Int>(_ text: Text<capacity>) {
    self.init(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
  }
}

extension Text: ExpressibleByStringLiteral, ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral {
  public init(stringLiteral value: StaticString) { self.init(value) }
}

extension Settings {
  /// A region that watches everybody.
  mutating func addRegion(_ name: Name, exit: RegionSettings.ExitRule = .auto, matching selector: Selector = .any) {
    var region = RegionSettings()
    region.name = name
    region.exit = exit
    region.match = Slice(start: UInt16(selectors.count), count: 1)
    precondition(selectors.append(selector) == nil && regions.append(region) == nil)
  }
}
