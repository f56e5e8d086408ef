// Gateways say hello on the same topics as claims, with the numbers that they have received from each other. So each knows before anything
// is at stake which neighbours it hears, and which hear it.

/// Why nothing in a group fires now, though all else is well.
package enum Unheard: BitwiseCopyable, Equatable, Sendable {
  /// Our own hellos do not come back: the broker does not carry them, or does not deliver them to us.
  case ourselves
  /// We do not hear it.
  case neighbour(Name)
  /// We hear it, and it does not hear us.
  case oneWay(Name)
  /// It hears no device.
  case deaf(Name)
}

/// Whether we and the neighbours that matter hear each other.
package struct SiteHearing: BitwiseCopyable, Sendable {
  package fileprivate(set) var unheard: Unheard?
  /// Neighbours that should be heard and are not, a slash between names, as many as fit.
  package fileprivate(set) var missing = Text<100>()
  package fileprivate(set) var missingLeftOut = 0
  package fileprivate(set) var heard = 0
}

extension Membership {
  static let helloPace = Interval.seconds(1)

  mutating func updateHearing(for groups: GroupList, at now: Instant) {
    hearing.unheard = unheard(for: groups, at: now)
    (hearing.missing, hearing.missingLeftOut) = hearing.unheard == nil ? (Text(), 0) : missing(for: groups, at: now)
    hearing.heard = 0
    for index in members.indices where hearsUs(index, at: now) { hearing.heard += 1 }
  }

  private func unheard(for groups: GroupList, at now: Instant) -> Unheard? {
    guard isConnected, let age = lineAge(at: now), age >= Member.patience, !groups.isEmpty, !isRosteredAlone else { return nil }
    guard let greetsSince, now - greetsSince >= Member.patience else { return nil }
    if !hearsItself(at: now) { return .ourselves }
    for index in members.indices where isAwaited(index, for: groups, at: now) {
      if !members[index].isHeard(at: now) { return .neighbour(members[index].name) }
    }
    for index in members.indices where isAwaited(index, for: groups, at: now) && !hearsUs(index, at: now) && members[index].owesEcho {
      return .oneWay(members[index].name)
    }
    for index in members.indices where isAwaited(index, for: groups, at: now) && members[index].isDeaf {
      return .deaf(members[index].name)
    }
    return nil
  }

  /// What `status` has room for.
  private static let missingBytes = 60

  private func missing(for groups: GroupList, at now: Instant) -> (Text<100>, leftOut: Int) {
    var (names, leftOut) = (Text<100>(), 0)
    for index in members.indices where isAwaited(index, for: groups, at: now) && (!hearsUs(index, at: now) || members[index].isDeaf) {
      let name = members[index].name
      guard names.count + name.count < Self.missingBytes else {
        leftOut += 1
        continue
      }
      if !names.isEmpty { names.append(byte: UInt8(ascii: "/")) }
      names.append(name)
    }
    return (names, leftOut)
  }

  /// One hello does not hold all names of a large site: with 64 of 32 bytes an echo comes with every sixth.
  private func hearsUs(_ index: Int, at now: Instant) -> Bool {
    members[index].hearsUs(since: now - Member.patience - .seconds(Double(members.count / 16 * 2)))
  }

  private func isAwaited(_ index: Int, for groups: GroupList, at now: Instant) -> Bool {
    if members[index].isFree { return false }
    if groups.isEverything { return !members[index].isGone(at: now) }
    for place in groups.indices where members[index].competes(in: groups[place], at: now) { return true }
    return false
  }
}

extension Triggers {
  /// A radio that recovers within a moment is not worth a word.
  private static let hiccup = Interval.seconds(2)

  private func isDeafForLong(_ settings: borrowing Settings, at now: Instant) -> Bool {
    for index in settings.triggers.indices where !settings.triggers[index].group.isEmpty {
      if isDeaf(in: settings.triggers[index].group, settings, since: now - Self.hiccup) { return true }
    }
    return false
  }

