/// The receivers of a site, where nobody has said where they stand: our radios, and the neighbours by name.
package struct UnplacedSite: ~Copyable {
  struct NamedReceiver: BitwiseCopyable {
    /// Of our gateway; -1: a neighbour.
    var radio: Int8 = -1
    var used = Instant.never
    var gateway = Name()
    /// `receive_offset_db` of one of our own.
    var setting = Decibels(0)
  }

  private(set) var receivers = Bounded<8, NamedReceiver>(filledWith: NamedReceiver())
  /// Rises when a receiver's place in the list is given to another one.
  private(set) var edition: UInt8 = 0
  /// No radio and no trigger has a place on a plan.
  private(set) var isMeant = false
  private var isLearning = false
  private var us = Name()
  private var patterns = PlacePatterns()
  private let pin = Pin()
  /// Counts changes, for the file that keeps what was learnt.
  private(set) var changes: UInt64 = 0
  /// The receiver that was last found moved, until somebody asks.
  private var moved: MovedReceiver?

  /// One receiver alone hears no pattern.
  var hearsPatterns: Bool { isMeant && receivers.count > 1 }

  package init() {}

  @_optimize(size)
  package mutating func reload(_ settings: borrowing Settings) {
    isMeant = settings.hasNoPlan
    isLearning = settings.calibration.learns
    us = settings.gateway.name
    if !isLearning { patterns = PlacePatterns() }
    var own = Bounded<8, NamedReceiver>(filledWith: NamedReceiver())
    for radio in 0..<max(settings.radios.count, 1) where settings.isPlace(radio) {
      _ = own.append(NamedReceiver(radio: Int8(radio), gateway: settings.gateway.name, setting: settings.receiveOffset(of: radio)))
    }
    guard !isMeant || !hasSame(own) else { return change(to: own) }
    receivers.removeAll()
    patterns = PlacePatterns()
    edition &+= 1
    if isMeant { for index in own.indices { _ = receivers.append(own[index]) } }
  }

  /// The same radios under another `receive_offset_db`: their levels are other ones from now on.
  private mutating func change(to own: borrowing Bounded<8, NamedReceiver>) {
    for index in own.indices {
      let receiver = receiver(ofRadio: Int(own[index].radio))
      patterns.shift(receiver, by: (own[index].setting - receivers[receiver].setting).value)
      receivers[receiver].setting = own[index].setting
    }
  }

  private func hasSame(_ own: borrowing Bounded<8, NamedReceiver>) -> Bool {
    var count = 0
    for index in receivers.indices where receivers[index].radio >= 0 {
      guard count < own.count, own[count].radio == receivers[index].radio else { return false }
      guard own[count].gateway == receivers[index].gateway else { return false }
      count += 1
    }
    return count == own.count && count > 0
  }

  /// -1 where the radio is at no trigger's place.
  func receiver(ofRadio radio: Int) -> Int {
    for index in receivers.indices where Int(receivers[index].radio) == radio { return index }
    return -1
  }

  /// The neighbour's place, which is added if need be. -1 when eight others are in use.
  mutating func receiver(of neighbour: Name, now: Instant) -> Int {
    if let known = find(neighbour) {
      receivers[known].used = max(receivers[known].used, now)
      return known
    }
    let newcomer = NamedReceiver(used: now, gateway: neighbour)
    if receivers.append(newcomer) != nil {
      for index in receivers.indices where receivers[index].radio < 0 && receivers[index].used + .seconds(60) < now {
        receivers[index] = newcomer
        patterns.forget(index)
        edition &+= 1
        return index
      }
      return -1
    }
    patterns.forget(receivers.count - 1)
    return receivers.count - 1
  }

  private func find(_ neighbour: Name) -> Int? {
    for index in receivers.indices where receivers[index].radio < 0 && receivers[index].gateway == neighbour { return index }
    return nil
  }

  func compare(_ pattern: borrowing LevelPattern, at own: Int) -> SitePlan.Comparison {
    patterns.compare(pattern, at: own, receivers.count)
  }

  // MARK: Learning

  /// A device was served at that receiver's place.
  mutating func learn(_ pattern: LevelPattern, at place: Int) {
    guard isLearning, pattern.heard > 1 else { return }
    patterns.learn(pattern, at: place)
    changes &+= 1
    for receiver in receivers.indices where patterns.isMoved(receiver) {
      moved = MovedReceiver(gateway: receivers[receiver].gateway, visits: patterns.visits(of: receiver))
      patterns.forget(receiver)
    }
  }

  mutating func takeMoved() -> MovedReceiver? {
    defer { moved = nil }
    return moved
  }

  // MARK: For the file that keeps it

  package static let mostRecords = 56

  /// What is known, one at a time.
  package func forEachRecord(_ body: (PlaceRecord) -> Void) {
    for place in receivers.indices {
      for receiver in receivers.indices where receiver != place {
        var record = PlaceRecord()
        (record.loss, record.doubt, record.visits) = patterns.known(of: receiver, at: place)
        guard record.visits > 0 else { continue }
        (record.place, record.placeRadio) = (receivers[place].gateway, receivers[place].radio)
        (record.receiver, record.receiverRadio) = (receivers[receiver].gateway, receivers[receiver].radio)
        record.setting = receivers[receiver].setting - receivers[place].setting
        body(record)
      }
    }
  }

  /// What an earlier run has learnt. A neighbour that is only remembered gives its place to the first other one that is heard.
  package mutating func restore(_ record: PlaceRecord, at now: Instant) {
    guard isMeant, isLearning else { return }
    let longAgo = now - .seconds(61)
    let place = index(of: record.place, record.placeRadio, at: longAgo)
    guard place >= 0 else { return }
    let receiver = index(of: record.receiver, record.receiverRadio, at: longAgo)
    guard receiver >= 0, place != receiver else { return }
    let known = record.under(receivers[receiver].setting - receivers[place].setting)
    patterns.restore(receiver, at: place, loss: known.loss, doubt: known.doubt, visits: known.visits)
  }

  private mutating func index(of gateway: Name, _ radio: Int8, at now: Instant) -> Int {
    // A file of another board, in which we are the neighbour.
    if radio < 0 { return gateway == us ? -1 : receiver(of: gateway, now: now) }
    let own = receiver(ofRadio: Int(radio))
    return own >= 0 && receivers[own].gateway == gateway ? own : -1
  }
}

