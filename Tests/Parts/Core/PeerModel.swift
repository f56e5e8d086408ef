@testable import Core

/// `Controller` and `Peers` as the radio's thread drives them, against a model controller with phones around it, in simulated time.
struct PeerLine: ~Copyable {
  private let loan: Loan
  var controller: Controller
  var peers: Peers
  var model = ModelController()
  var phones: [ModelPhone]
  private(set) var now = Instant(microseconds: 1_000_000)
  private(set) var news: [PeerNews] = []
  /// The longest time in which nothing could be heard, since listening first began; and all of it.
  private(set) var longestDeafness = Interval.zero
  /// Packets other than adverts that came while the radio's thread let packets wait for each other.
  private(set) var surprises = 0
  private(set) var deafness = Interval.zero
  private(set) var connections: [UInt16: Int] = [:]
  private(set) var central: UInt16?
  private(set) var opcodes: [UInt16] = []
  /// Advertising: answers other than success by opcode, every command's parameters, and what is on the air now by set.
  var statuses: [UInt16: [UInt8]] = [:]
  private(set) var given: [(opcode: UInt16, parameters: [UInt8])] = []
  private(set) var onAir: [UInt8: [UInt8]] = [:]
  var setsThereAre: UInt8 = 4
  /// Commands that are taken and not carried out.
  var ignored: Set<UInt16> = []
  var completes = true
  var aclLength = 27
  /// Until then no advert is heard.
  var opening = Interval.zero
  var advertInterval = Interval.milliseconds(20)
  /// Instead, each phone advertises at its own times, as seldom as this, and a call waits for its advert.
  var period: Interval?
  /// All phones' adverts come in one event.
  var isGathering = false
  var random: Seeded
  var calling: Int?
  private var data: [UInt8: [UInt8]] = [:]
  private var handles: UInt16 = 0x40
  private var deafSince: Instant?
  var nextAdvert = Instant.zero
  var adverts = 0
  var due: [Instant] = []
  private var gathered: [UInt8] = []
  private var toHost: [(at: Instant, bytes: [UInt8])] = []

  init(_ phones: [ModelPhone], seed: UInt64 = 1, duties: PeerDuties? = nil, _ configure: (inout PeerSettings) -> Void = { _ in }) {
    var settings = PeerSettings()
    settings.identify = true
    configure(&settings)
    self.phones = phones
    random = Seeded(seed)
    controller = Controller(RadioSettings(), isShared: false, spare: 0x1234_5678_9ABC)
    loan = Loan(bytes: Peers.bytes)
    var arena = loan.arena
    peers = Peers(duties ?? PeerDuties(settings, name: Name("gate")), in: &arena)
  }

  var isScanning: Bool { model.isScanning }
  var identified: [UInt32] { news.compactMap { if case .identified(let peer) = $0 { peer.id } else { nil } } }
  var levels: [Int8] { news.compactMap { if case .level(_, let level) = $0 { level } else { nil } } }
  var failures: [PeerFailure] { news.compactMap { if case .failed(_, let failure) = $0 { failure } else { nil } } }

  mutating func run(for interval: Interval) {
    let end = now + interval
    while true {
      let next = [controller.nextDeadline, peers.nextDeadline, toHost.first?.at, nextAdvert].compactMap { $0 }.min()!
      guard next <= end else { break }
      now = max(now, next)
      step()
    }
    now = end
  }

  private mutating func step() {
    if nextAdvert <= now { advertise() }
    while let first = toHost.first, first.at <= now {
      toHost.removeFirst()
      let isAdvert = first.bytes[0] == 4 && first.bytes[1] == 0x3E && [0x02, 0x0D].contains(first.bytes[3])
      if !isAdvert, controller.isAtRest && peers.isAtRest { surprises += 1 }
      let span = first.bytes.span
      obey(controller.receive(span.bytes, at: now))
      peers.receive(span.bytes, at: now)
      work()
    }
    obey(controller.tick(at: now))
    work()
    if model.isScanning, let since = deafSince {
      longestDeafness = max(longestDeafness, now - since)
      deafness = deafness + (now - since)
      deafSince = nil
    } else if !model.isScanning, deafSince == nil, controller.hasListened {
      deafSince = now
    }
  }

  /// As `RadioThread` does it.
  private mutating func work() {
    peers.tick(controller.profile, at: now)
    controller.isOccupied = peers.isOccupied
    if peers.takeStuck() { obey(controller.stuck(at: now)) }
    loop: while let packet = peers.next() {
      let bytes = (0..<packet.count).map { packet[$0] }
      switch controller.offer(packet.bytes, at: now) {
      case .pass:
        peers.sent(at: now)
        send(bytes)
      case .first(let command):
        let first = command.packet
        send((0..<first.count).map { first[$0] })
        break loop
      case .later: break loop
      case .refuse: peers.turnedAway()
      }
    }
    while let item = peers.nextNews() { news.append(item) }
  }

