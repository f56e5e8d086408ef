import CTOML
import Core
import Simulation

// What a scenario says of one phone, and the values that only scenarios have.

extension Phone {
  mutating func read(from table: inout Section) {
    readIdentity(from: &table)
    readAddress(from: &table)
    table.read("power_dbm", &power, -120...20)
    table.read("power_spread_db", &powerSpread, 0...20)
    claimedPower = Int8(power)
    if let claim = table.number("claimed_dbm", -128...20, whole: true) { claimedPower = Int8(claim) }
    table.read("interval_ms", milliseconds: &interval, 20...60_000)
    table.read("height_m", &height, 0...20)
    table.read(
      "carried", &carried,
      oneOf: [
        ("hand", .inHand), ("front-pocket", .inFrontPocket), ("back-pocket", .inBackPocket), ("bag", .inBag), ("roof", .onRoof),
        ("mount", .onMount),
      ])
  }

  private mutating func readIdentity(from table: inout Section) {
    guard let text = table.string("identity") else { return }
    guard let advert = Advert(written: text) else {
      return table.fault(
        "identity",
        "must be ibeacon:UUID:MAJOR:MINOR, altbeacon:HEX40, eddystone:HEX20:HEX12, service:UUID, background:UUID, name:NAME or phone"
      )
    }
    says = advert
  }

  private mutating func readAddress(from table: inout Section) {
    let seconds = table.number("rotate_s", 1...86_400)
    if let text = table.string("irk") {
      guard let key = Block(hex: text) else { return table.fault("irk", "must be 32 hexadecimal digits") }
      address = .resolvable(key: key, seconds: seconds ?? 900)
    } else if let seconds {
      address = .rotating(seconds: seconds)
    }
  }
}

extension Advert {
  fileprivate init?(written text: String) {
    let copy = Text<128>(text)
    let bytes = copy.bytes
    if let uuid = Self.uuid(after: "service:", in: bytes) {
      self = .service(uuid)
    } else if let uuid = Self.uuid(after: "background:", in: bytes) {
      self = .background(uuid)
    } else if let name = Self.rest(after: "name:", in: bytes) {
      self = .named(Name(name))
    } else if same(text, "phone") {
      self = .nearby
    } else if let identity = try? Identity(written: bytes) {
      guard identity.kind == .iBeacon || identity.kind == .altBeacon || identity.kind == .eddystone else { return nil }
      self = .beacon(identity)
    } else {
      return nil
    }
  }

  private static func uuid(after prefix: StaticString, in bytes: RawSpan) -> ServiceUUID? {
    guard let rest = rest(after: prefix, in: bytes) else { return nil }
    return try? ServiceUUID(written: rest)
  }

  @_lifetime(copy bytes)
  private static func rest(after prefix: StaticString, in bytes: RawSpan) -> RawSpan? {
    let prefix = Text<16>(prefix)
    guard bytes.byteCount > prefix.count, bytes.extracting(first: prefix.count).equals(prefix.bytes) else { return nil }
    return bytes.extracting(droppingFirst: prefix.count)
  }
}

extension Block {
  fileprivate init?(hex text: String) {
    let copy = Text<64>(text)
    let bytes = copy.bytes
    guard bytes.byteCount == 32 else { return nil }
    self.init(repeating: 0)
    for index in 0..<16 {
      guard let high = hexDigit(bytes[2 * index]), let low = hexDigit(bytes[2 * index + 1]) else { return nil }
      self[index] = high << 4 | low
    }
  }
}

extension Section {
  mutating func read(_ key: String, _ value: inout Double, _ range: ClosedRange<Double>) {
    if let number = number(key, range) { value = number }
  }

  mutating func read(_ key: String, milliseconds value: inout Double, _ range: ClosedRange<Double>) {
    if let number = number(key, range) { value = number / 1_000 }
  }

  /// Two numbers: a place, or from and to. Whether they are there.
  @discardableResult
  mutating func read(_ key: String, _ point: inout Point, _ range: ClosedRange<Double> = -10_000...10_000) -> Bool {
    guard let list = value(key) else { return false }
    let isPair = list.kind == TOML_ARRAY && list.count == 2 && list[0].isNumber && list[1].isNumber
    guard isPair, range.contains(list[0].number), range.contains(list[1].number) else {
      fault(key, "must be two numbers between \(String(number: range.lowerBound)) and \(String(number: range.upperBound))")
      return true
    }
    point = Point(list[0].number, list[1].number)
    return true
  }

  /// A place on the site's plan, to the centimetre: claims and learnt-powers.jsonl write it so.
  mutating func read(_ key: String, _ point: inout PlanPoint?) {
    var place = Point.zero
    if read(key, &place) { point = PlanPoint(x: Float((place.x * 100).rounded() / 100), y: Float((place.y * 100).rounded() / 100)) }
  }
}

extension Node {
  fileprivate var isNumber: Bool { kind == TOML_INTEGER || kind == TOML_FLOAT }
}
