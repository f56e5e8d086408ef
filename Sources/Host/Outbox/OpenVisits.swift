package import Core

/// Visits whose start was published and whose end was not: a `fire` without its `leave`, an `enter` without its `exit`. They are in the
/// file, so that the run after a power cut can end them.
extension Outbox {
  package struct OpenVisit: BitwiseCopyable, Sendable {
    package var topic = Topic()
    package var id = Text<128>()
    /// Which run published the start.
    package var boot = Text<16>()
    package var machine: Int64 = 0
    /// When, on the clock of that start of the machine.
    package var at = Instant.zero
    /// nil if the clock could not be trusted: one that is set later would make it long ago.
    package var wall: Int64?
    /// The device's level at the command that began it; nil for any other visit.
    package var vouchedLevel: Decibels?

    private static let longest = Interval.hours(24 * 366)

    package init() {}

    /// When it started, on the clock of this start of the machine; now, if nobody knows. No checksum guards a visit's times: what cannot be
    /// is unknown.
    package func since(_ machine: Int64, at now: Moment) -> Instant {
      if self.machine == machine { return Instant.zero <= at && at <= now.at ? at : now.at }
      guard let wall, let today = now.trustedWall else { return now.at }
      let age = Interval(microseconds: today &- wall)
      return .zero <= age && age <= Self.longest ? now.at - age : now.at
    }
  }

  /// Within a transaction: opens or closes the visit that this event starts or ends. A trigger's begins with its fire, and whom it served is
  /// recorded at both.
  package func recordVisit(of message: borrowing Message, at now: Moment) throws(StoreFault) {
    guard message.visit != .none, !isRehearsal, let id = Self.identity(in: message.payload) else { return }
    var visit = OpenVisit()
    (visit.topic, visit.id, visit.boot) = (message.topic, id, boot)
    // A slow disk stores it late: the visit began, or ended, when the event came about.
    let age = message.at <= now.at ? now.at - message.at : .zero
    (visit.machine, visit.at, visit.wall) = (machine, now.at - age, now.trustedWall.map { $0 &- age.microseconds })
    if message.visit == .begins {
      visit.vouchedLevel = Self.vouchedLevel(in: message.payload)
      try record(visit)
    } else {
      statements.ending.bind(1, text: visit.topic.bytes)
      statements.ending.bind(2, text: id.bytes)
      try statements.ending.execute()
    }
    guard message.isUrgent else { return }
    try recordFire(visit)
    guard let other = message.otherName else { return }
    visit.id = Text()
    visit.id.append(other)
    try recordFire(visit)
  }

  package func record(_ visit: OpenVisit) throws(StoreFault) {
    statements.beginning.bind(1, text: visit.topic.bytes)
    statements.beginning.bind(2, text: visit.id.bytes)
    statements.beginning.bind(3, text: visit.boot.bytes)
    statements.beginning.bind(4, visit.machine)
    statements.beginning.bind(5, visit.at.microseconds)
    statements.beginning.bind(6, visit.wall)
    statements.beginning.bind(7, visit.vouchedLevel.map { Int64(($0.value * 10).rounded()) })
    try statements.beginning.execute()
  }

  /// They go on in another file, and the fires with them.
  package func forgetVisits() throws(StoreFault) {
    try database.run("DELETE FROM visit; DELETE FROM fire")
    recordOwnChange()
  }

  /// Of every run, until `body` returns false.
  package func openVisits(_ body: (OpenVisit) throws(StoreFault) -> Bool) throws(StoreFault) {
    let query = try database.statement(Schema.visits)
    while try query.step() { guard try body(OpenVisit(query)) else { return } }
  }

  /// A page of those that earlier runs began, from the last one backwards, or from the one before `end`.
  package func visitsLeftOpen(before end: OpenVisit?, atMost most: Int) throws(StoreFault) -> [OpenVisit] {
    let query = try database.statement(Schema.visitsLeftOpen)
    // No topic begins with this byte: it stands behind all of them.
    var last = Topic()
    last.append(byte: 0xFF)
    query.bind(1, text: boot.bytes)
    query.bind(2, text: (end?.topic ?? last).bytes)
    query.bind(3, text: (end?.id ?? Text()).bytes)
    query.bind(4, Int64(most))
    var page: [OpenVisit] = []
    while try query.step() { page.append(OpenVisit(query)) }
    return page
  }

  static func identity(in payload: Payload) -> Text<128>? { (try? JSONObject(payload.bytes).text("id")) ?? nil }

  /// A visit that the driver's word began is judged by the level at that word, in the next run too.
  private static func vouchedLevel(in payload: Payload) -> Decibels? {
    do {
      let event = try JSONObject(payload.bytes)
      guard try event.text("event") == Name("manual") else { return nil }
      return try event.number("average", in: "evidence", -200...100).map { Decibels(Float($0)) }
    } catch { return nil }
  }
}

/// Small named numbers that survive the process.
extension Outbox {
  /// In a transaction or alone. It survives a crash of the program; a power cut may undo the last one.
  package func mark(_ name: StaticString, _ value: Int64) throws(StoreFault) {
    statements.marking.bind(1, text: Name(name).bytes)
    statements.marking.bind(2, value)
    try statements.marking.execute()
    recordOwnChange()
  }

  package func marked(_ name: StaticString) throws(StoreFault) -> Int64? {
    let query = try database.statement(Schema.marked)
    query.bind(1, text: Name(name).bytes)
    return try query.step() ? query.integer(0) : nil
  }
}

extension Outbox.OpenVisit {
  init(_ query: borrowing Statement) {
    topic = query.text(0)
    id = query.text(1)
    boot = query.text(2)
    machine = query.integer(3)
    at = Instant(microseconds: query.integer(4))
    wall = query.optionalInteger(5)
    // No checksum guards it: what no receiver hears is no level.
    vouchedLevel = query.optionalInteger(6).flatMap { -2_000...1_000 ~= $0 ? Decibels(Float($0) / 10) : nil }
  }
}
