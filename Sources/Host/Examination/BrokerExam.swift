import Core

extension Examined {
  /// Connects under its own client id and publishes one message where the gateway would; a running gateway notices nothing. If claims are
  /// exchanged, also checks whether messages to the site come back.
  static func broker(
    _ settings: CourierSettings, within patience: Interval = .seconds(6), _ meanwhile: @escaping () -> Void
  ) -> [Examined] {
    let place = "\(String(settings.broker.host)):\(settings.broker.port)"
    let call = BrokerCall(settings, until: Clock.now() + patience, meanwhile)
    do throws(MQTTFault) {
      try call.ask()
      guard !call.isUnanswered else { throw MQTTFault("does not answer within \(Int(patience.seconds)) s") }
    } catch {
      return [failed(error, call, settings, place, meanwhile)]
    }
    let broker = examined(call.answer, settings, place, within: patience)
    switch call.answer {
    case .mayWrite, .wroteUnseen, .takesNoneAsLong: if !settings.claims { return [broker] }
    case .none, .connected, .mayNotWrite: return [broker]
    }
    return [broker, neighbours(call.heard, settings)]
  }

  private static func examined(
    _ answer: BrokerCall.Answer, _ settings: CourierSettings, _ place: String, within patience: Interval
  ) -> Examined {
    let (base, seconds) = (String(settings.topics.base), Int(patience.seconds))
    switch answer {
    case .none: return Examined("broker", .bad(.unavailable), "\(place): does not answer within \(seconds) s")
    case .connected:
      return Examined("broker", .doubtful, "\(place): connected, but did not acknowledge a message within \(seconds) s")
    case .mayNotWrite:
      return Examined("broker", .bad(.forbidden), "\(place): we may not write there: the broker's access list must allow write \(base)/#")
    case .wroteUnseen:
      let words =
        "connected, but with [mqtt] version = 4 a broker does not say whether we may write, and what we wrote to \(base)/check did not come back"
      return Examined("broker", .doubtful, "\(place): \(words): \(needs(settings)); or set version = 5")
    case .takesNoneAsLong:
      let limits = "raise its limit, at mosquitto max_packet_size or message_size_limit, at RabbitMQ mqtt.max_packet_size_authenticated"
      return Examined("broker", .bad(.forbidden), "\(place): it takes no message of \(Payload.capacity) bytes, as ours may be: \(limits)")
    case .mayWrite:
      let security = settings.broker.usesTLS ? "over TLS" : "without TLS"
      return Examined("broker", .good, "\(place): connected \(security), and we may write below \(base)")
    }
  }

  static func neighbours(_ heard: BrokerAnswers, _ settings: CourierSettings) -> Examined {
    let site = String(settings.topics.site)
    guard heard.hearsItself else {
      let words = "our claims do not come back, so no trigger in a group would fire: the broker's "
      return Examined("neighbours", .bad(.forbidden), words + needsOfClaims(settings))
    }
    guard heard.hearsDots else {
      let words =
        "what has a dot in its topic does not come back as it was, as at RabbitMQ: claims about names with a dot get lost; use none"
      return Examined("neighbours", .doubtful, words)
    }
    var silent: [String] = []
    for index in settings.roster.indices where settings.roster[index] != settings.name {
      let name = String(settings.roster[index])
      if !heard.statuses.contains(where: { same($0.name, name) }) { silent.append(name) }
    }
    if !silent.isEmpty {
      let remedy = "it has never run here, or the access list does not allow read \(site)/+/status"
      return Examined("neighbours", .doubtful, "our claims come back, but there is no status of \(listed(silent, with: "and")): " + remedy)
    }
    let strangers = heard.statuses.filter { !$0.isProven }.map { $0.name }
    if !strangers.isEmpty {
      let remedy = "not authenticated with our site's key: give each gateway the same site_key_file"
      return Examined("neighbours", .bad(.forbidden), "\(listed(strangers, with: "and")): \(remedy)")
    }
    let others = heard.statuses.filter { !same($0.name, String(settings.name)) }.map { $0.name }
    let known = others.isEmpty ? "nobody else has a status there" : "\(listed(others, with: "and")) can be heard"
    guard settings.siteKeys.isEmpty else {
      return Examined("neighbours", .good, "our claims come back; \(known); messages are authenticated with the site's key")
    }
    let trust = "unauthenticated: whoever may publish there can make two gateways fire: set [security] site_key_file"
    return Examined("neighbours", .doubtful, "our claims come back; \(known); \(trust)")
  }
}

