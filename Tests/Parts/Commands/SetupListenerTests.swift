import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("setup that listens") struct SetupListenerTests {
  private func holding() throws -> Listening<HoldListener> {
    let quick = "[average]\ntime_constant_s = 0.8\nstale_s = 3\n"
    return Listening(HoldListener(try offlineGateway(quick), captureConditions(), ProgressBar()))
  }

  /// Hears beacons of these levels for so long, ten times a second; the second at which it has heard enough.
  private func hear(
    _ told: Listening<HoldListener>, from start: Int, to end: Int, since begun: Instant, _ levels: KeyValuePairs<UInt8, Int8>
  ) -> Int? {
    for tenth in start..<end {
      let now = begun + .milliseconds(100 * Int64(tenth))
      for (beacon, level) in levels { told.receive(DaemonRig.advert(beacon, level: level), at: now) }
      if !told.turned(at: now) { return tenth }
    }
    return nil
  }

  @Test("who is held at the radio is known when one device has been much nearer than all others for two seconds") func held() throws {
    let begun = Clock.now()
    let one = try holding()
    // It has an estimate after three samples; at the next look it is still the nearest.
    #expect(hear(one, from: 0, to: 60, since: begun, [2: -70, 1: -40]) == 23)
    #expect(one.listener.nearest.map { $0.identity.text } == [1, 2].map { "ibeacon:\(Machine.uuid):7:\($0)" })
    #expect(one.listener.nearest.map(\.level) == [-40, -70] && one.listener.end == nil)
    // Two that are as near, until one is silent for three seconds.
    let two = try holding()
    #expect(hear(two, from: 0, to: 40, since: begun, [1: -40, 2: -45]) == nil)
    #expect(hear(two, from: 40, to: 130, since: begun, [1: -40]).map { 88...92 ~= $0 } == true)
    // Another that comes nearer begins anew.
    let three = try holding()
    #expect(hear(three, from: 0, to: 15, since: begun, [1: -49]) == nil)
    let end = hear(three, from: 15, to: 60, since: begun, [1: -49, 2: -20])
    #expect(end.map { 37...40 ~= $0 } == true && three.listener.nearest[0].identity.text.hasSuffix(":2"), "\(end ?? -1)")
    // Of many the five nearest.
    let many = try holding()
    #expect(hear(many, from: 0, to: 40, since: begun, [7: -57, 1: -51, 2: -52, 6: -56, 3: -53, 5: -55, 4: -54]) == nil)
    #expect(many.listener.nearest.map { $0.identity.text.suffix(2) } == [":1", ":2", ":3", ":4", ":5"])
  }

  @Test("near is above -50 dBm, and 8 dB above the next") func clear() throws {
    let identity = try Machine.identity("irk:a")
    for (levels, isClear) in [
      ([], false), ([-49.9], true), ([-50], false), ([-40, -48.1], true), ([-40, -48], false), ([-50, -90], false),
      ([-40, -60, -40], true),
    ] as [([Float], Bool)] {
      let heard = levels.map { HeardDevice(identity: identity, level: $0, addressStays: nil) }
      #expect(HoldListener.isClear(heard) == isClear, "\(levels)")
    }
  }

  @Test("the holding ends after fifteen seconds, with the radios, and when somebody stops it") func holdEnds() throws {
    let first = Clock.now()
    let told = try holding()
    let last = Clock.now()
    let before = Clock.now()
    let deadline = told.nextDeadline
    #expect((before + .milliseconds(200)...Clock.now() + .milliseconds(200)).contains(deadline))
    told.asked(.reload)
    told.reported(.scanning)
    told.expectEnd(after: 15, first, last)
    #expect(told.listener.end == nil)
    told.asked(.stop)
    #expect(told.listener.end == .failed && !told.turned(at: first))
    let broken = try holding()
    broken.reported(.failed(.noPermission))
    broken.reported(.scanning)
    #expect(broken.listener.end == .forbidden && !broken.turned(at: first), "the first end is the end")
  }

  @Test("the wait for a fire ends with it, after its time, with the recording, and when somebody stops it") func fire() throws {
    func waiting() throws -> Listening<FireListener> {
      Listening(FireListener(try offlineGateway(), captureConditions(), Output(), TimeSpan(seconds: 60)))
    }
    let first = Clock.now()
    let told = try waiting()
    let last = Clock.now()
    told.expectEnd(after: 60, first, last)
    let soon = told.nextDeadline
    #expect(soon <= last + .seconds(60) && !told.listener.hasFired && told.listener.end == nil)
    let fires = try waiting()
    // First ten steps away: whoever is there already has not arrived.
    let fired = (0..<400).first { step in
      let now = first + .milliseconds(Int64(step) * 100)
      fires.receive(DaemonRig.advert(1, level: step < 300 ? -90 : -45), at: now)
      return !fires.turned(at: now)
    }
    #expect(fired != nil && fires.listener.hasFired && fires.listener.end == nil)
    // Served and gone within one turn: it was served.
    let slow = try waiting()
    for step in 0..<550 {
      slow.receive(DaemonRig.advert(1, level: 300..<380 ~= step ? -45 : -90), at: first + .milliseconds(Int64(step) * 100))
    }
    #expect(!slow.turned(at: first + .seconds(55)) && slow.listener.hasFired)
    // Silence, too, is an answer: what is due then is done.
    let silent = try waiting()
    let armed = first + .milliseconds(100)
    silent.receive(DaemonRig.advert(1, level: -60), at: armed)
    let due = silent.nextDeadline
    silent.listener.tick(at: due)
    #expect(armed < due && due < silent.nextDeadline)
    for (condition, end) in [(Condition.ended, nil), (.failed(.noSource), Exit.unreadable)] {
      let over = try waiting()
      over.reported(.scanning)
      #expect(over.turned(at: first))
      over.reported(condition)
      #expect(!over.turned(at: first) && over.listener.end == end)
    }
    let stopped = try waiting()
    stopped.asked(.stop)
    #expect(!stopped.turned(at: first) && stopped.listener.end == nil)
  }

  @Test("of the messages a trigger's events are shown, each with its word in a column") func lines() {
    func line(_ payload: String) -> String? {
      var message = Message()
      message.payload = Payload(payload)
      return FireListener.line(message)
    }
    for (event, word) in [("arm", "arm      "), ("fire", "fire     "), ("undecided", "undecided"), ("leave", "leave    ")] {
      let payload = "{\"v\":1,\"event\":\"\(event)\",\"trigger\":\"pump\"}"
      #expect(line(payload) == "  \(word)  \(payload)")
      #expect(line("{\"v\":1,\"event\":\"\(event)\",\"region\":\"pump\"}") == nil)
    }
    #expect(line("{\"v\":1,\"event\":\"enter\",\"trigger\":\"pump\"}") == nil)
  }
}
