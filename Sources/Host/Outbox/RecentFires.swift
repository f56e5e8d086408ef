import Core

extension Outbox {
  /// So many rows are read at most, whatever they say: a start must not take long.
  private static let rowsMost = 20_000

  /// The newest fires, for as long as a trigger may rest after them. The history has them.
  func recentFires(atMost most: Int, at now: Moment) throws(StoreFault) -> [Unfinished] {
    var fires: [Unfinished] = []
    // What still waits is the newest.
    for query in [try database.statement(Schema.urgentWaiting), try database.statement(Schema.urgentSettled)] {
      var rows = 0
      while rows < Self.rowsMost, fires.count < most, try query.step() {
        rows += 1
        let since = stored(query, at: now)
        if since + settings.longestRest + RecentFires.downtime <= now.at { break }
        let payload: Payload = query.text(1)
        guard let object = try? JSONObject(payload.bytes), let event: Name = (try? object.text("event")) ?? nil,
          event == Name("fire") || event == Name("manual"), let id = Self.identity(in: payload)
        else { continue }
        fires.append(Unfinished(topic: query.text(0), id: id, since: since))
      }
    }
    return fires
  }

  /// When, on the clock of this start of the machine; now, if nobody knows: what has not been long enough ago rests.
  private func stored(_ query: borrowing Statement, at now: Moment) -> Instant {
    let (stored, deadline, expires) = (query.optionalInteger(2), query.optionalInteger(4), query.optionalInteger(5))
    if query.integer(3) == machine, let deadline {
      let lifetime = stored.flatMap { stored in expires.map { $0 &- stored } } ?? 0
      return min(Instant(microseconds: deadline &- max(lifetime, 0)), now.at)
    }
    guard let stored, let today = now.wall, today >= stored else { return now.at }
    return now.at - Interval(microseconds: today &- stored)
  }
}