/// What the broker brought from the site.
final class BrokerAnswers {
  var hearsItself = false
  var hearsCheck = false
  var hearsLongCheck = false
  var hearsDots = false
  var statuses: [(name: String, isProven: Bool)] = []
}

/// One short connection to a broker.
final class BrokerCall {
  private let client: MQTTClient
  let heard: BrokerAnswers
  private let bell = Doorbell()
  private let dialer: Dialer
  private let settings: CourierSettings
  private let deadline: Instant
  private let meanwhile: () -> Void
  private static let glance = Interval.milliseconds(250)

  init(_ settings: CourierSettings, until deadline: Instant, _ meanwhile: @escaping () -> Void) {
    (self.settings, self.deadline, self.meanwhile) = (settings, deadline, meanwhile)
    let heard = BrokerAnswers()
    self.heard = heard
    client = MQTTClient { topic, payload, _, _ in heard.take(topic, payload, settings) }
    dialer = Dialer(client, waking: bell)
  }

  /// How far it got.
  enum Answer { case none, connected, mayNotWrite, mayWrite, wroteUnseen, takesNoneAsLong }
  private(set) var answer = Answer.none
  /// As the gateway: a broker that retains nothing refuses whoever has one.
  var hasWill = true
  private var isReached = false
  /// The line was there, and nothing came of our greeting.
  var isUnanswered: Bool { isReached && client.news.greeted == .not && client.news.refusal == nil }

  func ask() throws(MQTTFault) {
    guard try connect() else { return }
    answer = .connected
    let payload = Text<32>("{\"v\":1}")
    let isTold = settings.broker.version == .v5
    if !isTold { try client.subscribe(settings.topics.check, qos: 0, wantsRetained: false, wantsOwn: true) }
    try client.publish(settings.topics.check, payload.bytes, isRetained: false, lasting: 1, as: .reply(number: 1), at: Clock.now())
    if try talk(until: { self.client.news.acknowledged.count > 0 }) {
      answer = client.news.acknowledged[0].reason < 0x80 ? .mayWrite : .mayNotWrite
    }
    // In MQTT 3 a broker cannot refuse: it acknowledges the message and drops it.
    if !isTold, case .mayWrite = answer {
      let limit = min(deadline, Clock.now() + .seconds(2))
      _ = try talk(until: { self.heard.hearsCheck || Clock.now() >= limit })
      if !heard.hearsCheck { answer = .wroteUnseen }
    }
    if settings.claims {
      switch answer {
      case .mayWrite, .wroteUnseen: try listenToTheSite()
      case .none, .connected, .mayNotWrite, .takesNoneAsLong: break
      }
    }
    // Last, for a broker may end the connection because of it.
    if case .mayWrite = answer, !takesLongMessages(isTold: isTold) {
      answer = .takesNoneAsLong
      try? hangUp()
      return
    }
    try hangUp()
  }

  /// Whether the broker takes a message as long as our longest. In MQTT 3 it acknowledges what it drops.
  private func takesLongMessages(isTold: Bool) -> Bool {
    var payload = Payload("{\"v\":1,\"padding\":\"")
    while payload.free > 2 { payload.append(byte: UInt8(ascii: "-")) }
    payload.append("\"}")
    let limit = min(deadline, Clock.now() + .seconds(2))
    client.news.acknowledged.removeAll()
    do throws(MQTTFault) {
      try client.publish(settings.topics.check, payload.bytes, isRetained: false, lasting: 1, as: .reply(number: 2), at: Clock.now())
      _ = try talk(until: {
        (isTold ? self.client.news.acknowledged.count > 0 : self.heard.hearsLongCheck) || Clock.now() >= limit
      })
    } catch { return false }
    if !isTold { return heard.hearsLongCheck }
    return client.news.acknowledged.isEmpty || client.news.acknowledged[0].reason < 0x80
  }

