import Core

/// A site whose gateways stand 8 m apart on a plan, one visitor at each, and one in the street: half a minute as ours hears them, ten
/// times a second, with what the neighbours claim four times a second.
extension Bench {
  static func site(_ settings: inout Settings) {
    settings.gateway.name = Name("g0")
    settings.gateway.authorization = .always
    settings.triggers[0].group = Name("pumps")
  }

  static func place(_ receiver: Int) -> PlanPoint { PlanPoint(x: Float(receiver % 4) * 8, y: Float(receiver / 4) * 9) }

  private static let street = PlanPoint(x: 8, y: -16)
  private static let arrival = 5.0
  private static let stands = 30.0

  mutating func visit(_ receivers: Int) {
    var random = Noise()
    greet(receivers)
    for step in 0..<Int64(10 * (Self.arrival + Self.stands)) {
      for phone in 0...receivers {
        let now = Instant(microseconds: 4_000_000 + step &* 100_000 &+ Int64(phone) &* 1_000)
        let spot = spot(of: phone, receivers, Double(step) / 10)
        if step % 3 == 0 { claim(phone, receivers, spot, &random, at: now) }
        hear(Self.advert(phone, Self.level(from: spot, to: 0) + random.next()), at: now)
        drain()
      }
    }
  }

  /// From 20 m away to a metre beside the pump.
  private func spot(of phone: Int, _ receivers: Int, _ seconds: Double) -> PlanPoint {
    var spot = phone < receivers ? Self.place(phone) : Self.street
    spot.x += phone < receivers ? 1 : 0
    spot.y -= Float(max(Self.arrival - seconds, 0)) * 4
    return spot
  }

  private static func level(from spot: PlanPoint, to receiver: Int) -> Float {
    let (x, y) = (spot.x - place(receiver).x, spot.y - place(receiver).y)
    return -62 - Float(10 * log10(Double(x * x + y * y + 0.4)))
  }

  private mutating func greet(_ receivers: Int) {
    for receiver in 1..<receivers {
      var neighbour = Neighbour()
      (neighbour.name, neighbour.boot, neighbour.isOnline) = (Self.name(receiver), Text<16>("b"), true)
      neighbour.groups.append(Name("pumps"))
      gateway.receive(status: neighbour, at: .zero)
    }
  }

  private static func name(_ receiver: Int) -> Name {
    var name = Name("g")
    name.append(byte: UInt8(ascii: "0") + UInt8(receiver))
    return name
  }

  private mutating func claim(_ phone: Int, _ receivers: Int, _ spot: PlanPoint, _ random: inout Noise, at now: Instant) {
    for receiver in 1..<receivers {
      var claim = Claim()
      (claim.gateway, claim.boot, claim.group) = (Self.name(receiver), Text<16>("b"), Name("pumps"))
      claim.identity = Identity(.address, Self.address(phone))
      claims += 1
      claim.sequence = claims
      claim.echo = gateway.triggers.membership.sequence
      claim.level = Decibels(Self.level(from: spot, to: receiver) + random.next() / 2)
      claim.steady = Decibels(Self.level(from: spot, to: receiver) + random.next() / 3)
      (claim.rate, claim.isListening, claim.point) = (10, true, Self.place(receiver))
      gateway.receive(claim: claim, at: now)
    }
  }

  /// By itself, for callgrind.
  @inline(never) private mutating func hear(_ packet: [15 of UInt8], at now: Instant) {
    gateway.receive(packet.span.bytes, radio: 0, at: now)
  }

  private static func address(_ phone: Int) -> Address { Address(word: 0xC000_0000_0100 | UInt64(phone)) }

  private static func advert(_ phone: Int, _ level: Float) -> [15 of UInt8] {
    [4, 0x3E, 12, 2, 1, 3, 1, UInt8(phone), 1, 0, 0, 0, 0xC0, 0, UInt8(bitPattern: Int8(level))]
  }
}

/// ±4 dB, the same in each run.
private struct Noise {
  private var state: UInt64 = 42

  mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / 2_097_152 - 4
  }
}
