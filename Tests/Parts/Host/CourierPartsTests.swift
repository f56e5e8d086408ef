import Core
import Foundation
import Testing

@testable import Host

@Suite("the courier's parts") struct CourierPartsTests {
  @Test("reconnection delays grow from half a second to fifteen, and differ between gateways", arguments: [1, 2, 3] as [UInt64])
  func backoff(seed: UInt64) {
    var backoff = Backoff(seed: seed)
    let pauses = (0..<20).map { _ in backoff.next() }
    #expect(pauses[0] == .seconds(0.5))
    for (index, pause) in pauses.enumerated() {
      let ceiling = Interval.seconds(min(0.5 * Double(1 << index), 15))
      #expect(pause <= ceiling && pause >= max(.seconds(0.5), .seconds(ceiling.seconds / 2)))
    }
    #expect(Set(pauses.suffix(12).map(\.microseconds)).count == 12)
    backoff.reset()
    #expect((backoff.next()) == .seconds(0.5))
  }

  @Test("the delays of a seed are the same everywhere") func pauses() {
    var backoff = Backoff(seed: 1)
    let pauses = (0..<10).map { _ in backoff.next().microseconds }
    #expect(
      pauses == [500_000, 535_257, 1_512_129, 3_452_569, 6_171_682, 8_266_518, 14_763_013, 7_545_393, 10_032_565, 12_439_996])
  }

  @Test("a courier that has done nothing has no troubles and is not online")
  func nothing() {
    let counters = CourierCounters()
    #expect(counters.troubles == [] && !counters.isOnline)
  }

  @Test("who has to say something new is woken, once for each change") func bells() {
    let bell = Doorbell()
    let counters = CourierCounters(ringing: bell)
    func wakes(_ change: () -> Void) -> Bool {
      bell.willSleep()
      change()
      defer { bell.didWake() }
      return wait(-1, Awaited(bell.descriptor), forAtMost: .zero).toRead
    }
    for isOnline in [true, false] {
      #expect(wakes { counters.isOnline = isOnline } && !wakes { counters.isOnline = isOnline } && counters.isOnline == isOnline)
    }
    for isThere in [true, false] {
      #expect(wakes { counters.set(.forbidden, isThere) } && !wakes { counters.set(.forbidden, isThere) })
      #expect(wakes { counters.set(.lost, isThere) } && counters.troubles == (isThere ? [.forbidden, .lost] : []))
    }
    #expect(!wakes { counters.published.add() } && counters.published.count == 1)
    var arena = Arena.taken(bytes: Ring<Request>.bytes(for: 4))
    let requests = Ring<Request>(capacity: 4, in: &arena)
    let intake = Intake(CourierSettings(), toCore: Outlet(requests: requests, bell: bell), counters)
    #expect(!wakes { intake.ring() })
    #expect(requests.push(.caughtUp) == nil)
    #expect(wakes { intake.ring() })
  }

  @Test("each trouble has its words, the gravest first") func troubles() {
    let first: [Troubles] = [.lost, .crowded, .store, .slow, .twin, .noClaims, .noHellos, .noTelemetry, .noProximity, .noRanging]
    let order = first + [.forbidden, .tooLong, .unsigned, .cramped, .leftOut, .tried, .touched, .setAside, .insecure]
    #expect(Troubles([]).words == nil)
    var words: Set<String> = []
    for (index, trouble) in order.enumerated() {
      let own = trouble.words.map { "\($0)" } ?? ""
      #expect(!own.isEmpty && words.insert(own).inserted)
      for later in order[(index + 1)...] { #expect(trouble.union(later).words.map { "\($0)" } == own) }
    }
  }

  @Test("a token bucket passes a burst, then its rate")
  func bucket() {
    var bucket = TokenBucket(burst: 10, pace: .milliseconds(200))
    let passed = (0..<1_000).count { bucket.take(at: Instant.zero + .milliseconds(Int64($0) * 10)) }
    #expect((59...60).contains(passed), "10 + 5 a second for 10 s")
    let start = Instant.zero + .hours(1)
    let atOnce = (0..<20).count { _ in bucket.take(at: start) }
    #expect(atOnce == 10)
  }

  private func state(_ topic: String, _ payload: String, lasting: Interval? = nil) -> Message {
    var message = Message()
    message.care = .state
    message.topic = Topic(topic)
    message.payload = Payload(payload)
    if let lasting { message.expires = message.at + lasting }
    return message
  }

  @Test("only a topic's latest state is published, and again when the broker has lost it")
  func shelf() throws {
    var shelf = RetainedMessages()
    for number in 1...3 { #expect((shelf.put(state("a", "\(number)"), at: .zero)) == true) }
    #expect((shelf.put(state("b", "x"), at: .zero)) == true)
    #expect(shelf.unsent == 2)
    let first = shelf.next(at: .zero)
    let word = try #require(first)
    #expect(word.message.payload == Payload("3"))
    shelf.send(slot: word.slot, version: word.version)
    #expect((shelf.next(at: .zero)?.message.topic) == Topic("b"))
    // A newer state while the older is in flight: the older one's acknowledgement does not count for the newer.
    #expect((shelf.put(state("a", "4"), at: .zero)) == true)
    shelf.acknowledge(slot: word.slot, version: word.version)
    shelf.requeue()
    #expect(shelf.unsent == 2)
    #expect((shelf.next(at: .zero)?.message.payload) == Payload("4"))
    while let word = shelf.next(at: .zero) {
      shelf.send(slot: word.slot, version: word.version)
      shelf.acknowledge(slot: word.slot, version: word.version)
    }
    #expect(shelf.unsent == 0 && shelf.isAllAcknowledged)
    shelf.requeue()
    #expect(shelf.unsent == 2)
  }

  @Test("a new connection forgets what the old one refused") func afresh() throws {
    var shelf = RetainedMessages()
    #expect((shelf.put(state("a", "1"), at: .zero)) == true)
    let first = shelf.next(at: .zero)
    let word = try #require(first)
    shelf.send(slot: word.slot, version: word.version)
    shelf.refuse(slot: word.slot, version: word.version, at: .zero)
    #expect(shelf.hasRefused && (shelf.next(at: .zero) == nil) && shelf.nextRetry(after: .zero) == .zero + .seconds(1))
    shelf.requeue()
    #expect(!shelf.hasRefused && (shelf.next(at: .zero)?.message.payload) == Payload("1") && shelf.nextRetry(after: .zero) == .never)
  }

  @Test("an expired state is not published, and its place is free")
  func spent() {
    var shelf = RetainedMessages()
    for number in 0..<RetainedMessages.capacity {
      let lasting: Interval? = number == 7 ? .seconds(1) : nil
      #expect((shelf.put(state("\(number)", "x", lasting: lasting), at: .zero)) == true)
    }
    #expect((shelf.put(state("new", "x"), at: .zero)) == false)
    #expect((shelf.put(state("new", "x"), at: .zero + .seconds(2))) == true)
    var told: [String] = []
    while let word = shelf.next(at: .zero + .seconds(2)) {
      told.append(String(word.message.topic))
      shelf.send(slot: word.slot, version: word.version)
    }
    #expect(told.count == RetainedMessages.capacity && told.contains("new") && !told.contains("7"))
  }

  @Test("an acknowledgement for a reused packet id acknowledges nothing")
  func doubt() {
    var inFlight = InFlight()
    inFlight.add(1, .event(row: 10, file: 1, isUrgent: false), at: .zero + .seconds(1))
    inFlight.add(2, .event(row: 11, file: 1, isUrgent: false), at: .zero + .seconds(2))
    inFlight.doubt(1)
    #expect((inFlight.take(1)?.isCertain) == false)
    #expect((inFlight.take(2)?.isCertain) == true)
    #expect((inFlight.take(2) == nil) == true)
    #expect(inFlight.isEmpty)
    inFlight.add(3, .event(row: 12, file: 1, isUrgent: false), at: .zero + .seconds(3))
    inFlight.add(3, .event(row: 13, file: 1, isUrgent: false), at: .zero + .seconds(3))
    #expect(inFlight.holds(row: 12, file: 1) && inFlight.holds(row: 13, file: 1) && !inFlight.holds(row: 12, file: 2))
    #expect(inFlight.oldest() == .zero + .seconds(3))
    #expect((inFlight.take(3)?.isCertain) == false)
    #expect((inFlight.take(3)?.isCertain) == false)
  }

  @Test(
    "every Home Assistant message fits, whatever the names, and has the required keys",
    arguments: [("\"", 32, 32), ("ü", 16, 16), ("g", 32, 32), ("g", 32, 16), ("g", 17, 32), ("g", 24, 24)])
  func discovery(letter: String, siteLength: Int, gatewayLength: Int) throws {
    let long = String(repeating: "\"", count: 32)
    var settings = Settings()
    // Names stand in the identifier as they are only below the usual prefix.
    if letter != "g" || siteLength + gatewayLength > 48 { settings.publish.prefix = Name(String(repeating: "p", count: 32)) }
    settings.gateway.site = Name(String(repeating: letter, count: siteLength))
    settings.gateway.name = Name(String(repeating: letter, count: gatewayLength))
    let discovery = Discovery(settings, version: Name("1.2.3-456-gabcdef0"))
    var hostile = Identity(.name)
    for _ in 0..<29 { hostile.append(UInt8(0x01)) }
    for byte in 0..<7 { hostile.append(UInt8(byte)) }
    var garbled = Identity(.name)
    for byte in 0..<40 { garbled.append(UInt8(byte < 33 ? 0xFF : 0)) }
    let messages = [
      discovery.trigger(Name(long)), discovery.region(Name(long)), discovery.tracker(hostile), discovery.distance(hostile),
      discovery.level(hostile, named: Name(long)), discovery.level(hostile), discovery.tracker(garbled), discovery.distance(garbled),
    ]
    for message in messages {
      #expect(!message.payload.overflowed && !message.topic.overflowed && message.isRetained)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(String(message.payload).utf8)) as? [String: Any])
      for key in ["stat_t", "uniq_id", "dev", "o", "avty_t"] { #expect(object[key] != nil, "\(key)") }
      #expect((object["val_tpl"] as? String)?.contains("if 'simulated' in value_json") == true, "a rehearsal opens no door")
      #expect((object["dev"] as? [String: Any])?["ids"] != nil && (object["o"] as? [String: Any])?["name"] != nil)
      #expect(String(message.topic).wholeMatch(of: /homeassistant\/(binary_sensor|sensor|device_tracker)\/[A-Za-z0-9_-]+\/config/) != nil)
    }
    #expect(Set(messages.map { String($0.topic) }).count == messages.count - 1, "a device's level is one sensor, whatever it is called")
  }

  @Test("the longest status and telemetry fit")
  func longest() throws {
    var report = StatusReport()
    report.reason = Sentence(String(repeating: "\"", count: 256))
    report.purpose = Sentence(String(repeating: "\\", count: 256))
    report.version = Name(String(repeating: "\u{1}", count: 32))
    report.boot = report.version
    report.simulated = true
    report.isAuthenticated = true
    var site = StatusReport.Site()
    site.heard = 64
    site.missing = Text(String(repeating: "\"", count: 100))
    site.missingLeftOut = 63
    report.site = site
    for _ in 0..<8 { report.groups.append(report.version) }
    for _ in 0..<4 { _ = report.radios.append(StatusReport.RadioState(name: report.version, state: report.version)) }
    let status = Message.status(report, topics: CourierSettings().topics, at: .zero)
    #expect(!status.payload.overflowed)
    _ = try JSONSerialization.jsonObject(with: Data(String(status.payload).utf8))
    for index in 0..<9 {
      var transmit = StatusReport.Transmit(index < 8 ? .eddystoneUID : nil)
      (transmit.state, transmit.power) = (.refused, -127)
      _ = report.transmits.append(transmit)
    }
    let sending = Message.status(report, topics: CourierSettings().topics, at: .zero)
    #expect(!sending.payload.overflowed)
    #expect(min(status.payload.free, sending.payload.free) >= SiteProof.added, "each can be proven")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(String(sending.payload).utf8)) as? [String: Any])
    let told = try #require(object["transmits"] as? [Any])
    #expect(told.count + (object["transmits_left_out"] as? Int ?? 0) == 9 && object["simulated"] as? Bool == true)
    var telemetry = Telemetry()
    telemetry.memoryBytes = 1 << 40
    telemetry.publications = 1 << 50
    let figures = Message.telemetry(telemetry, topics: CourierSettings().topics, simulated: true, at: .zero)
    #expect(!figures.payload.overflowed && figures.payload.count < 900)
    _ = try JSONSerialization.jsonObject(with: Data(String(figures.payload).utf8))
  }

  @Test("a reason of 160 bytes is said whole, a longer one is cut there", arguments: [159, 160, 161, 256])
  func reasons(length: Int) throws {
    var report = StatusReport()
    report.reason = Sentence(String(repeating: "r", count: length))
    let status = Message.status(report, topics: CourierSettings().topics, at: .zero)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(String(status.payload).utf8)) as? [String: Any])
    #expect(object["reason"] as? String == String(repeating: "r", count: min(length, 160)) && object["reasons_left_out"] == nil)
  }

  @Test("the status lists every transmission or says that there is no room")
  func transmits() throws {
    for length in 0..<256 {
      var report = StatusReport()
      report.purpose = Sentence(String(repeating: "p", count: length))
      report.reason = Sentence(String(repeating: "r", count: length))
      (report.simulated, report.isClockUnsynchronised, report.reasonsLeftOut) = (length % 2 == 0, length % 2 == 1, length % 3 * 10)
      for name in ["hci0", "hci1", "a stick behind the pump"] {
        _ = report.radios.append(StatusReport.RadioState(name: Name(name), state: Name("scanning")))
      }
      for index in 0..<9 {
        var transmit = StatusReport.Transmit(index < 8 ? .altBeacon : nil)
        (transmit.state, transmit.power) = index == 3 ? (.refused, nil) : (.on, 4)
        _ = report.transmits.append(transmit)
      }
      let status = Message.status(report, topics: CourierSettings().topics, at: .zero)
      #expect(!status.payload.overflowed)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(String(status.payload).utf8)) as? [String: Any])
      let told = try #require(object["transmits"] as? [[String: Any]])
      #expect(told.count + (object["transmits_left_out"] as? Int ?? 0) == 9)
      #expect(object["purpose"] as? String == String(report.purpose), "the people's sentence goes before")
      for (index, one) in told.enumerated() {
        #expect(one["kind"] as? String == (index < 8 ? "altbeacon" : "peer") && one["radio"] as? String == "hci0")
        #expect(one["state"] as? String == (index == 3 ? "refused" : "on") && one["tx_power_dbm"] as? Int == (index == 3 ? nil : 4))
      }
      if length < 40 { #expect(told.count == 9) }
    }
  }

  @Test("a fault is the connection's unless somebody says otherwise") func fault() {
    let fault = MQTTFault("the broker is gone")
    #expect(!fault.isOfMessage && !fault.isOfContent && fault.said == "the broker is gone")
  }

  @Test("the metrics file has the same figures, in Prometheus' format")
  func metrics() throws {
    let scratch = Scratch()
    var telemetry = Telemetry()
    telemetry.devices = 7
    try PrometheusFile.write(PrometheusFile.text(telemetry, site: Name("a\"b"), gateway: Name("g")), to: scratch.path + "/m.prom")
    let text = try String(contentsOfFile: scratch.path + "/m.prom", encoding: .utf8)
    #expect(text.contains("# TYPE forecourt_devices gauge\nforecourt_devices{site=\"a\\\"b\",gateway=\"g\"} 7\n"))
    #expect(text.contains("forecourt_dropped_packets_total{"))
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /forecourt_[a-z_]+\{site="a\\"b",gateway="g"\} -?[0-9.]+/) != nil, "\(line)")
    }
    #expect(scratch.names == ["m.prom"])
    var status = stat()
    #expect(stat(scratch.path + "/m.prom", &status) == 0 && status.st_mode & 0o777 == 0o644, "whatever the umask leaves")
    PrometheusFile.remove(scratch.path + "/m.prom")
    #expect(scratch.names == [])
    #expect(throws: FileRefusal.self) { try PrometheusFile.write([], to: scratch.path + "/no/m.prom") }
    #expect(mkfifo(scratch.path + "/pipe", 0o600) == 0)
    #expect(throws: FileRefusal.self, "it would replace it") { try PrometheusFile.write([], to: scratch.path + "/pipe") }
    PrometheusFile.remove(scratch.path + "/pipe")
    #expect(scratch.names == ["pipe"])
    #expect(Usage.now().memoryBytes > 1_000_000)
  }
}
