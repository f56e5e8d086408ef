/// What a radio transmits beside listening: our own services, connectable, and the configuration's beacons.
///
/// A controller with enough advertising sets sends all of them at once. With fewer sets, or a single one, the last set is shared by the
/// rest in turn.
struct AdvertisingSets: BitwiseCopyable, Sendable {
  struct Advertiser: BitwiseCopyable, Sendable {
    /// Its number in the configuration; nil: our services.
    var transmission: UInt8?
    var data = AdvertData()
    var interval = Interval.milliseconds(100)
    /// The power asked for, and the power that the controller chose.
    var asked: Int8?
    var chosen: Int8?
    var isByVendor = false
    /// After a refusal: when to retry, and how long to back off next time.
    var retry = Instant.zero
    var patience = AdvertisingSets.shortestPatience
    /// What was last reported of it.
    var reported = Reported.nothing
  }

  enum Reported: Equatable, BitwiseCopyable, Sendable {
    case nothing
    case sends(Int8?)
    case withheld
  }

  /// The next command for a set, or the one that it waits for.
  enum Stage: BitwiseCopyable, Sendable {
    case waiting(until: Instant)
    case disable, parameters, address, data, power, readPower, enable
    case on(until: Instant)
  }

  struct Set: BitwiseCopyable, Sendable {
    var advertiser = 0
    var stage = Stage.waiting(until: .zero)
  }

  /// Nine: eight transmissions and our services.
  var advertisers = Bounded<9, Advertiser>(filledWith: Advertiser())
  var sets = Bounded<9, Set>(filledWith: Set())
  var isCounted = false
  /// The set whose command has no answer yet.
  var current: Int?
  /// A connection has ended what that command was for.
  var isOvertaken = false
  private var isVisited = false
  /// Without buffers for connections nobody could be answered.
  private var isConnectable = false
  private var news: PeerNews?

  static let shortestPatience = Interval.seconds(5)
  private static let longestPatience = Interval.seconds(300)
  /// How long an advertiser keeps a shared set.
  private static let turn = Interval.seconds(1)

  @_optimize(size)
  init(_ duties: PeerDuties) {
    if duties.settings.serve {
      var own = Advertiser()
      own.data = duties.settings.advert
      _ = advertisers.append(own)
    }
    for index in duties.transmissions.indices {
      var advertiser = Advertiser()
      advertiser.transmission = UInt8(index)
      advertiser.data = duties.transmissions[index].advert
      advertiser.interval = duties.transmissions[index].interval
      advertiser.asked = duties.transmissions[index].txPower
      _ = advertisers.append(advertiser)
    }
  }

  // MARK: The controller and its visitors

  /// A controller sends nothing after its reset.
  mutating func restart(_ profile: Profile) {
    sets.removeAll()
    (current, isOvertaken, isVisited, isCounted) = (nil, false, false, !profile.isExtended)
    for index in advertisers.indices { (advertisers[index].retry, advertisers[index].patience) = (.zero, Self.shortestPatience) }
    if !profile.isExtended { divide(among: 1) }
    isConnectable = profile.connects
    guard profile.isWhole, !isConnectable else { return }
    for index in advertisers.indices where advertisers[index].transmission == nil {
      record(.withheld, of: index, status: Self.unsupported, isPower: false)
    }
  }

  /// Core 6.0, Vol 1, Part F, 2.17.
  private static let unsupported: UInt8 = 0x11

  /// The first sets have one advertiser each.
  mutating func divide(among most: Int) {
    isCounted = true
    for index in 0..<min(advertisers.count, max(most, 1)) { _ = sets.append(Set(advertiser: index)) }
  }

  /// A connection ends the advertising of our services. Core 6.0, Vol 4, Part E, 7.8.9 and 7.8.56.
  mutating func centralConnected() {
    isVisited = true
    for index in sets.indices where advertisers[sets[index].advertiser].transmission == nil {
      if current == index { isOvertaken = true }
      // A shared set continues with its other advertisers.
      sets[index].stage = .waiting(until: isShared(index) ? .zero : .never)
    }
  }

