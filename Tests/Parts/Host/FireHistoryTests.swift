import Testing

@testable import Core
@testable import Host

/// Whom a program from before the table has served.
extension StoredFireTests {
  @Test("of a file from before the table the history says whom, but for a rehearsal's") func fromBefore() throws {
    do {
      let outbox = try outbox()
      let events = (0..<600).map { event($0 % 2 == 0 ? "fire" : "arm", "irk:\($0)", at: Self.began) }
      try store(outbox, events, at: Self.began)
      try deliver(outbox, at: Self.began)
      var simulated = event("fire", "irk:eve", at: Self.began)
      simulated.payload = Payload(#"{"event":"fire","id":"irk:eve","simulated":true}"#)
      let now = after(1)
      try store(outbox, [event("manual", "irk:ann", at: now), simulated, event("fire", "irk:bob", at: now, isUrgent: false)], at: now)
      try outbox.database.run("DROP TABLE fire")
    }
    for _ in 0..<2 {
      let outbox = try outbox()
      let found = try fires(outbox, at: after(5))
      #expect(found.count == 301 && found["irk:ann"] == 1 && found["irk:0"] == 0 && found["irk:598"] == 0)
      #expect(try outbox.recentFires(at: after(5)).first.map { String($0.id) } == "irk:ann", "in their order")
    }
  }

  @Test("whom a program from before the table has served since is known, too, and nobody is taken twice") func goneBack() throws {
    do {
      let outbox = try outbox()
      try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    }
    for name in ["irk:bob", "irk:eve"] {
      do {
        // It stores the event, and knows neither the table nor the mark.
        let outbox = try outbox()
        let mark = try outbox.database.number(Schema.firesKnown)
        try store(outbox, [event("fire", name, at: after(1))], at: after(1))
        try outbox.database.run("DELETE FROM fire WHERE id = (SELECT id FROM fire ORDER BY number DESC LIMIT 1)")
        try outbox.mark("fires", mark)
      }
      for _ in 0..<2 {
        let outbox = try outbox()
        #expect(try fires(outbox, at: after(5))[name] == 1)
        #expect(try outbox.keptFires().count == (name == "irk:bob" ? 2 : 3))
      }
    }
  }

  @Test("a start reads back to the last fire or the last ageing, and ageing writes nothing if nothing came") func bounded() throws {
    let outbox = try outbox()
    let began = [event("fire", "irk:ann", at: Self.began), event("arm", "irk:bob", at: Self.began)]
    try store(outbox, began, at: Self.began)
    func known() throws -> Int64 { try outbox.database.number(Schema.firesKnown) }
    let newest = try outbox.database.number(Schema.newest)
    #expect(try known() < newest)
    try outbox.age(at: after(1))
    let changes = try outbox.database.number("SELECT total_changes()")
    try outbox.age(at: after(2))
    #expect(try known() == newest && outbox.database.number("SELECT total_changes()") == changes)
  }

  @Test("one of the history that was stored without a trusted clock is of the run before") func ofNobodyKnowsWhen() throws {
    var began = Self.began
    began.isTrusted = false
    do {
      let outbox = try outbox()
      try store(outbox, [event("fire", "irk:ann", at: began)], at: began)
      #expect(try outbox.recentFires(at: after(5)).map(\.isOfOtherStart) == [false])
      try outbox.database.run("DROP TABLE fire")
    }
    #expect(try outbox().recentFires(at: after(5)).map(\.isOfOtherStart) == [true], "it matters until a time that is still to come")
  }
}
