import Core

/// Which subscriptions to make, and in what order. A retained message can end the connection, or the whole program (out of memory, or
/// inside libmosquitto), as soon as we subscribe, and again at every start. So the outbox records what is being tried before what comes is
/// read; after a crash each subscription is tried alone; and one that crashes three times is left out.
struct SubscriptionTrials {
  enum Subject: Int64, CaseIterable {
    case several, commands, claims, statuses, peers

    /// As the outbox records it. A run that ended with its machine, as by a power cut, accuses no subscription.
    func mark(on machine: Int64) -> Int64 { machine << 3 | (rawValue + 1) }
  }

  /// Retained messages come with the answer to the subscription; this is ample for them.
  private static let patience = Interval.seconds(2)
  private static let crashesMost: Int64 = 3

  /// How many crashes each subject has caused.
  private var crashes = [Int64](repeating: 0, count: Subject.allCases.count)
  private var wanted: [Subject] = []
  private(set) var trying: Subject?
  private(set) var due = Instant.never

  var isCareful: Bool { crashes.contains { $0 > 0 } }

  func isLeftOut(_ subject: Subject) -> Bool {
    let own = crashes[Int(subject.rawValue)]
    // At the first crash nobody knew which it was.
    return own >= Self.crashesMost || own == Self.crashesMost - 1 && crashes[0] > 0
  }

  var leftOut: Subject? { Subject.allCases.first { $0 != .several && isLeftOut($0) } }

  // -- From run to run ------------------------------------------------------------------------------------------------------

  /// For the next run: a byte for each subject.
  var saved: Int64 {
    var word: Int64 = 0
    for subject in Subject.allCases { word |= crashes[Int(subject.rawValue)] << (subject.rawValue * 8) }
    return word
  }

  /// `tried`: what the previous run was trying when it ended; nil if it ended otherwise.
  init(saved word: Int64 = 0, tried: Subject? = nil) {
    for subject in Subject.allCases {
      crashes[Int(subject.rawValue)] = min(max(word >> (subject.rawValue * 8) & 0xFF, 0), Self.crashesMost)
    }
    if let tried { recordCrash(of: tried) } else { forgive() }
  }

  /// After a run that ended well, or new settings: one more trial for each.
  mutating func forgive() {
    for index in crashes.indices where crashes[index] >= Self.crashesMost { crashes[index] = Self.crashesMost - 1 }
    for subject in Subject.allCases where subject != .several && isLeftOut(subject) { crashes[0] = 0 }
  }

  private mutating func recordCrash(of subject: Subject) {
    crashes[Int(subject.rawValue)] = min(crashes[Int(subject.rawValue)] + 1, Self.crashesMost)
  }

  // -- A connection ---------------------------------------------------------------------------------------------------------

  mutating func start(_ subjects: [Subject]) {
    wanted = subjects.filter { !isLeftOut($0) }
    (trying, due) = (nil, .never)
  }

  /// What to subscribe to now: all at once, or one at a time after a crash.
  mutating func next(at now: Instant) -> [Subject] {
    guard !wanted.isEmpty else {
      pass()
      return []
    }
    due = now + Self.patience
    guard isCareful else {
      trying = .several
      defer { wanted = [] }
      return wanted
    }
    pass()
    let subject = wanted.removeFirst()
    (trying, due) = (subject, now + Self.patience)
    return [subject]
  }

  /// The one on trial did no harm. After the last one the crash that nobody could assign is cleared, too.
  private mutating func pass() {
    if let trying { crashes[Int(trying.rawValue)] = 0 }
    if wanted.isEmpty { crashes[0] = leftOut == nil ? 0 : crashes[0] }
    (trying, due) = (nil, .never)
  }

  /// A message from the broker ended the connection; whether a subject was on trial.
  mutating func blame() -> Bool {
    guard let trying else { return false }
    recordCrash(of: trying)
    end()
    return true
  }

  /// The connection ended otherwise.
  mutating func end() { (wanted, trying, due) = ([], nil, .never) }
}
