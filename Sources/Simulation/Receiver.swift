import Core

/// One gateway's controller during the run.
struct Receiver: Sendable {
  let station: Station
  var traffic = Traffic()
  private let phase: Double
  private var random: Random
  private var latest = Instant.zero

  init(_ station: Station, seed: UInt64, index: Int) {
    self.station = station
    random = Random(seed: seed, 0x5343_414E, index)
    phase = random.fraction() * station.interval * 3
  }

  /// Which of the three advertising channels it receives; nil between scan windows and while its radio is dead.
  func channel(at time: Double) -> Int? {
    guard !station.isDeaf(at: time) else { return nil }
    let turns = (time + phase) / station.interval
    let turn = Int64(turns)
    guard (turns - Double(turn)) * station.interval < station.window else { return nil }
    return Int(turn % 3)
  }

  /// A receiver's packet error rate falls from nearly one to nearly zero within a few dB around its sensitivity.
  func chanceToHear(_ level: Double, interference: Double) -> Double {
    let clear = 1 / (1 + Arithmetic.exp(min((station.sensitivity - level) / 1.2, 500)))
    return clear * (1 - interference) * (1 - traffic.collision(of: level))
  }

  /// The controller and its transport take 1 to 2 ms; the order stays.
  mutating func stamp(_ due: Int64) -> Instant {
    let delay = 1_000 + Int64(random.fraction() * 1_000)
    latest = max(latest, Instant(microseconds: due + delay) + station.ahead)
    return latest
  }
}

/// The events for one advert: one, or two when the response has its own.
struct Events: BitwiseCopyable, Sendable {
  private(set) var packets = InlineArray<2, Packet>(repeating: Packet())
  private(set) var count = 0
  private let station: Station
  private let at: Instant

  init(station: Station, at: Instant) {
    self.station = station
    self.at = at
  }

  /// A controller with legacy events sometimes puts both reports into one: here whenever the stamp is even.
  mutating func add(_ report: SimulatedAdvert) {
    if count == 1, !station.extended, at.microseconds & 1 == 0 { return packets[0].add(report) }
    packets[count].at = at
    packets[count].startEvent(extended: station.extended)
    packets[count].add(report)
    count += 1
  }
}

/// Packets received and not yet fetched: at most those of one advert.
struct PacketQueue: Sendable {
  private var entries: [(gateway: Int, packet: Packet)] = []
  private var taken = 0

  mutating func put(_ events: Events, for gateway: Int) {
    for index in 0..<events.count { entries.append((gateway, events.packets[index])) }
  }

  mutating func take(into packet: inout Packet) -> Int? {
    guard taken < entries.count else {
      entries.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    packet = entries[taken].packet
    taken += 1
    return entries[taken - 1].gateway
  }
}
