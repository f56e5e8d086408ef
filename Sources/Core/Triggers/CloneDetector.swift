/// How many transmitters speak under one name.
///
/// A phone renews its address and never goes back to the one before. Two transmitters under one identity take turns: then it is in two
/// places at once, and one of them copies the other. Who copies the address as well is not told apart.
package struct CloneDetector: BitwiseCopyable {
  /// Lines of the address book.
  private var current: Int32 = -1
  private var former: Int32 = -1
  private var returned = Instant.zero
  private var returns: UInt8 = 0
  private var isReported = false
  /// Whom the approach is about.
  private var followed: Int32 = -1

  /// Once may be a line of the address book that changed hands, eight times in a row is none.
  private static let enough: UInt8 = 8
  /// Turns that lie so far apart have nothing to do with one another.
  private static let patience = Interval.seconds(10)

  package init() {}

  package mutating func observe(_ line: Int, at now: Instant) {
    let sender = Int32(truncatingIfNeeded: line)
    guard sender != current else { return }
    if sender == former {
      returns = now - returned < Self.patience ? min(returns + 1, Self.enough) : 1
      returned = now
    }
    (former, current) = (current, sender)
  }

  /// Whether nobody else has spoken since this one was followed.
  func isAlone(_ line: Int) -> Bool { Int(current) == line && followed == current }

  /// Of two that take turns the nearer one is followed: a copy, however often it speaks, must not make the original vanish. Tells what to make
  /// of a sample that lies so many dB above the level of whom was followed until so long ago.
  package mutating func follow(_ line: Int, above level: Float, after silence: Interval) -> Part {
    let sender = Int32(truncatingIfNeeded: line)
    guard sender != followed, followed >= 0, silence < Self.memory else {
      followed = sender
      return .same
    }
    if level < -Self.further { return .leftOut }
    followed = sender
    return level > Self.nearer ? .other : .same
  }

  package enum Part { case same, other, leftOut }

  /// Fading takes and gives a few dB from packet to packet.
  private static let further: Float = 6
  private static let nearer: Float = 10
  /// A phone that renewed its address is followed as soon as its old one has been silent for so long.
  private static let memory = Interval.seconds(1)

  /// True when it is to be told: once in an encounter.
  package mutating func shouldReportTurns() -> Bool {
    guard returns >= Self.enough, !isReported else { return false }
    isReported = true
    return true
  }
}

extension Identity {
  /// One transmitter has one address at a time while it says this, and whoever hears it can say it, too. Not so a phone known by its key: its
  /// apps may each have an address of their own.
  var isCopyable: Bool {
    switch kind {
    case .eid, .iBeacon, .altBeacon, .eddystone: true
    case .irk, .peer, .service, .name, .address: false
    }
  }
}
