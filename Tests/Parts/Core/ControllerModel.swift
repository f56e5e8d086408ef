@testable import Core

/// A controller as the specification has it, or almost: what it lacks a test switches off. Commands in, events out.
struct ModelController {
  var isExtended = true
  var hasCoded = false
  /// Low Energy uses the buffers of BR/EDR, as in many controllers that have both.
  var sharesBuffers = false
  var address: UInt64 = 0x0000_C0FF_EE00_0001
  /// Statuses other than success, by opcode.
  var refusals: [UInt16: UInt8] = [:]
  /// Commands that get no answer.
  var swallowed: Set<UInt16> = []
  /// What cures its deafness: it answers everything and reports nothing.
  var deafUntil: Remedy?
  var credits: UInt8 = 1
  var manufacturer: UInt16 = 0x5D
  /// Of all adverts.
  var level: Int8 = -60
  /// nil: none yet; then the other family is disallowed until Reset. Core 6.0, Vol 4, Part E, 3.1.1.
  private(set) var family: Bool?
  private(set) var mixed = 0
  private(set) var isScanning = false
  private(set) var filtersDuplicates = false
  private(set) var randomAddress: UInt64 = 0
  private(set) var parameters: [UInt8] = []
  private(set) var eventMask: UInt64 = 0x1FFF_FFFF_FFFF
  private(set) var lowEnergyMask: UInt64 = 0x1F
  private(set) var log: [UInt16] = []

  /// What power does.
  mutating func restart() {
    (family, isScanning, filtersDuplicates, randomAddress) = (nil, false, false, 0)
    (eventMask, lowEnergyMask) = (0x1FFF_FFFF_FFFF, 0x1F)
    if deafUntil != .reopen { deafUntil = nil }
  }

  /// What the kernel does when it brings an adapter up.
  mutating func initialize() {
    restart()
    (eventMask, lowEnergyMask) = (0x3FFF_FFFF_FFFF_FFFF, 0xFFFF)
  }

  mutating func stopScanning() { isScanning = false }

  /// The answer to one H4 command packet; nothing where a controller would say nothing.
  mutating func answer(_ packet: [UInt8]) -> [UInt8]? {
    guard packet.count >= 4, packet[0] == 1, packet.count == 4 + Int(packet[3]) else { return nil }
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    log.append(opcode)
    if swallowed.contains(opcode) { return nil }
    let result = refusals[opcode].map { [$0] } ?? obey(opcode, Array(packet[4...]))
    return [4, 0x0E, UInt8(3 + result.count), credits, packet[1], packet[2]] + result
  }

  private mutating func obey(_ opcode: UInt16, _ given: [UInt8]) -> [UInt8] {
    if let extended = Self.families[opcode] {
      if extended && !isExtended { return [0x01] }
      if let family, family != extended {
        mixed += 1
        return [0x0C]
      }
      family = extended
    }
    guard Self.lengths[opcode].map({ $0 == given.count }) ?? (opcode == 0x2041 && given.count >= 8) else { return [0x12] }
    switch opcode {
    case 0x0C03: restart()
    case 0x1001: return [0, 12, 0, 0, 12, UInt8(manufacturer & 255), UInt8(manufacturer >> 8), 0, 0]
    case 0x1009: return [0] + (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64($0 * 8)) }
    case 0x1002: return [0] + (0..<64).map { $0 == 37 && isExtended ? 0x60 : $0 == 26 ? 0x0C : 0 }
    case 0x2003: return [0, 0, (isExtended ? 0x10 : 0) | (hasCoded ? 0x08 : 0), 0, 0, 0, 0, 0, 0]
    case 0x2002: return sharesBuffers ? [0, 0, 0, 0] : [0, 251, 0, 8]
    case 0x1005: return [0, 0x36, 1, 64, 10, 0, 8, 0]
    case 0x0C01: eventMask = number(given)
    case 0x2001: lowEnergyMask = number(given)
    case 0x2005: randomAddress = number(given)
    case 0x200B, 0x2041:
      if isScanning { return [0x0C] }
      if opcode == 0x2041 && given[2] & 4 != 0 && !hasCoded { return [0x11] }
      parameters = given
    case 0x200C, 0x2042:
      isScanning = given[0] == 1
      filtersDuplicates = given[1] != 0
      if isScanning && deafUntil == .rescan { deafUntil = nil }
    default: return [0x01]
    }
    return [0]
  }

  /// What it reports of one advert, if it does.
  func report(_ address: UInt64) -> [UInt8]? {
    guard isScanning, deafUntil == nil, eventMask >> 61 & 1 == 1 else { return nil }
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64($0 * 8)) }
    let data: [UInt8] = [2, 1, 6]
    if family == true {
      guard lowEnergyMask >> 12 & 1 == 1 else { return nil }
      let head: [UInt8] = [0x0D, 1, 0x10, 0, 1] + octets + [1, 0, 0xFF, 127, UInt8(bitPattern: level), 0, 0, 0]
      let body = head + [UInt8](repeating: 0, count: 6) + [UInt8(data.count)] + data
      return [4, 0x3E, UInt8(body.count)] + body
    }
    let body: [UInt8] = [0x02, 1, 3, 1] + octets + [UInt8(data.count)] + data + [UInt8(bitPattern: level)]
    return [4, 0x3E, UInt8(body.count)] + body
  }

  private func number(_ bytes: [UInt8]) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  private static let families: [UInt16: Bool] = [0x200B: false, 0x200C: false, 0x200D: false, 0x2041: true, 0x2042: true, 0x2043: true]
  private static let lengths: [UInt16: Int] = [
    0x0C03: 0, 0x1001: 0, 0x1009: 0, 0x1002: 0, 0x2003: 0, 0x2002: 0, 0x1005: 0, 0x0C01: 8, 0x2001: 8, 0x2005: 6, 0x200B: 7, 0x200C: 2,
    0x2042: 6,
  ]
}

