import Core

/// The last fires and the ends of their visits, apart from the history: whoever was served is not served again because the outbox is small or
/// forgets soon.
extension Outbox {
  /// Of both together. 200 kilobytes at most.
  static let firesMost = 2 * RecentFires.most

  /// Within a transaction.
  func recordFire(_ visit: OpenVisit) throws(StoreFault) {
    try Self.record(visit, statements.firing)
    statements.crowding.bind(1, Int64(Self.firesMost))
    try statements.crowding.execute()
    knowFires()
  }

  /// The table has those of all events by now. Without the mark the next run takes some twice, which changes nothing.
  func knowFires() { try? database.run(Schema.knowFires) }

  private static func record(_ fire: OpenVisit, _ insertion: Statement) throws(StoreFault) {
    insertion.bind(1, text: fire.topic.bytes)
    insertion.bind(2, text: fire.id.bytes)
    insertion.bind(3, fire.machine)
    insertion.bind(4, fire.at.microseconds)
    insertion.bind(5, fire.wall)
    try insertion.execute()
  }

  /// So long after either it may matter.
  private var reach: Interval { settings.longestRest + RecentFires.downtime }

  /// The oldest first, for another file.
  func keptFires() throws(StoreFault) -> [OpenVisit] {
    var fires: [OpenVisit] = []
    let query = try database.statement(Schema.recentFires)
    while try query.step() { fires.append(Self.fire(kept: query)) }
    return fires.reversed()
  }

  static func fire(kept query: borrowing Statement) -> OpenVisit {
    var fire = OpenVisit()
    (fire.topic, fire.id, fire.machine) = (query.text(0), query.text(1), query.integer(2))
    (fire.at, fire.wall) = (Instant(microseconds: query.integer(3)), query.optionalInteger(4))
    return fire
  }

  /// Nobody's id is kept for longer than it matters.
  func forgetFires(at now: Moment) throws(StoreFault) {
    let wall = now.trustedWall
    if let wall {
      // Or each start of the machine would begin their rest anew.
      statements.dating.bind(1, wall)
      statements.dating.bind(2, machine)
      statements.dating.bind(3, now.at.microseconds)
      try statements.dating.execute()
    }
    statements.cooling.bind(1, machine)
    statements.cooling.bind(2, (now.at - reach).microseconds)
    statements.cooling.bind(3, wall.map { $0 - reach.microseconds })
    try statements.cooling.execute()
  }

  /// The newest, for as long as a trigger may rest after them.
  func recentFires(at now: Moment) throws(StoreFault) -> [Unfinished] {
    var fires: [Unfinished] = []
    let query = try database.statement(Schema.recentFires)
    while fires.count < Self.firesMost, try query.step() {
      let since = since(query, at: now)
      // Those of another start of the machine need not be in the order of their times: its clock may have been behind.
      guard since + reach > now.at else { continue }
      var fire = Unfinished(topic: query.text(0), id: query.text(1), since: since)
      // So is one of the future: the history did not know when, but until when it mattered.
      fire.isOfOtherStart = query.integer(2) != machine || Instant(microseconds: query.integer(3)) > now.at
      fires.append(fire)
    }
    return fires
  }

  /// When, on the clock of this start of the machine; now, if nobody knows: what has not been long enough ago rests.
  private func since(_ query: borrowing Statement, at now: Moment) -> Instant {
    if query.integer(2) == machine { return min(Instant(microseconds: query.integer(3)), now.at) }
    guard let wall = query.optionalInteger(4), let today = now.trustedWall, today >= wall else { return now.at }
    return min(now.at - Interval(microseconds: today &- wall), now.at)
  }

  // -- What a program from before the table has stored ---------------------------------------------------------------------

  /// So many rows are read at most, whatever they say: a start must not take long.
  private static let rowsMost = 20_000

  /// The history has them, and those of rehearsals, which served nobody.
  static func takeFires(ofHistory database: Database) throws(StoreFault) {
    let isNew = try database.number(Schema.hasFires) == 0
    let known = isNew ? 0 : try database.number(Schema.firesKnown)
    let newest = try database.number(Schema.newest)
    guard isNew || newest > known else { return }
    var fires: [OpenVisit] = []
    let query = try database.statement(Schema.urgentHistory)
    query.bind(1, known)
    var rows = 0
    while rows < rowsMost, fires.count < RecentFires.most, try query.step() {
      rows += 1
      if let fire = fire(query) { fires.append(fire) }
    }
    query.reset()
    try database.run("BEGIN IMMEDIATE")
    if isNew { try database.run(Schema.fires) }
    let insertion = try database.statement(Schema.firing)
    while let fire = fires.popLast() { try record(fire, insertion) }
    try database.run(Schema.knowFires)
    try database.run("COMMIT")
  }

  private static func fire(_ query: borrowing Statement) -> OpenVisit? {
    let payload: Payload = query.text(1)
    guard let deadline = query.optionalInteger(4), let object = try? JSONObject(payload.bytes),
      let event: Name = (try? object.text("event")) ?? nil, event == Name("fire") || event == Name("manual"),
      let id = identity(in: payload), (try? object.boolean("simulated")) ?? nil != true
    else { return nil }
    var fire = OpenVisit()
    (fire.topic, fire.id, fire.machine) = (query.text(0), id, query.integer(3))
    // Without the time at which it expires the clock was not to be trusted.
    var lifetime: Int64 = 0
    if let stored = query.optionalInteger(2), let expires = query.optionalInteger(5) { (fire.wall, lifetime) = (stored, expires &- stored) }
    fire.at = Instant(microseconds: deadline &- max(lifetime, 0))
    return fire
  }
}
