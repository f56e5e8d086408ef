import Core
import Host

/// `forecourt run` at work: feeds Core's gateway, publishes how it is, carries out commands and keeps systemd informed.
struct Daemon: Listener, ~Copyable {
  private var gateway: Gateway
  private var status: StatusPublisher
  private let radios: [Radio]
  private let sink: MessageSink
  private let diskThread: DiskThread
  private var reloading: Reloading
  private var host: HostSettings
  private(set) var metrics: MetricsFile
  /// What the file says; a command may have changed what is in force.
  private var authorization: Authorization
  private let log: Log
  private let notify = Notify()
  private var watchdog = Instant.never
  private var telemetry: TelemetryCollector
  private var homeAssistant: HomeAssistant
  private var recentTroubles = RecentTroubles()
  /// Adverts are dropped until the outbox has said what the last run left open, or until then: else `enter` and `fire` would be published a
  /// second time. `.zero` once it has.
  private var holdUntil = Instant.zero
  private var commands = RemoteCommands()
  private var learntPowers: LearntPowersStore
  private var neighbours: NeighbourStore
  private var adapters: AdapterStore
  private var announced: AnnouncedStore
  private(set) var end = Exit.done
  private var isOver = false

  static func bytes(_ settings: borrowing Settings) -> Int {
    Gateway.bytes(for: settings) + Radios.bytes(settings) + MessageSink.bytes + 4_096
  }

  init(
    _ configuration: consuming Configuration, _ boot: Text<16>, started: Instant, _ radios: [Radio], _ adapters: [Adapter],
    _ sink: MessageSink, _ diskThread: DiskThread, _ invocation: Invocation, in arena: inout Arena
  ) throws(Exit) {
    // Read everything from the configuration before the gateway consumes `core`: after that, optimised Embedded code for arm64 read
    // `host` from the wrong address.
    host = configuration.host
    metrics = MetricsFile(configuration)
    authorization = configuration.core.gateway.authorization
    log = sink.log
    let isKept = sink.courier != nil && !configuration.core.gateway.simulated
    learntPowers = LearntPowersStore(beside: String(configuration.host.outbox.path), isKept: isKept)
    neighbours = NeighbourStore(beside: String(configuration.host.outbox.path), isKept: isKept)
    let stale = configuration.core.average.stale
    announced = AnnouncedStore(beside: String(configuration.host.outbox.path), isKept: isKept, stale: stale, started: started, log)
    // An adapter that a person names for once is not that radio's.
    let areOurs = isKept && invocation.value("radio") == nil
    self.adapters = AdapterStore(
      beside: String(configuration.host.outbox.path), isKept: areOurs, configuration.core, adapters, log)
    self.radios = radios
    self.sink = sink
    self.diskThread = diskThread
    reloading = Reloading(invocation, diskThread, log)
    status = StatusPublisher(configuration.core, boot, radios, adapters)
    telemetry = TelemetryCollector(radios, telemetry: configuration.core.publish.telemetry, started: started)
    homeAssistant = HomeAssistant(configuration.core)
    let cipher = aes128()
    let salt = try invocation.salt(configuration.core.publish.unknown, in: configuration.host)
    let publisher = Publisher(
      into: sink.messages, urgent: sink.urgent, boot: boot, clock: WallClock(started: started, epoch: Clock.epoch()),
      pseudonyms: Pseudonyms(cipher, salt: salt), whenFull: { sink.makeRoom(in: $0) })
    gateway = Gateway(
      configuration.core, seed: SystemRandom.word(), cipher: cipher, publisher: publisher, awaitsVisits: sink.courier != nil, in: &arena)
    learntPowers.restore(&gateway, log)
    neighbours.restore(&gateway, log)
    // Until they listen: a neighbour must not take for consent what nobody here can have heard.
    for radio in radios.indices { gateway.radio(radio, isDeaf: true, at: started) }
    if sink.courier != nil {
      gateway.connected(false, at: started)
      holdUntil = started + .seconds(15)
    } else {
      gateway.caughtUp(at: started)
    }
    if notify.pulse != nil { watchdog = started }
    notify.ready()
  }

  // MARK: Listener

  /// The clock may have been set during the sleep; asking each time costs less than being notified.
  mutating func woke(at moment: Instant) { gateway.setClock(Clock.epoch(at: moment), at: moment) }