/// A line between `Controller` and `ModelController` under simulated time, with whatever goes wrong on lines.
struct ModelLine {
  var controller: Controller
  var model = ModelController()
  private(set) var now = Instant(microseconds: 1_000_000)
  /// A stream of bytes, or whole packets as HCI sockets give them.
  var isStream = true
  let isShared: Bool
  /// Why it cannot be opened at the moment.
  var refusal: Trouble?
  private(set) var isOpen = false
  private(set) var heard = 0
  private(set) var opens = 0
  private var stream = PacketStream()
  private var lastByte = Instant.zero
  private var toHost: [(at: Instant, bytes: [UInt8])] = []
  private var toModel: [(at: Instant, bytes: [UInt8])] = []
  private var nextAdvert = Instant.zero
  /// The devices nearby, and how often one of them advertises.
  var people: [UInt64] = [1, 2, 3, 4, 5].map { 0xC000_0000_0000 | $0 }
  var advertInterval = Interval.milliseconds(50)
  private var adverts = 0
  /// What becomes of a packet on its way: pieces and their delays.
  var fate: (inout ModelLine, [UInt8]) -> [(delay: Interval, bytes: [UInt8])] = { _, bytes in [(.zero, bytes)] }
  var conditions: [Condition] = []

  init(_ settings: RadioSettings = RadioSettings(), isShared: Bool = false) {
    self.isShared = isShared
    controller = Controller(settings, isShared: isShared, spare: 0x1234_5678_9ABC)
  }

  /// Listening for so long that its past is a lively one.
  static func lively() -> ModelLine {
    var line = ModelLine()
    line.run(for: .seconds(90))
    precondition(line.controller.hearing.isLively && line.controller.condition == .scanning)
    return line
  }

  mutating func run(for interval: Interval) { run(until: now + interval) }

  mutating func run(until end: Instant) {
    while true {
      let gap = isStream && stream.isPartial ? lastByte + .milliseconds(100) : .never
      let next = [controller.nextDeadline, toHost.first?.at, toModel.first?.at, people.isEmpty ? nil : nextAdvert, gap].compactMap { $0 }
        .min()!
      guard next <= end else { break }
      now = max(now, next)
      if gap <= now { stream.abandon() }
      step()
      if conditions.last != controller.condition { conditions.append(controller.condition) }
    }
    now = end
  }

  private mutating func step() {
    if nextAdvert <= now, !people.isEmpty {
      nextAdvert = now + advertInterval
      adverts += 1
      if let report = model.report(people[adverts % people.count]), isOpen { carry(report, toHost: true) }
    }
    while let first = toModel.first, first.at <= now {
      toModel.removeFirst()
      if let answer = model.answer(first.bytes) { carry(answer, toHost: true) }
    }
    while let first = toHost.first, first.at <= now {
      toHost.removeFirst()
      lastByte = now
      take(first.bytes)
    }
    obey(controller.tick(at: now))
  }

  private mutating func take(_ bytes: [UInt8]) {
    guard isStream else { return receive(bytes) }
    let span = bytes.span
    var cursor = Cursor(span.bytes)
    while stream.advance(through: &cursor) {
      receive((0..<stream.packet.byteCount).map { stream.packet[$0] })
      if !isOpen { return }
    }
  }

  private mutating func receive(_ packet: [UInt8]) {
    let span = packet.span
    if packet.count > 3, packet[0] == 4, packet[1] == 0x3E { heard += 1 }
    obey(controller.receive(span.bytes, at: now))
  }

  private mutating func obey(_ action: Controller.Action) {
    switch action {
    case .none: break
    case .send(let command):
      let packet = command.packet
      send((0..<packet.count).map { packet[$0] })
    case .open:
      opens += 1
      if let refusal { return controller.lost(refusal, at: now) }
      isOpen = true
      stream = PacketStream()
      if model.deafUntil == .reopen { model.deafUntil = nil }
      if isShared { model.initialize() }
      obey(controller.opened(at: now))
    case .close: close()
    }
  }

  mutating func send(_ packet: [UInt8]) { carry(packet, toHost: false) }

  private mutating func close() {
    isOpen = false
    toHost.removeAll()
    toModel.removeAll()
  }

  /// The line breaks.
  mutating func breakLine(_ trouble: Trouble = .lineLost) {
    guard isOpen else { return }
    close()
    controller.lost(trouble, at: now)
  }

  /// Something the model says by itself.
  mutating func say(_ packet: [UInt8]) { carry(packet, toHost: true) }

  mutating func offer(_ packet: [UInt8]) -> Offer {
    let span = packet.span
    let offer = controller.offer(span.bytes, at: now)
    switch offer {
    case .pass: send(packet)
    case .first(let command): obey(.send(command))
    case .later, .refuse: break
    }
    return offer
  }

  private mutating func carry(_ packet: [UInt8], toHost isToHost: Bool) {
    for (delay, bytes) in fate(&self, packet) {
      // A line takes 1 ms and keeps the order of packets that are not delayed on purpose.
      let item = (at: now + delay + .milliseconds(1), bytes: bytes)
      if isToHost {
        toHost.insert(item, at: toHost.lastIndex { $0.at <= item.at }.map { $0 + 1 } ?? 0)
      } else {
        toModel.insert(item, at: toModel.lastIndex { $0.at <= item.at }.map { $0 + 1 } ?? 0)
      }
    }
  }
}
