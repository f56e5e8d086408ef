/// How many transmitters send under one identity.
///
/// A phone that renews its address never returns to the old one. Two transmitters that share an identity alternate between two addresses:
/// the identity is in two places at once, and one of them is a copy. A copy that also uses the same address cannot be detected.
package struct CloneDetector: BitwiseCopyable {
  /// Lines of the address book: the current sender, and the one before.
  private var current: Int32 = -1
  private var former: Int32 = -1
  private var returned = Instant.zero
  private var returns: UInt8 = 0
  private var isReported = false
  /// The sender that the approach follows.
  private var followed: Int32 = -1

  /// One return may be a reused line of the address book; eight in a row cannot.
  private static let enough: UInt8 = 8
  /// Returns further apart than this are unrelated.
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

  /// Whether only this sender has been heard since the approach follows it.
  func isAlone(_ line: Int) -> Bool { Int(current) == line && followed == current }

  /// Follows the nearer of two senders: a copy, however often it sends, must not hide the original. `level` is how far this sample lies
  /// above the level of the followed sender, `silence` how long that one has been silent.
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

  /// Fading changes a few dB from packet to packet.
  private static let further: Float = 6
  private static let nearer: Float = 10
  /// A renewed address is followed once the old one has been silent for so long.
  private static let memory = Interval.seconds(1)

  /// True once in an encounter, when the anomaly must be published.
  package mutating func shouldReportTurns() -> Bool {
    guard returns >= Self.enough, !isReported else { return false }
    isReported = true
    return true
  }
}

extension Identity {
  /// An identity that one transmitter sends from one address at a time, and that everybody who hears it can copy. A phone known by its key
  /// is different: each of its apps may have its own address.
  var isCopyable: Bool {
    switch kind {
    case .eid, .iBeacon, .altBeacon, .eddystone: true
    case .irk, .peer, .service, .name, .address: false
    }
  }
}