  /// Stopped with its whole machine, or alone: the radios heard nothing either.
  mutating func overslept(since due: Instant, at moment: Instant) {
    let listening = radios.indices.filter { status.isListening($0) && holdUntil == .zero }
    for radio in listening { gateway.radio(radio, isDeaf: true, at: due) }
    gateway.tick(at: moment)
    for radio in listening { gateway.radio(radio, isDeaf: false, at: moment) }
  }

  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) {
    commands.receive(packet, radio: radio, at: moment)
    // Our own commands to the controller come only for a recording.
    if packet.byteCount > 0, packet[0] == PacketType.command.rawValue { return }
    let news = PeerNews(packet: packet)
    if let news { receive(news, from: radio) }
    // What a radio found out is kept even now: the radio does not ask again. Of a misplaced radio some adverts come before it knows that.
    guard news != nil || holdUntil == .zero && adapters.misplacement(of: radio) == nil else { return }
    if let news { gateway.receive(news, radio: radio, at: moment) } else { gateway.receive(packet, radio: radio, at: moment) }
    commands.observe(gateway, radio: radio)
  }

  /// Goes to the log, to `status` and to the other radios; the gateway gets it besides.
  private mutating func receive(_ news: PeerNews, from radio: Int) {
    if let words = news.words(radios[radio].name, gateway.settings) {
      log.say(words.level, words.sentence)
      if let more = status.record(news, words.sentence, radio: radio) { log.say(more.level, more.sentence) }
    }
    guard case .identified(let peer) = news else { return }
    for other in radios.indices where other != radio { radios[other].hint(peer) }
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    if let words = status.record(report, radio: radio) { log.say(words.level, words.sentence) }
    telemetry.record(report.recoveries, radio: radio)
    adapters.record(report, of: radio, log)
    gateway.radio(radio, isPaused: report.isPaused, at: report.at)
    if report.condition.trouble != nil || report.condition.isListening || report.condition == .off {
      gateway.radio(radio, isDeaf: !report.condition.isListening || holdUntil != .zero, at: report.at)
    }
    // When no radio can ever hear anything, the process ends.
    guard let trouble = status.lastingTrouble else { return }
    (isOver, end) = (true, trouble.exit)
  }

  mutating func asked(_ request: Signals.Order) {
    switch request {
    case .stop: isOver = true
    case .reload: _ = reloading.request()
    }
  }

  mutating func tick(at moment: Instant) { gateway.tick(at: moment) }

  var nextDeadline: Instant {
    let (ours, held) = (min(commands.nextDeadline, diskThread.nextDeadline(after: Clock.now())), holdUntil == .zero ? .never : holdUntil)
    let home = min(homeAssistant.nextDeadline(gateway.devices), announced.nextDeadline)
    return min(gateway.nextDeadline, gateway.leftoversDue, watchdog, telemetry.due, home, ours, held)
  }
  var hasWork: Bool {
    sink.requests.count > 0 || isOnline != status.isOnline || homeAssistant.hasWork(sink.messages) || reloading.hasWork
  }
  private var isOnline: Bool { sink.courier?.counters.isOnline ?? false }

  mutating func turned(at moment: Instant) -> Bool {
    while let request = sink.requests.pop() { perform(request, at: moment) }
    if moment >= watchdog, let pulse = notify.pulse {
      notify.alive()
      watchdog = moment + pulse
    }
    if moment >= telemetry.due { publishTelemetry(at: moment) }
    if holdUntil != .zero, moment >= holdUntil {
      log.say(.warning, "the outbox has not said who was served before the start: until it does, nobody is for refractory_s from now on")
      catchUp(isKnown: false, at: moment)
    }
    gateway.expireLeftovers(at: moment)
    if let (reading, tickets) = reloading.turned(notify, at: moment) {
      let refusal = reload(reading.taken())
      for ticket in tickets { reply(to: ticket, refusal) }
    }
    for radio in radios { radio.permit(gateway.isListening) }
    for message in commands.turned(gateway.settings, isOver: isOver, at: moment) { send(message) }
    homeAssistant.turned(gateway, into: sink.messages, at: moment)
    if let words = adapters.turned(radios, isOver: isOver, at: moment, diskThread, log) { status.record(misplaced: words) }
    publishStatus(at: moment)
    metrics.turned(at: moment, diskThread)
    learntPowers.turned(&gateway, isOver: isOver, at: moment, diskThread, log)
    neighbours.turned(&gateway, isOver: isOver, at: moment, diskThread, log)
    announced.turned(&gateway, &homeAssistant, isOnline: isOnline, isOver: isOver, at: moment, diskThread, log)
    if isOver { notify.stopping() }
    sink.deliver()
    return !isOver && !sink.isClosed
  }

  private mutating func catchUp(isKnown: Bool = true, at now: Instant) {
    holdUntil = .zero
    for radio in radios.indices where status.isListening(radio) { gateway.radio(radio, isDeaf: false, at: now) }
    gateway.caughtUp(isKnown: isKnown, at: now)
  }

  // MARK: Status and telemetry

  private mutating func publishStatus(at now: Instant) {
    if let words = status.record(late: diskThread.late(at: now), isHung: sink.isHung(at: now)) { log.say(words.level, words.sentence) }
    // Asked once a turn: the line may break between two questions, and Core must believe what `status` says.
    if status.record(isOnline: isOnline) { connected(status.isOnline, at: now) }
    if let words = status.record(gateway.hearing, gateway.planFault) { log.say(words.level, words.sentence) }
    if let words = status.examineClock(at: now) { log.say(words.level, words.sentence) }
    let refused = gateway.encountersRefused &+ gateway.visitsRefused &+ gateway.evictedHere
    let troubles = sink.courier.map { recentTroubles.troubles($0.counters, gateway, refused: refused, at: now) }
    guard let report = status.nextReport(troubles, gateway.settings.gateway.authorization) else { return }
    if !sink.send(.status(report, topics: Topics(gateway.settings), at: now)) { status.publishAgain() }
    notify.status(report.summary)
  }

  private mutating func connected(_ isConnected: Bool, at now: Instant) {
    gateway.connected(isConnected, at: now)
    // Home Assistant would keep for ever whoever has left meanwhile.
    if isConnected { for identity in homeAssistant.identities { gateway.publishProximity(of: identity, at: now) } }
  }

  private mutating func publishTelemetry(at now: Instant) {
    for warning in telemetry.noiseWarnings() { log.say(.warning, warning) }
    let telemetry = telemetry.collect(at: now, gateway, sink.courier?.counters)
    send(.telemetry(telemetry, topics: Topics(gateway.settings), simulated: gateway.settings.gateway.simulated, at: now))
    metrics.write(telemetry, of: gateway.settings.gateway, at: now, diskThread, log)
  }

  private func send(_ message: Message) { _ = sink.send(message) }

  private func reply(to ticket: Ticket, _ refusal: String?) {
    send(.reply(to: ticket, gateway.settings, error: refusal.map { Sentence($0) }))
  }

  // MARK: Requests

  private mutating func perform(_ request: Request, at now: Instant) {
    switch request {
    case .command(.reload, let ticket):
      if !reloading.request(ticket) { reply(to: ticket, "too many reloads are waiting; try again") }
    case .command(.forgetNeighbour(let name), let ticket): reply(to: ticket, forget(name, at: now))
    case .command(.capture(let span), let ticket):
      let refusal = commands.startCapture(during: span, ticket, of: radios, beside: String(host.outbox.path), gateway, at: now)
      if let refusal { return reply(to: ticket, refusal) }
      log.say(.info, "a command starts a recording of \(Int(span.seconds)) s")
    case .command(.calibrate(let identity, let distance, let span), let ticket):
      let refusal = commands.startCalibration(of: identity, at: distance, during: span, ticket, gateway, now)
      if let refusal { reply(to: ticket, refusal) }
    case .command(let command, let ticket): reply(to: ticket, RemoteCommands.perform(command, on: &gateway, at: now))
    case .claim(let claim): gateway.receive(claim: claim, at: now)
    case .neighbour(let neighbour):
      guard neighbours.admit(neighbour, gateway.settings) else { return }
      // Some brokers (RabbitMQ) give wildcard subscribers no retained message: a newcomer knows us only when we publish again.
      if gateway.isNews(neighbour) { status.publishAgain() }
      gateway.receive(status: neighbour, at: now)
    case .hello(let hello): gateway.receive(hello: hello, at: now)
    case .fired(let fire): gateway.recall(fire, at: now)
    case .unfinished(let visit): gateway.restore(visit, at: now)
    case .caughtUp: catchUp(at: now)
    case .twin: gateway.suspectTwin(at: now)
    case .peer(let peer):
      if gateway.receive(peer: peer, at: now) { for radio in radios { radio.hint(peer) } }
    }
  }

  /// nil when it is done, else why not.
  private mutating func forget(_ name: Name, at now: Instant) -> String? {
    if gateway.settings.site.place(of: name) != nil { return "[site] gateways names it: take it out there, and reload" }
    guard neighbours.forget(name, in: &gateway, at: now) else { return "no neighbour of that name is known" }
    log.say(.info, "a command made this gateway forget the neighbour \(String(name))")
    return nil
  }

  // MARK: Reload

  /// nil when the configuration that was read is in force, else why the old one stays.
  private mutating func reload(_ read: consuming Configuration?) -> String? {
    guard let configuration = read else {
      status.record(isFileWrong: true)
      log.say(.error, "the configuration was not read again: what is wrong stands above. The old configuration stays in force")
      return "the configuration is wrong; the log says where. The old configuration stays in force"
    }
    status.record(isFileWrong: false)
    if let part = configuration.changeFixedAtStart(from: gateway.settings, host) {
      let refusal = String(Text<64>(part)) + " fixed at start: restart the gateway to change it. The old configuration stays in force"
      log.say(.error, refusal)
      return refusal
    }
    reloadParts(configuration)
    log.say(.info, "the new configuration is in force")
    return nil
  }

  /// Hands the new settings to everything that keeps some. ReloadTests compares this with the properties above: whoever adds one decides
  /// there whether it needs them. The gateway consumes `core`; Home Assistant asks its devices whom the new settings still look for.
  private mutating func reloadParts(_ configuration: consuming Configuration) {
    let former = authorization
    authorization = configuration.core.gateway.authorization
    // Nobody who changes another key means to switch on what a command has switched off.
    if authorization == former { configuration.core.gateway.authorization = gateway.settings.gateway.authorization }
    host = configuration.host
    metrics.reload(configuration)
    log.reload(configuration)
    status.reload(configuration)
    telemetry.reload(configuration)
    adapters.reload(configuration)
    neighbours.reload(configuration)
    learntPowers.reload(configuration)
    announced.reload(configuration)
    sink.reload(configuration)
    gateway.reload(configuration.core, at: Clock.now())
    homeAssistant.reload(gateway.devices, gateway.settings)
  }
}