  mutating func centralDisconnected() {
    isVisited = false
    for index in sets.indices { if case .waiting = sets[index].stage { sets[index].stage = .waiting(until: .zero) } }
  }

  /// The controller has ended it by itself.
  mutating func terminated(_ set: Int, at now: Instant) {
    guard set < sets.count, case .on = sets[set].stage else { return }
    sets[set].stage = .waiting(until: now + Self.shortestPatience)
  }

  /// The controller may have forgotten all of them.
  mutating func renew() {
    for index in sets.indices { if case .on = sets[index].stage { sets[index].stage = .disable } }
  }

  private func isShared(_ set: Int) -> Bool { set == sets.count - 1 && sets.count < advertisers.count }

  // MARK: Time

  var deadline: Instant {
    var next = Instant.never
    for index in sets.indices {
      switch sets[index].stage {
      case .waiting(let until), .on(let until): next = min(next, until)
      case .disable, .parameters, .address, .data, .power, .readPower, .enable: break
      }
    }
    return next
  }

  mutating func tick(at now: Instant) {
    for index in sets.indices {
      switch sets[index].stage {
      case .waiting(let until) where now >= until: startNext(index, at: now)
      case .on(let until) where now >= until: sets[index].stage = .disable
      case .waiting, .on, .disable, .parameters, .address, .data, .power, .readPower, .enable: break
      }
    }
  }

  private func isReady(_ advertiser: Int, at now: Instant) -> Bool {
    now >= advertisers[advertiser].retry && (advertisers[advertiser].transmission != nil || isConnectable && !isVisited)
  }

  /// The next advertiser that may send.
  private mutating func startNext(_ set: Int, at now: Instant) {
    let first = isShared(set) ? sets.count - 1 : set
    let count = isShared(set) ? advertisers.count - first : 1
    var soonest = Instant.never
    for step in 1...count {
      let advertiser = first + (sets[set].advertiser - first + step) % count
      if isReady(advertiser, at: now) {
        sets[set].advertiser = advertiser
        sets[set].stage = .parameters
        return
      }
      if now < advertisers[advertiser].retry { soonest = min(soonest, advertisers[advertiser].retry) }
    }
    sets[set].stage = .waiting(until: soonest)
  }

  // MARK: Answers

  mutating func enabled(_ set: Int, at now: Instant) {
    let advertiser = sets[set].advertiser
    sets[set].stage = .on(until: isShared(set) ? now + Self.turn : .never)
    advertisers[advertiser].patience = Self.shortestPatience
    record(.sends(advertisers[advertiser].chosen), of: advertiser, status: 0, isPower: false)
  }

  /// Reports the refusal and backs off: its cause may pass.
  mutating func refused(_ set: Int, status: UInt8, isPower: Bool, at now: Instant) {
    let advertiser = sets[set].advertiser
    advertisers[advertiser].retry = now + advertisers[advertiser].patience
    advertisers[advertiser].patience = min(advertisers[advertiser].patience * 2, Self.longestPatience)
    sets[set].stage = .waiting(until: .zero)
    record(.withheld, of: advertiser, status: status, isPower: isPower)
  }

  private mutating func record(_ reported: Reported, of advertiser: Int, status: UInt8, isPower: Bool) {
    guard advertisers[advertiser].reported != reported else { return }
    advertisers[advertiser].reported = reported
    let transmission = advertisers[advertiser].transmission ?? PeerNews.ownServices
    switch reported {
    case .nothing: break
    case .sends(let power): news = .sends(transmission: transmission, power: power)
    case .withheld: news = .withheld(transmission: transmission, status: status, isPower: isPower)
    }
  }

  mutating func takeNews() -> PeerNews? {
    defer { news = nil }
    return news
  }
}