  mutating func publishHello(_ settings: borrowing Settings, at now: Instant, _ publisher: inout Publisher) {
    let groups = settings.groups
    var list = GroupList()
    if !groups.isEmpty { list.read(groups.bytes) }
    membership.updateHearing(for: list, at: now)
    let number = membership.nextHello(at: now)
    publisher.composeSiteMessage(publisher.topics.hello(settings.gateway.name), at: now)
    let boot = publisher.boot
    publisher.json.member("gateway", text: settings.gateway.name.bytes)
    publisher.json.member("boot", text: boot.bytes)
    publisher.json.member("seq", Int64(number))
    publisher.json.member("groups", text: groups.bytes)
    if isDeafForLong(settings, at: now) { publisher.json.member("deaf", true) }
    if let id = membership.servedID { publisher.json.member("peer", installation: id) }
    publisher.json.member("uptime_s", (publisher.clock.uptime(at: now).microseconds + 500) / 1_000, decimals: 3)
    var heard = HeardList(room: publisher.json.free - Payload.roomForTheEnd)
    var index = membership.listStart
    for _ in membership.members.indices {
      if index >= membership.members.count { index = 0 }
      if let (boot, sequence) = membership.members[index].toEcho(at: now) {
        guard heard.append(sequence, of: membership.members[index].name, boot) else { break }
      }
      index += 1
    }
    membership.listStart = index
    publisher.json.member(heard)
    publisher.publish()
  }
}

/// `57/gate-a/12/gate-b` and `0f3a9c21/77bd0142`: the last number received from each gateway, and in which of its runs.
struct HeardList {
  private(set) var numbers = Text<520>()
  private(set) var runs = Text<200>()
  /// Bytes of JSON that are left.
  private var room: Int

  private static let keys = 21

  init(room: Int) { self.room = room - Self.keys }

  /// False when it does not fit.
  mutating func append(_ sequence: UInt32, of gateway: Name, _ boot: Text<16>) -> Bool {
    let run = Run(boot)
    let added = gateway.bytes.mostEscaped + run.bytes.mostEscaped + 13
    guard room >= added, numbers.free >= gateway.count + 12, runs.free > run.count else { return false }
    room -= added
    if !numbers.isEmpty {
      numbers.append(byte: UInt8(ascii: "/"))
      runs.append(byte: UInt8(ascii: "/"))
    }
    numbers.append(decimal: UInt64(sequence))
    numbers.append(byte: UInt8(ascii: "/"))
    numbers.append(gateway)
    runs.append(run)
    return true
  }
}

/// Enough of a run's name to tell it from every other run.
package typealias Run = Text<8>

extension Run {
  package init(_ boot: Text<16>) {
    self.init()
    for index in 0..<min(boot.count, 8) { append(byte: boot[index]) }
  }
}

extension Payload {
  /// `,"simulated":true}` and the signature.
  static let roomForTheEnd = 18 + proofBytes
  /// The signature: `,"mac":"…"`.
  package static let proofBytes = 53

  mutating func member(_ heard: HeardList) {
    member("heard", text: heard.numbers.bytes)
    member("runs", text: heard.runs.bytes)
  }
}

extension Claim {
  /// Our number that a message echoes; zero when its gateway has received none of this run.
  package static func echo(to us: Name, _ boot: Text<16>, in heard: RawSpan, runs: RawSpan, mustName: Bool) -> UInt32 {
    var start = 0
    var number: UInt32 = 0
    var place = 0
    var isName = false
    for index in 0...heard.byteCount where index == heard.byteCount || heard[index] == UInt8(ascii: "/") {
      let part = heard.extracting(start..<index)
      if isName {
        if part.equals(us.bytes) { return names(Run(boot), at: place, in: runs, mustName: mustName) ? number : 0 }
        place += 1
      } else {
        number = part.decimal ?? 0
      }
      isName.toggle()
      start = index + 1
    }
    return 0
  }

  /// Older gateways send no runs.
  private static func names(_ run: Run, at place: Int, in runs: RawSpan, mustName: Bool) -> Bool {
    guard runs.byteCount > 0 else { return !mustName }
    var start = 0
    var seen = 0
    for index in 0...runs.byteCount where index == runs.byteCount || runs[index] == UInt8(ascii: "/") {
      if seen == place { return runs.extracting(start..<index).equals(run.bytes) }
      seen += 1
      start = index + 1
    }
    return false
  }
}

extension RawSpan {
  fileprivate var decimal: UInt32? {
    guard byteCount > 0, byteCount <= 10 else { return nil }
    var value: UInt64 = 0
    for index in 0..<byteCount {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= self[index] else { return nil }
      value = value * 10 + UInt64(self[index] - UInt8(ascii: "0"))
    }
    return UInt32(exactly: value)
  }
}