  private mutating func obey(_ action: Controller.Action) {
    switch action {
    case .none, .close: break
    case .send(let command):
      let packet = command.packet
      send((0..<packet.count).map { packet[$0] })
    case .open: obey(controller.opened(at: now))
    }
  }

  // MARK: The controller

  /// Without a word, as when its power fails for a moment.
  mutating func restart() {
    model.restart()
    (calling, central, onAir, data, connections, toHost) = (nil, nil, [:], [:], [:], [])
  }

  mutating func say(_ bytes: [UInt8], after delay: Interval = .milliseconds(1)) {
    let at = now + delay
    toHost.insert((at, bytes), at: toHost.lastIndex { $0.at <= at }.map { $0 + 1 } ?? 0)
  }

  private mutating func send(_ packet: [UInt8]) {
    if packet[0] == 2 { return take(packet) }
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    opcodes.append(opcode)
    let handle = packet.count >= 6 ? UInt16(packet[4]) | UInt16(packet[5]) << 8 : 0
    // Invalid HCI Command Parameters.
    if let length = Self.lengths[opcode], packet.count != 4 + length { return complete(opcode, [0x12]) }
    switch opcode {
    case 0x200D, 0x2043:
      given.append((opcode, Array(packet[4...])))
      call(packet)
    case 0x200E:
      complete(opcode, [calling == nil ? 0x0C : 0])
      if calling != nil && !ignored.contains(opcode) { connectionEvent(0x02, handle: 0, phone: 0) }
      if !ignored.contains(opcode) { calling = nil }
    case 0x0406:
      status(opcode, connections[handle] == nil ? 0x02 : 0)
      if connections[handle] != nil && !ignored.contains(opcode) { end(handle, 0x16) }
    case 0x1405: complete(opcode, [statuses[opcode]?[0] ?? (connections[handle] == nil ? 2 : 0)] + little(Int(handle)) + [0xD1])
    case 0x2006...0x200A, 0x2035...0x203B, 0xFC00...0xFFFF: advertise(opcode, Array(packet[4...]))
    default:
      if opcode == 0x0C03 { restart() }
      if opcode == 0x2002 { return complete(opcode, statuses[opcode] ?? [0, UInt8(aclLength), 0, 4]) }
      if let answer = model.answer(packet) { say(answer) }
    }
  }

  private static let lengths: [UInt16: Int] = [
    0x0406: 3, 0x1405: 2, 0x2006: 15, 0x2007: 0, 0x2008: 32, 0x200A: 1, 0x200D: 25, 0x200E: 0, 0x201B: 2, 0x2035: 7, 0x2036: 25, 0x2039: 6,
    0x203B: 0, 0x2043: 26,
  ]

  private mutating func advertise(_ opcode: UInt16, _ parameters: [UInt8]) {
    given.append((opcode, parameters))
    let status = statuses[opcode] ?? [0]
    switch opcode {
    case 0x203B: return complete(opcode, [0, setsThereAre])
    case 0x200A where status == [0]: onAir[0] = parameters[0] == 1 ? data[0] : nil
    case 0x2039 where status == [0]: onAir[parameters[2]] = parameters[0] == 1 ? data[parameters[2]] : nil
    case 0x2008: data[0] = Array(parameters[1...Int(parameters[0])])
    case 0x2037: data[parameters[0]] = Array(parameters[4...])
    case 0x2036 where status == [0]: return complete(opcode, [0, parameters[19] == 127 ? 0 : parameters[19]])
    default: break
    }
    complete(opcode, status)
  }

  private mutating func complete(_ opcode: UInt16, _ result: [UInt8]) {
    say([4, 0x0E, UInt8(3 + result.count), 1] + little(Int(opcode)) + result)
  }

  private mutating func status(_ opcode: UInt16, _ status: UInt8) { say([4, 0x0F, 4, status, 1] + little(Int(opcode))) }

  private mutating func call(_ packet: [UInt8]) {
    let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
    let place = opcode == 0x200D ? 4 + 6 : 4 + 3
    let address = packet[place..<place + 6].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    status(opcode, statuses[opcode]?[0] ?? 0)
    calling = statuses[opcode] == nil ? phones.firstIndex { $0.address == address } : nil
    guard let called = calling, !phones[called].isOutOfReach, !ignored.contains(opcode) else { return }
    let phone = phones[called]
    if phone.step == .connection && [.silence, .slow, .garbage].contains(phone.deed) { return }
    if period == nil { connect(called) }
  }

