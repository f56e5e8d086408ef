import Core

/// The product's own machine with an H4 stream that lies in memory; main.c has the clock and counts what is allocated meanwhile.
struct Bench: ~Copyable {
  var gateway: Gateway
  /// How many the neighbours have sent.
  var claims: UInt32 = 0
  private let messages: Ring<Message>
  private(set) var published = 0

  /// How much of the machine a packet goes through. In all but the first, only a change of zone or state is told.
  enum Depth: Int {
    /// Packets are decoded, their senders identified, looked up and averaged.
    case average
    /// Everybody is in a region, and has a distance and a zone.
    case region
    /// Everybody might also start a pump.
    case trigger
    /// As `region`, and 65,536 devices can be followed.
    case crowd
    /// Only one address is wanted in the region.
    case flood
    /// As `trigger`, and two radios, or four, stand on a plan of the site.
    case planOfTwo
    case planOfFour
    /// As `trigger`, and the neighbours' gateways stand on a plan with ours.
    case site

    var radios: Int {
      switch self {
      case .average, .region, .trigger, .crowd, .flood, .site: 1
      case .planOfTwo: 2
      case .planOfFour: 4
      }
    }
  }

  init(_ depth: Depth, in arena: inout Arena) {
    let settings = Self.settings(depth)
    messages = Ring(capacity: Limits.messagesQueued, in: &arena)
    let cipher: Cipher = { key, plain in key &+ plain }
    let publisher = Publisher(
      into: messages, boot: Text("bench"), clock: WallClock(started: .zero, epoch: nil),
      pseudonyms: Pseudonyms(cipher, salt: Block(repeating: 0)))
    gateway = Gateway(settings, seed: 0x1234_5678_9ABC_DEF1, cipher: cipher, publisher: publisher, in: &arena)
    gateway.stopRanging(nil, at: .zero)
  }

  static func settings(_ depth: Depth) -> Settings {
    var settings = Settings()
    guard depth != .average else { return settings }
    if depth == .crowd { settings.gateway.devices = Limits.devicesMost }
    _ = settings.selectors.append(depth == .flood ? Selector(kind: .address, isWhole: true, prefix: wanted) : .any)
    var region = RegionSettings()
    region.name = Name("everybody")
    region.match = Slice(start: 0, count: 1)
    _ = settings.regions.append(region)
    settings.publish.interval = .hours(24)
    settings.publish.skip = Meters(1_000)
    guard depth == .trigger || depth == .site || depth.radios > 1 else { return settings }
    var trigger = TriggerSettings()
    trigger.name = Name("pump")
    trigger.match = Slice(start: 0, count: 1)
    guard depth.radios > 1 || depth == .site else {
      _ = settings.triggers.append(trigger)
      return settings
    }
    for index in 0..<depth.radios {
      var radio = RadioSettings()
      radio.point = PlanPoint(x: Float(index % 2) * 8, y: Float(index / 2) * 9)
      _ = settings.radios.append(radio)
    }
    trigger.group = Name("pumps")
    trigger.radio = 0
    _ = settings.triggers.append(trigger)
    if depth == .site { site(&settings) }
    return settings
  }

  mutating func listen(to stream: RawSpan) {
    var rest = stream
    var packets: Int64 = 0
    while rest.byteCount >= 3, case let length = 3 &+ Int(rest[2]), length <= rest.byteCount {
      // The others must hear something, or their silence counts as deafness.
      let radio = gateway.devices.radios > 1 && packets & 63 == 63 ? 1 + Int(packets >> 6) % (gateway.devices.radios - 1) : 0
      gateway.receive(rest.extracting(first: length), radio: radio, at: Instant(microseconds: packets &* 500))
      rest = rest.extracting(droppingFirst: length)
      packets &+= 1
      if packets & 63 == 0 { drain() }
    }
    drain()
  }

  /// Ticks of a millisecond until `end`, nothing being heard.
  mutating func wait(from start: Instant, until end: Instant) {
    var now = start
    while now < end {
      gateway.tick(at: now)
      if messages.count > 256 { drain() }
      now = now + .milliseconds(1)
    }
  }

  mutating func drain() { while messages.take({ _ in }) { published += 1 } }

  private static var wanted: Identity { Identity(.address, Address(word: 0xC000_0000_0001)) }

  /// How many of its samples the wanted device's average still has.
  var kept: Int { gateway.devices.find(Self.wanted).map { gateway.devices[$0, 0].samples } ?? 0 }

  var reports: Int { Int(gateway.counters.reports) }
  var tracked: Int { gateway.devices.count }
}

@_cdecl("gateway_bytes")
public func gatewayBytes(_ depth: Int) -> Int {
  Gateway.bytes(for: Bench.settings(Bench.Depth(rawValue: depth)!)) + Ring<Message>.bytes(for: Limits.messagesQueued)
}

@_cdecl("gateway_start")
public func gatewayStart(_ memory: UnsafeMutableRawPointer, _ lent: Int, _ depth: Int) -> UnsafeMutableRawPointer {
  var arena = Arena(lending: UnsafeMutableRawBufferPointer(start: memory, count: lent))
  let bench = UnsafeMutablePointer<Bench>.allocate(capacity: 1)
  bench.initialize(to: Bench(Bench.Depth(rawValue: depth)!, in: &arena))
  return UnsafeMutableRawPointer(bench)
}

@_cdecl("gateway_listen")
public func gatewayListen(_ bench: UnsafeMutableRawPointer, _ stream: UnsafeRawPointer, _ count: Int) {
  bench.assumingMemoryBound(to: Bench.self).pointee.listen(to: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: stream, count: count)))
}

@_cdecl("gateway_visit")
public func gatewayVisit(_ bench: UnsafeMutableRawPointer, _ receivers: Int) {
  bench.assumingMemoryBound(to: Bench.self).pointee.visit(receivers)
}

@_cdecl("gateway_wait")
public func gatewayWait(_ bench: UnsafeMutableRawPointer, _ start: Int, _ end: Int) {
  bench.assumingMemoryBound(to: Bench.self).pointee.wait(
    from: Instant(microseconds: Int64(start)), until: Instant(microseconds: Int64(end)))
}

@_cdecl("gateway_kept")
public func gatewayKept(_ bench: UnsafeMutableRawPointer) -> Int { bench.assumingMemoryBound(to: Bench.self).pointee.kept }

@_cdecl("gateway_stop")
public func gatewayStop(
  _ bench: UnsafeMutableRawPointer, _ tracked: UnsafeMutablePointer<Int>, _ published: UnsafeMutablePointer<Int>
) -> Int {
  let bench = bench.assumingMemoryBound(to: Bench.self)
  tracked.pointee = bench.pointee.tracked
  published.pointee = bench.pointee.published
  let reports = bench.pointee.reports
  bench.deinitialize(count: 1).deallocate()
  return reports
}

/// Pushes and pops, one thread for both; the sum of what came out.
@_cdecl("ring_pass")
public func ringPass(_ memory: UnsafeMutableRawPointer, _ lent: Int, _ count: Int) -> Int {
  var arena = Arena(lending: UnsafeMutableRawBufferPointer(start: memory, count: lent))
  let ring = Ring<UInt64>(capacity: 1_024, in: &arena)
  var sum: UInt64 = 0
  for element in 0..<UInt64(count) {
    _ = ring.push(element)
    if let taken = ring.pop() { sum &+= taken }
  }
  return Int(truncatingIfNeeded: sum)
}
