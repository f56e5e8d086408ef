import Core
import Testing

/// An address book with a device table behind it, as the machine has them.
final class AddressDesk {
  private let loan = Loan(bytes: 4 << 20)
  private var book: AddressBook
  private var keys: IdentityKeys
  private let services: WatchedServices
  private var devices: Devices
  private let settings = Settings()
  private(set) var identities: [String] = []
  /// How often an advert's fields were read.
  private(set) var readings = 0

  /// Whether the system's clock is set, to the seconds of the test.
  var hasTime = false

  /// The cipher turns a key's first byte into the hash: 00 00 00 is what key 0 makes of everything.
  init(
    capacity: Int = 4, services: [ServiceUUID] = [], keys all: [KeySettings] = [],
    cipher: @escaping Cipher = { key, _ in Block(repeating: key[0]) }
  ) {
    var arena = loan.arena
    var list = ServiceList(filledWith: ServiceUUID())
    for service in services { _ = list.append(service) }
    var keyList = KeyList(filledWith: KeySettings())
    for key in all { _ = keyList.append(key) }
    book = AddressBook(capacity: capacity, seed: 7, in: &arena)
    keys = IdentityKeys(keyList, cipher: cipher, in: &arena)
    self.services = WatchedServices(list, in: &arena)
    devices = Devices(capacity: 4_096, radios: 1, seed: 7, in: &arena)
  }

  var evictions: UInt64 { book.evictions }
  var count: Int { book.count }

  /// Hears an event; the identity of the device that its last report is from.
  @discardableResult
  func hear(_ packet: [UInt8], at second: Int64 = 0, isMatched: Bool = false) throws -> String? {
    var heard: String?
    try forEachReport(in: packet) { report in
      let now = Instant(microseconds: second * 1_000_000)
      let (slot, _, isRepeated, isLater) = book.resolve(report, at: now, keys)
      if isLater { book.touch(slot) }
      if book[slot].device == .none || !isRepeated {
        if book[slot].device == .none { book.release(slot) }
        readings += 1
        let recognition = services.recognise(report)
        if let identity = book.learn(recognition, from: report, in: slot, at: now, services, &keys, unixTime: hasTime ? second : nil) {
          book.assign(slot, to: device(identity), isMatched: isMatched)
        }
      }
      heard = devices.slot(of: book[slot].device).map { written(devices[$0].identity) }
    }
    return heard
  }

  func knows(_ text: String) -> Bool { book.find(address(text)) != nil }

  func power(of text: String) -> Float? { book.find(address(text)).flatMap { book[$0].power?.level.value } }

  private func device(_ identity: Identity) -> DeviceReference {
    if let slot = devices.find(identity) { return devices.reference(to: slot) }
    identities.append(written(identity))
    return devices.reference(to: devices.insert(identity, settings))
  }
}
