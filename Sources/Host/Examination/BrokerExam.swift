import Core

extension Examined {
  private static let patience = Interval.seconds(6)

  /// Connects under a name of its own, and asks to write one message where the gateway would; a gateway that runs meanwhile notices nothing.
  static func broker(_ settings: CourierSettings, _ meanwhile: @escaping () -> Void) -> Examined {
    let place = "\(String(settings.broker.host)):\(settings.broker.port)"
    let call = BrokerCall(settings, until: Clock.now() + patience, meanwhile)
    do throws(LinkFault) {
      try call.ask()
    } catch {
      let words = String(error.said)
      let isRefused = words.rest(after: "the broker refuses us: ") != nil
      return Examined("broker", .bad(isRefused ? .forbidden : .unavailable), "\(place): \(words)")
    }
    let (base, seconds) = (String(settings.topics.base), Int(patience.seconds))
    switch call.answer {
    case .none: return Examined("broker", .bad(.unavailable), "\(place): does not answer within \(seconds) s")
    case .connected:
      return Examined("broker", .doubtful, "\(place): connected, but did not acknowledge a message within \(seconds) s")
    case .mayNotWrite:
      return Examined("broker", .bad(.forbidden), "\(place): we may not write there: the broker's access list must allow write \(base)/#")
    case .mayWrite:
      let security = settings.broker.usesTLS ? "over TLS" : "without TLS"
      return Examined("broker", .good, "\(place): connected \(security), and we may write below \(base)")
    }
  }
}

/// One short conversation with a broker.
private final class BrokerCall {
  private let link = Link { _, _, _, _ in }
  private let bell = Doorbell()
  private let dialer: Dialer
  private let settings: CourierSettings
  private let deadline: Instant
  private let meanwhile: () -> Void
  private static let glance = Interval.milliseconds(250)

  init(_ settings: CourierSettings, until deadline: Instant, _ meanwhile: @escaping () -> Void) {
    (self.settings, self.deadline, self.meanwhile) = (settings, deadline, meanwhile)
    dialer = Dialer(link, waking: bell)
  }

  /// How far it got.
  enum Answer { case none, connected, mayNotWrite, mayWrite }
  private(set) var answer = Answer.none

  func ask() throws(LinkFault) {
    guard try connect() else { return }
    answer = .connected
    let payload = Text<32>("{\"v\":1}")
    try link.publish(settings.topics.check, payload.bytes, isRetained: false, lasting: 1, as: .reply(number: 1), at: Clock.now())
    // A broker that speaks MQTT 3 never refuses: it takes the message and drops it.
    if try talk(until: { self.link.news.acknowledged.count > 0 }) {
      answer = link.news.acknowledged[0].reason < 0x80 ? .mayWrite : .mayNotWrite
    }
    link.sayGoodbye()
    if link.wantsToWrite { try link.write() }
  }

  /// False when nobody answers in time.
  private func connect() throws(LinkFault) -> Bool {
    var name = Text<128>("forecourt-check-")
    name.append(settings.boot)
    try link.prepare(settings.broker, Link.Greeting(identifier: name, will: nil))
    dialer.dial()
    while Clock.now() < deadline {
      if dialer.hasOutcome { break }
      bell.settle()
      if !dialer.hasOutcome { wait(bell.descriptor, nil, forAtMost: limit) }
      bell.rise()
      meanwhile()
    }
    guard let outcome = dialer.outcome() else { return false }
    if case .failed(let fault) = outcome { throw fault }
    return try talk(until: { self.link.news.greeted != .not })
  }

  private var limit: Interval { max(min(deadline - Clock.now(), Self.glance), .zero) }

  private func talk(until isDone: () -> Bool) throws(LinkFault) -> Bool {
    while !isDone() {
      guard Clock.now() < deadline else { return false }
      let ready = wait(-1, Awaited(link.descriptor, toWrite: link.wantsToWrite), forAtMost: limit)
      meanwhile()
      if ready.toRead { try link.read() }
      if link.wantsToWrite { try link.write() }
      if let refusal = link.news.refusal { throw refusal }
      try link.tick()
    }
    return true
  }
}