  /// Whether it greets us, or says why not.
  func isAnswered() -> Bool {
    if let isGreeted = try? connect(), isGreeted { try? hangUp() }
    return isReached && !isUnanswered
  }

  /// So it forgets our will.
  private func hangUp() throws(MQTTFault) {
    client.sayGoodbye()
    if client.wantsToWrite { try client.write() }
  }

  /// A broker may grant a subscription and bring nothing: only received messages count.
  private func listenToTheSite() throws(MQTTFault) {
    let topics = settings.topics
    try client.subscribe(topics.statuses, qos: 1, wantsRetained: true, wantsOwn: true)
    let payload = Text<32>("{\"v\":1}")
    for isDotted in [true, false] {
      let topic = topics.siteCheck(settings.name, isDotted: isDotted)
      try client.subscribe(topic, qos: 0, wantsRetained: false, wantsOwn: true)
      try client.publish(topic, payload.bytes)
    }
    let limit = min(deadline, Clock.now() + .seconds(2))
    _ = try talk(until: { self.heard.hearsItself && self.heard.hearsDots || Clock.now() >= limit })
    // Retained messages come after the answer to the subscription.
    let end = Clock.now() + .milliseconds(300)
    _ = try talk(until: { Clock.now() >= end })
  }

  /// False if nobody answers in time.
  private func connect() throws(MQTTFault) -> Bool {
    var name = Text<128>("forecourt-check-")
    name.append(settings.boot)
    // Empty: nothing stays of it if we are lost.
    var will = Message()
    will.topic = settings.topics.check
    try client.prepare(
      settings.broker, MQTTClient.Greeting(identifier: name, will: hasWill ? will : nil, isWillRetained: settings.retains))
    dialer.dial()
    while Clock.now() < deadline {
      if dialer.hasOutcome { break }
      bell.willSleep()
      if !dialer.hasOutcome { wait(bell.descriptor, nil, forAtMost: limit) }
      bell.didWake()
      meanwhile()
    }
    guard let outcome = dialer.outcome() else { return false }
    if case .failed(let fault) = outcome { throw fault }
    isReached = true
    return try talk(until: { self.client.news.greeted != .not })
  }

  private var limit: Interval { max(min(deadline - Clock.now(), Self.glance), .zero) }

  private func talk(until isDone: () -> Bool) throws(MQTTFault) -> Bool {
    while !isDone() {
      guard Clock.now() < deadline else { return false }
      let ready = wait(-1, Awaited(client.descriptor, toWrite: client.wantsToWrite), forAtMost: limit)
      meanwhile()
      if ready.toRead { try client.read() }
      if client.wantsToWrite { try client.write() }
      if let refusal = client.news.refusal { throw refusal }
      try client.tick()
    }
    return true
  }
}

extension BrokerAnswers {
  func take(_ topic: RawSpan, _ payload: RawSpan, _ settings: CourierSettings) {
    if topic.equals(settings.topics.check.bytes) {
      if payload.byteCount == Payload.capacity { hearsLongCheck = true } else { hearsCheck = true }
      return
    }
    if topic.equals(settings.topics.siteCheck(settings.name).bytes) { return hearsItself = true }
    if topic.equals(settings.topics.siteCheck(settings.name, isDotted: true).bytes) { return hearsDots = true }
    var levels = Levels(topic)
    guard levels.skip(settings.topics.neighbour.bytes), payload.byteCount > 0 else { return }
    let name = Name(levels.next())
    let isProven = settings.siteKeys.isEmpty || settings.siteKeys.isProven(topic, payload)
    if !statuses.contains(where: { same($0.name, String(name)) }) { statuses.append((String(name), isProven)) }
  }
}
