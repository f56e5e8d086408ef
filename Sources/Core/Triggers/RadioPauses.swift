/// When each radio last stopped listening for a connection attempt. Whoever came meanwhile it cannot have heard.
struct RadioPauses: BitwiseCopyable {
  private var began = InlineArray<4, Instant>(repeating: .never)
  /// Until when a pause matters; never while it goes on, zero once it is over.
  private var ends = InlineArray<4, Instant>(repeating: .zero)
  private var last = Instant.zero

  /// Shorter ones do not hide all the samples that a fire needs.
  private static let shortest = Interval.milliseconds(500)
  /// An advert of a phone that sends one a second.
  private static let after = Interval.seconds(1)
  /// Whoever was heard so short a time ago is known to be here.
  private static let fresh = Interval.seconds(2)

  mutating func record(_ radio: Int, isPaused: Bool, at now: Instant) {
    guard isPaused != (ends[radio] == .never) else { return }
    if isPaused {
      (began[radio], ends[radio]) = (now, .never)
    } else {
      ends[radio] = now - began[radio] < Self.shortest ? .zero : now + Self.after
    }
    last = max(max(ends[0], ends[1]), max(ends[2], ends[3]))
  }

  /// Every report at a trigger asks.
  @inline(__always)
  func matter(at now: Instant) -> Bool { now < last }

  /// Whether a device that this radio last `heard` then may be here now.
  func mayHide(_ heard: Instant?, from radio: Int, at now: Instant) -> Bool {
    guard now < ends[radio], ends[radio] != .never || now - began[radio] >= Self.shortest else { return false }
    return heard.map { now - $0 >= Self.fresh } ?? true
  }
}

extension Triggers {
  package mutating func radio(_ radio: Int, isPaused: Bool, at now: Instant) { pauses.record(radio, isPaused: isPaused, at: now) }

  /// Whether the device may stand at another trigger of the group whose radio did not listen.
  @inline(never)
  func isHidden(_ place: Int32, in group: Name, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    let slot = Int(encounters[place].device)
    for index in settings.triggers.indices where settings.triggers[index].group == group {
      guard let radio = settings.triggers[index].radio, radio != encounters[place].radio else { continue }
      if pauses.mayHide(devices[slot, Int(radio)].heard, from: Int(radio), at: now) { return true }
    }
    return false
  }
}