/// How much less one receiver hears than another of somebody at the other's place, for the file that keeps it.
package struct PlaceRecord: BitwiseCopyable, Sendable {
  package var place = Name()
  /// -1: a neighbour's.
  package var placeRadio: Int8 = -1
  package var receiver = Name()
  package var receiverRadio: Int8 = -1
  package var loss = Decibels(0)
  /// One standard deviation.
  package var doubt = Decibels(0)
  package var visits: UInt16 = 0
  /// By how much the receiver's `receive_offset_db` exceeded the place's then; a neighbour's, which is not known here, counts as 0. nil: an
  /// old file's.
  package var setting: Decibels?

  package init() {}

  /// As under other settings: what they take out of the receiver's levels it hears less.
  package func under(_ setting: Decibels) -> PlaceRecord {
    var record = self
    record.loss = loss + (setting - (self.setting ?? setting))
    record.setting = setting
    return record
  }
}

extension Settings {
  fileprivate var hasNoPlan: Bool {
    for index in radios.indices where radios[index].point != nil { return false }
    for index in triggers.indices where triggers[index].point != nil { return false }
    return true
  }

  /// Of several radios those that a trigger of a group names: two antennas at one pump are no two places.
  fileprivate func isPlace(_ radio: Int) -> Bool {
    if radios.count <= 1 { return true }
    for index in triggers.indices where Int(triggers[index].radio ?? -1) == radio && !triggers[index].group.isEmpty { return true }
    return false
  }
}
