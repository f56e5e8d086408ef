import Core

/// Everything that the path from a packet to an average touches, over an H4 stream that lies in memory.
struct Bench: ~Copyable {
  private var devices: Devices
  private var book: AddressBook
  private var keys: IdentityKeys
  private let services: WatchedServices
  private var counters = Counters()
  private let settings = Settings()

  init(in arena: inout Arena) {
    devices = Devices(capacity: 4_096, radios: 1, seed: 1, in: &arena)
    book = AddressBook(capacity: 4_096, seed: 0x1234_5678_9ABC_DEF1, in: &arena)
    keys = IdentityKeys(KeyList(filledWith: KeySettings()), cipher: { _, plain in plain }, in: &arena)
    services = WatchedServices(ServiceList(filledWith: ServiceUUID()))
  }

  mutating func receive(_ packet: RawSpan, at now: Instant) {
    counters.packets += 1
    do throws(Malformed) {
      guard case .reports(var reports) = try Event(packet) else { return }
      while let report = try reports.next() { hear(report, at: now) }
    } catch {
      counters.count(error)
    }
  }

  private mutating func hear(_ report: borrowing Report, at now: Instant) {
    guard report.isAudible else { return counters.levelsDiscarded += 1 }
    counters.reports += 1
    let slot = book.meet(report.address, at: now, keys)
    guard book.remembers(report, in: slot), let device = devices.slot(of: book[slot].device) else {
      return study(report, in: slot, at: now)
    }
    heard(device, report.level, at: now)
  }

  private mutating func heard(_ device: Int, _ level: Int8, at now: Instant) {
    devices.heard(device, level: level, radio: 0, at: now, settings.average)
  }

  @inline(never)
  private mutating func study(_ report: borrowing Report, in slot: Int, at now: Instant) {
    if devices.slot(of: book[slot].device) == nil { book.release(slot) }
    let recognition = services.recognise(report.data)
    if let damage = recognition.damage { counters.count(damage) }
    if let identity = book.learn(recognition, from: report, in: slot, services, &keys, unixTime: nil) {
      let device = devices.find(identity) ?? settle(identity, book[slot].power)
      book.settle(slot, as: devices.reference(to: device), isMatched: devices[device].interest.isMatched)
    }
    if let device = devices.slot(of: book[slot].device) { heard(device, report.level, at: now) }
  }

  private mutating func settle(_ identity: Identity, _ power: MeasuredPower?) -> Int {
    if devices.isUsed(devices.slotToReuse) { devices.remove(devices.slotToReuse) }
    let device = devices.insert(identity, settings)
    if let power { devices[device].power.learn(power) }
    return device
  }

  var summary: (reports: UInt64, devices: Int, addresses: Int) { (counters.reports, devices.count, book.count) }
}

@_cdecl("bench")
public func bench(
  _ memory: UnsafeMutableRawPointer, _ lent: Int, _ stream: UnsafeRawPointer, _ count: Int, _ devices: UnsafeMutablePointer<Int>
) -> Int {
  var arena = Arena(lending: UnsafeMutableRawBufferPointer(start: memory, count: lent))
  var bench = Bench(in: &arena)
  let all = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: stream, count: count))
  var offset = 0
  var now = Instant.zero
  while offset + 3 <= count {
    let length = 3 + Int(all[offset + 2])
    if offset + length > count { break }
    bench.receive(all.extracting(offset..<offset + length), at: now)
    now = now + Interval(microseconds: 500)
    offset += length
  }
  devices.pointee = bench.summary.devices
  return Int(bench.summary.reports)
}
