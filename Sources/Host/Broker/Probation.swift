import Core

/// Which subscriptions are made, and in what order. What a broker keeps under a topic can end a connection, or the whole program (out of
/// memory, or inside libmosquitto), as soon as it is subscribed to, and at every start again. So what is being tried is noted before
/// it is tried; once something ended that way each subscription is tried by itself; and the one that did it three times is left out.
struct Probation {
  enum Subject: Int64, CaseIterable {
    case several, commands, claims, statuses, peers
  }

  /// What the broker keeps comes with the answer to the subscription; this is ample for it.
  private static let patience = Interval.seconds(2)
  private static let fallsMost: Int64 = 3

  /// How often each ended it.
  private var falls = [Int64](repeating: 0, count: Subject.allCases.count)
  private var wanted: [Subject] = []
  private(set) var trying: Subject?
  private(set) var due = Instant.never

  var isCareful: Bool { falls.contains { $0 > 0 } }

  func isLeftOut(_ subject: Subject) -> Bool {
    let own = falls[Int(subject.rawValue)]
    // The first time nobody knew which it was.
    return own >= Self.fallsMost || own == Self.fallsMost - 1 && falls[0] > 0
  }

  var leftOut: Subject? { Subject.allCases.first { $0 != .several && isLeftOut($0) } }

  // -- From run to run ------------------------------------------------------------------------------------------------------

  /// A byte for each subject.
  var noted: Int64 {
    var word: Int64 = 0
    for subject in Subject.allCases { word |= falls[Int(subject.rawValue)] << (subject.rawValue * 8) }
    return word
  }

  /// `tried`: what the run before was trying when it ended; nil when it ended otherwise.
  init(noted word: Int64 = 0, tried: Subject? = nil) {
    for subject in Subject.allCases { falls[Int(subject.rawValue)] = min(max(word >> (subject.rawValue * 8) & 0xFF, 0), Self.fallsMost) }
    if let tried { fall(tried) } else { forgive() }
  }

  /// A run that ended well, or new settings, give another chance; one.
  mutating func forgive() {
    for index in falls.indices where falls[index] >= Self.fallsMost { falls[index] = Self.fallsMost - 1 }
    for subject in Subject.allCases where subject != .several && isLeftOut(subject) { falls[0] = 0 }
  }

  private mutating func fall(_ subject: Subject) {
    falls[Int(subject.rawValue)] = min(falls[Int(subject.rawValue)] + 1, Self.fallsMost)
  }

  // -- A connection ---------------------------------------------------------------------------------------------------------

  mutating func begin(_ subjects: [Subject]) {
    wanted = subjects.filter { !isLeftOut($0) }
    (trying, due) = (nil, .never)
  }

  /// What is to be subscribed to now; all at once, unless something has happened.
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

  /// The one that was tried has done no harm; with the last of them, nothing is held against any that is made.
  private mutating func pass() {
    if let trying { falls[Int(trying.rawValue)] = 0 }
    if wanted.isEmpty { falls[0] = leftOut == nil ? 0 : falls[0] }
    (trying, due) = (nil, .never)
  }

  /// What the broker sent ended the connection; whether a subject was to blame.
  mutating func blame() -> Bool {
    guard let trying else { return false }
    fall(trying)
    stop()
    return true
  }

  /// The connection ended otherwise.
  mutating func stop() { (wanted, trying, due) = ([], nil, .never) }
}
