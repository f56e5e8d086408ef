import Core
import Host

/// `forecourt replay --decoded`: a line for each advertising report.
extension Option {
  static var decoded: Option {
    Option("decoded", .none, "Print what each advertising report says instead of messages.")
  }
}

/// One JSON line for each advertising report: whose it is, what it says, and what could not be read.
struct DecodedReplay: ~Copyable {
  private var devices: Devices
  private var book: AddressBook
  private var keys: IdentityKeys
  private var fragments: Fragments
  private let services: WatchedServices
  private let settings: Settings
  private let clock: WallClock
  private var line = Line()

  /// The longest line: 1,650 bytes of empty fields.
  private typealias Line = Text<65535>

  init(_ configuration: consuming Configuration, epoch: Int64?) {
    settings = configuration.core
    let capacity = settings.gateway.devices
    var arena = Arena.taken(
      bytes: Devices.bytes(capacity: capacity, radios: 1) + AddressBook.bytes(capacity: capacity) + IdentityKeys.bytes
        + WatchedServices.bytes + Fragments.bytes)
    devices = Devices(capacity: capacity, radios: 1, seed: 1, in: &arena)
    book = AddressBook(capacity: capacity, seed: 1, in: &arena)
    keys = IdentityKeys(settings.keys, cipher: aes128(), in: &arena)
    services = WatchedServices(settings.services, in: &arena)
    fragments = Fragments(in: &arena)
    clock = WallClock(started: .zero, epoch: epoch)
  }

  mutating func receive(_ packet: borrowing Packet, from capture: Int, to out: Output) {
    guard packet.bytes.count > 0, packet.bytes[0] == PacketType.event.rawValue else { return }
    do throws(Malformed) {
      guard case .reports(var reports) = try HCIEvent(packet.bytes.bytes) else { return }
      while let report = try reports.next() { try receive(report, at: packet.at, from: capture, to: out) }
    } catch {
      startLine(packet.at, capture)
      line.member("malformed", error.name)
      line.member("packet", hex: packet.bytes.bytes)
      endLine(out)
    }
  }

  private mutating func receive(_ report: Report, at now: Instant, from capture: Int, to out: Output) throws(Malformed) {
    guard fragments.concern(report, from: capture) else { return write(report, at: now, from: capture, to: out) }
    var whole = WholeReport()
    guard fragments.join(report, from: capture, at: now, into: &whole) else { return }
    write(try Report(whole: whole.bytes), at: now, from: capture, to: out)
  }

  private mutating func write(_ report: Report, at now: Instant, from capture: Int, to out: Output) {
    startLine(now, capture)
    line.members(of: report)
    let (slot, _, _, isLater) = book.resolve(report, at: now, keys)
    if isLater { book.touch(slot) }
    if devices.slot(of: book[slot].device) == nil { book.release(slot) }
    let recognition = services.recognise(report)
    let learnt = book.learn(recognition, from: report, in: slot, at: now, services, &keys, unixTime: clock.unixTime(at: now))
    if let learnt { book.assign(slot, to: devices.reference(to: findOrInsert(learnt)), isMatched: false) }
    if let device = devices.slot(of: book[slot].device) { line.member("identity", devices[device].identity) }
    if let learnt, book[slot].device == .none { line.member("identity", learnt) }
    if let service = recognition.service { line.member("service", Int64(service)) }
    if let measured = recognition.measuredPower { line.member("measured_power_dbm", Int64(measured)) }
    write(recognition.attributes)
    endLine(out)
  }

  private mutating func write(_ attributes: Attributes) {
    if let battery = attributes.battery { line.member("battery", Int64(battery)) }
    if let voltage = attributes.voltage { line.member("voltage_mv", Int64(voltage)) }
    if let temperature = attributes.temperature { line.member("temperature_c", Int64(temperature), decimals: 2) }
  }

  private mutating func findOrInsert(_ identity: Identity) -> Int {
    if let slot = devices.find(identity) { return slot }
    if devices.isUsed(devices.slotToReuse) { devices.remove(devices.slotToReuse) }
    return devices.insert(identity, settings)
  }

  private mutating func startLine(_ now: Instant, _ capture: Int) {
    line.truncate(to: 0)
    line.openObject()
    line.member("t_us", now.microseconds)
    line.member("capture", Int64(capture))
  }

  private mutating func endLine(_ out: Output) {
    line.closeObject()
    out.line(line.bytes)
  }
}