  mutating func connect(_ called: Int) {
    let phone = phones[called]
    calling = nil
    handles += 1
    connections[handles] = called
    central = handles
    phones[called].asked = 0
    gathered = []
    connectionEvent(0, handle: handles, phone: called)
    if phone.step == .connection && phone.deed == .disconnect { end(handles, 0x3E) }
    for question in phone.questions { answer(question, on: handles) }
  }

  private mutating func connectionEvent(_ status: UInt8, handle: UInt16, phone: Int, role: UInt8 = 0, limit: Int = 200) {
    let address = phones.isEmpty ? 0 : phones[phone].address
    let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64($0 * 8)) } + [12, 0, 0, 0] + little(limit) + [0]
    say([4, 0x3E, 19, 1, status] + little(Int(handle)) + [role, 1] + bytes, after: .milliseconds(30))
  }

  /// A central comes to us, with a supervision timeout in units of 10 ms.
  mutating func visit(handle: UInt16, timeout: Int = 600) {
    connections[handle] = 0
    onAir = onAir.filter { $0.value[3] != 17 }
    gathered = []
    connectionEvent(0, handle: handle, phone: 0, role: 1, limit: timeout)
  }

  mutating func end(_ handle: UInt16, _ reason: UInt8) {
    guard connections.removeValue(forKey: handle) != nil else { return }
    say([4, 0x05, 4, 0] + little(Int(handle)) + [reason])
  }

  private mutating func take(_ packet: [UInt8]) {
    let handle = UInt16(packet[1]) | UInt16(packet[2] & 0x0F) << 8
    guard let index = connections[handle] else { return }
    precondition(packet.count - 5 <= aclLength, "a packet longer than the controller's buffer")
    if completes { say([4, 0x13, 5, 1] + little(Int(handle)) + [1, 0]) }
    gathered += packet[5...]
    guard gathered.count >= 4, gathered.count >= 4 + Int(gathered[0]) else { return }
    let pdu = Array(gathered[4...])
    gathered = []
    phones[index].answers.append(pdu)
    // Only requests for its services count as a step, and only they are spoiled.
    guard pdu[0] == 0x02 || pdu[0] == 0x10 else { return }
    phones[index].asked += 1
    let phone = phones[index]
    let isSpoiled = phone.asked == phone.step.rawValue || phone.step == .later && phone.asked > 3
    if phone.deed != .nothing && isSpoiled { return spoil(phone, pdu, handle) }
    if let told = phone.answer(pdu) { answer(told, on: handle) }
  }

  private mutating func spoil(_ phone: ModelPhone, _ pdu: [UInt8], _ handle: UInt16) {
    switch phone.deed {
    case .nothing, .silence: break
    case .garbage: answer((0..<Int.random(in: 1...40, using: &random)).map { _ in .random(in: 0...255, using: &random) }, on: handle)
    case .lie:
      let lie = little([0, 3, 60, 0xFFFF].randomElement(using: &random)!) + [4, 0] + [UInt8](repeating: 0x11, count: 19)
      say([2] + little(Int(handle) | 0x2000) + little(lie.count) + lie)
    case .error: answer([1, pdu[0], 1, 0, phone.code], on: handle)
    case .disconnect: end(handle, 0x13)
    case .flood: for _ in 0..<500 { answer([0x1B, 3, 0] + (0..<15).map { _ in .random(in: 0...255, using: &random) }, on: handle) }
    case .slow: if let told = phone.answer(pdu) { answer(told, on: handle, after: .milliseconds(1_400)) }
    }
  }

  /// A request of a visitor.
  mutating func ask(_ pdu: [UInt8]) -> [UInt8]? {
    phones[0].answers = []
    answer(pdu, on: 0x77)
    run(for: .milliseconds(100))
    return phones[0].answers.first
  }

  /// An attribute PDU from the other side, in pieces no longer than the buffer.
  mutating func answer(_ pdu: [UInt8], on handle: UInt16, after delay: Interval = .milliseconds(30)) {
    let frame = little(pdu.count) + [4, 0] + pdu
    for at in stride(from: 0, to: frame.count, by: aclLength) {
      let piece = frame[at..<min(at + aclLength, frame.count)]
      say([2] + little(Int(handle) | (at == 0 ? 0x2000 : 0x1000)) + little(piece.count) + piece, after: delay)
    }
  }
}
