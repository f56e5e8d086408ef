import Core
import Host

/// The gateway at work: the machine, what the process owes the system and the broker, and what is told of both.
struct Daemon: Listener, ~Copyable {
  private var gateway: Gateway
  private var status: StatusPublisher
  private let radios: [Radio]
  private let sink: MessageSink
  private let diskThread: DiskThread
  private var reloading: Reloading
  private var host: HostSettings
  private var log: Log
  private let boot: Text<16>
  private let notify = Notify()
  private var watchdog = Instant.never
  private var telemetry: TelemetryCollector
  private var homeAssistant: HomeAssistant
  private var crowd = Crowding()
  /// Until it is known what the run before left open nobody is heard: who was told to be here would be told so again.
  private var deafUntil = Instant.zero
  private var remoteCalibration: RemoteCalibration?
  private var remoteCapture: RemoteCapture?
  private var learntPowers: LearntPowersStore
  private var neighbours: NeighbourStore
  private var recorders: [Recorder] = []
  private(set) var end = Exit.done
  private var isOver = false

  static func bytes(_ settings: borrowing Settings) -> Int {
    Gateway.bytes(for: settings) + Radios.bytes(settings) + MessageSink.bytes + 4_096
  }

  init(
    _ configuration: consuming Configuration, _ boot: Text<16>, started: Instant, _ radios: [Radio], _ adapters: [Adapter],
    _ sink: MessageSink, _ diskThread: DiskThread, _ invocation: Invocation, in arena: inout Arena
  ) throws(Exit) {
    // All that is read of the configuration is read before the machine takes its part: behind that, Embedded code that was optimised for
    // arm64 looked for `host` where it is not.
    host = configuration.host
    log = Log(configuration.host.log)
    let isKept = sink.courier != nil && !configuration.core.gateway.simulated
    learntPowers = LearntPowersStore(beside: String(configuration.host.outbox.path), isKept: isKept)
    neighbours = NeighbourStore(beside: String(configuration.host.outbox.path), isKept: isKept)
    self.boot = boot
    self.radios = radios
    self.sink = sink
    self.diskThread = diskThread
    reloading = Reloading(invocation, diskThread)
    status = StatusPublisher(configuration.core, boot, radios, adapters)
    telemetry = TelemetryCollector(radios, telemetry: configuration.core.publish.telemetry, started: started)
    homeAssistant = HomeAssistant(configuration.core)
    let cipher = aes128()
    let salt = try invocation.salt(configuration.core.publish.unknown, in: configuration.host)
    let publisher = Publisher(
      into: sink.messages, urgent: sink.urgent, boot: boot, clock: WallClock(started: started, epoch: Clock.epoch()),
      pseudonyms: Pseudonyms(cipher, salt: salt))
    gateway = Gateway(configuration.core, seed: SystemRandom.word(), cipher: cipher, publisher: publisher, in: &arena)
    learntPowers.recall(&gateway, log)
    neighbours.recall(&gateway, log)
    if sink.courier != nil {
      gateway.connected(false, at: started)
      deafUntil = started + .seconds(2)
    } else {
      gateway.caughtUp(at: started)
    }
    if notify.pulse != nil { watchdog = started }
    notify.ready()
  }

  // MARK: Listener

  /// Somebody may have set the clock while we slept; asking costs less than hearing of it.
  mutating func woke() { gateway.setClock(Clock.epoch()) }

  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) {
    remoteCapture?.record(packet, radio: radio, at: moment)
    // For the recording alone.
    if packet.byteCount > 0, packet[0] == PacketType.command.rawValue { return }
    let news = PeerNews(packet: packet)
    if let news { note(news, of: radio) }
    // What a radio found out it does not ask again.
    guard news != nil || moment >= deafUntil else { return }
    if let news { gateway.receive(news, radio: radio, at: moment) } else { gateway.receive(packet, radio: radio, at: moment) }
    remoteCalibration?.listen(gateway, radio: radio)
  }

  /// What concerns more than the machine.
  private mutating func note(_ news: PeerNews, of radio: Int) {
    if let words = news.words(radios[radio].name, gateway.settings) {
      log.say(words.level, words.sentence)
      status.noted(news, words.sentence)
    }
    guard case .identified(let peer) = news else { return }
    for other in radios.indices where other != radio { radios[other].hint(peer) }
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    if let words = status.reported(report, radio: radio) { log.say(words.level, words.sentence) }
    telemetry.recovered(report.recoveries, radio: radio)
    // Where no radio can ever hear anything there is nothing to wait for.
    guard let trouble = status.lastingTrouble else { return }
    (isOver, end) = (true, trouble.exit)
  }

  mutating func asked(_ request: Signals.Order) {
    switch request {
    case .stop: isOver = true
    case .reload: _ = reloading.want()
    }
  }

  mutating func tick(at moment: Instant) { gateway.tick(at: moment) }

  var nextDeadline: Instant {
    let asked = min(remoteCalibration?.until ?? .never, remoteCapture?.due ?? .never, diskThread.nextDeadline(after: Clock.now()))
    return min(gateway.nextDeadline, gateway.leftoversDue, watchdog, telemetry.due, homeAssistant.isDue(gateway.devices), asked)
  }
  var hasWork: Bool {
    sink.requests.count > 0 || isOnline != status.isOnline || homeAssistant.hasWork || reloading.hasWork
  }
  private var isOnline: Bool { sink.courier?.counters.isOnline ?? false }

  mutating func turned(at moment: Instant) -> Bool {
    while let request = sink.requests.pop() { perform(request, at: moment) }
    if moment >= watchdog, let pulse = notify.pulse {
      notify.alive()
      watchdog = moment + pulse
    }
    if moment >= telemetry.due { count(at: moment) }
    gateway.expireLeftovers(at: moment)
    if let (read, tickets) = reloading.turned(notify, at: moment) {
      let refusal = adopt(read.taken())
      for ticket in tickets { answer(ticket, refusal) }
    }
    for radio in radios { radio.permit(gateway.isListening) }
    answerLate(at: moment)
    homeAssistant.turned(gateway.devices, into: sink.messages, at: moment)
    tellStatus(at: moment)
    learntPowers.turned(gateway, isOver: isOver, at: moment, diskThread, log)
    neighbours.turned(&gateway, at: moment, diskThread, log)
    if isOver { notify.stopping() }
    sink.carry()
    return !isOver
  }

  // MARK: What is told

  private mutating func tellStatus(at now: Instant) {
    // Asked once: the courier may lose the line between two questions. The machine is told what the board believes.
    status.waits(for: diskThread.late(at: now))
    if status.connected(isOnline) { gateway.connected(status.isOnline, at: now) }
    if let words = status.heard(gateway.hearing) { log.say(words.level, words.sentence) }
    let troubles = sink.courier.map { crowd.troubles($0.counters.troubles, gateway.publisher, at: now) }
    guard let report = status.news(troubles, gateway.settings.gateway.authorization) else { return }
    if !sink.send(.status(report, topics: Topics(gateway.settings), at: now)) { status.tellAgain() }
    notify.status(report.summary)
  }

  private mutating func count(at now: Instant) {
    for complaint in telemetry.complaints() { log.say(.warning, complaint) }
    let telemetry = telemetry.taken(at: now, gateway, sink.courier?.counters)
    send(.telemetry(telemetry, topics: Topics(gateway.settings), simulated: gateway.settings.gateway.simulated, at: now))
    guard let file = host.metricsFile else { return }
    let text = Metrics.text(telemetry, site: gateway.settings.gateway.site, gateway: gateway.settings.gateway.name)
    _ = diskThread.submit(.metrics, at: now) { [log] in
      do throws(FileRefusal) { try Metrics.write(text, to: file) } catch { log.say(.warning, "metrics_file \(file) \(error.sentence)") }
    }
  }

  private func send(_ message: Message) { _ = sink.send(message) }

  private mutating func perform(_ request: Request, at now: Instant) {
    switch request {
    case .command(.calibrate(let identity, let distance, let span), let ticket):
      if let refusal = refusal(remoteCalibration != nil) { return answer(ticket, refusal) }
      remoteCalibration = RemoteCalibration(identity, at: distance, during: span, ticket, at: now)
    case .command(.capture(let span), let ticket):
      if let refusal = refusal(remoteCapture != nil) { return answer(ticket, refusal) }
      record(during: span, ticket, at: now)
    case .command(.reload, let ticket):
      if !reloading.want(ticket) { answer(ticket, "too many ask for it at once; try again") }
    case .command(let command, let ticket): answer(ticket, perform(command, at: now))
    case .claim(let claim): gateway.receive(claim: claim, at: now)
    case .neighbour(let neighbour):
      // Who has just come does not know of us where the broker keeps nothing for him: RabbitMQ gives wildcards no retained message.
      if gateway.isNews(neighbour) { status.tellAgain() }
      gateway.receive(status: neighbour, at: now)
    case .hello(let hello): gateway.receive(hello: hello, at: now)
    case .unfinished(let visit): gateway.restore(visit, at: now)
    case .caughtUp:
      deafUntil = .zero
      gateway.caughtUp(at: now)
    case .peer(let peer):
      gateway.receive(peer: peer, at: now)
      for radio in radios { radio.hint(peer) }
    }
  }

  /// nil when it is done, else why not.
  private mutating func perform(_ command: RemoteCommand, at now: Instant) -> String? {
    switch command {
    case .ranging(let order, let name): return range(order, name, at: now)
    case .authorization(let authorization): gateway.authorize(authorization, at: now)
    case .ping: break
    case .trigger(let name, let identity): return call(name, identity, at: now)
    case .forgetNeighbour(let name): return forget(name)
    case .calibrate, .capture, .reload: break
    }
    return nil
  }

  private mutating func forget(_ name: Name) -> String? {
    if gateway.settings.site.place(of: name) != nil { return "[site] gateways names it: take it out there, and reload" }
    guard gateway.forget(name) else { return "no neighbour of that name is known" }
    neighbours.forget(name)
    log.say(.info, "neighbour \(String(name)) is forgotten, as a command asks")
    return nil
  }

  /// Why nothing that takes its time can begin.
  private func refusal(_ isBusy: Bool) -> String? {
    if isBusy { return "another is under way" }
    return gateway.isListening ? nil : "nothing is listened to: see authorization"
  }

  private func answer(_ ticket: Ticket, _ refusal: String?) {
    send(.reply(to: ticket, from: Topics(gateway.settings), error: refusal.map { Sentence($0) }))
  }

  private mutating func record(during span: Interval, _ ticket: Ticket, at now: Instant) {
    if recorders.isEmpty { recorders = RemoteCapture.recorders(radios.count) }
    remoteCapture = RemoteCapture(radios, recorders, beside: String(host.outbox.path), during: span, ticket, at: now)
    log.say(.info, "recording what is heard for \(Int(span.seconds)) s, as a command asks")
  }

  /// What a command asked for a while ago.
  private mutating func answerLate(at now: Instant) {
    if let done = remoteCalibration, now >= done.until || isOver {
      send(done.reply(gateway.settings))
      remoteCalibration = nil
    }
    if isOver { remoteCapture?.finish() }
    if remoteCapture?.turned(at: now) ?? false, let done = remoteCapture {
      send(done.reply(from: Topics(gateway.settings)))
      remoteCapture = nil
    }
  }

  /// The driver typed the pump's number.
  private mutating func call(_ name: Name, _ identity: Identity, at now: Instant) -> String? {
    guard let trigger = gateway.settings.trigger(named: name) else { return "there is no trigger of that name" }
    return gateway.fireManually(trigger, for: identity, at: now)?.sentence
  }

  /// Without a name every region is meant.
  private mutating func range(_ order: RemoteCommand.RangingOrder, _ name: Name, at now: Instant) -> String? {
    let region = gateway.settings.region(named: name)
    guard region != nil || name.isEmpty else { return "there is no region of that name" }
    switch order {
    case .start: gateway.startRanging(region, for: nil, at: now)
    case .during(let span): gateway.startRanging(region, for: span, at: now)
    case .stop: gateway.stopRanging(region, at: now)
    }
    return nil
  }

  /// A configuration that was read anew; nil when it is in force, else why the old one stays.
  private mutating func adopt(_ read: consuming Configuration?) -> String? {
    guard let configuration = read else { return "the configuration is wrong; the log says where" }
    if let part = configuration.refit(of: gateway.settings, host) {
      let refusal = String(Text<64>(part)) + " fixed at start: restart the gateway to change it. The old configuration stays in force"
      log.say(.error, refusal)
      return refusal
    }
    host = configuration.host
    log = Log(host.log)
    status.adopt(configuration.core)
    telemetry.adopt(configuration.core.publish.telemetry)
    sink.adopt(CourierSettings(configuration.core, configuration.host, boot: boot))
    homeAssistant.adopt(configuration.core)
    gateway.reload(configuration.core, at: Clock.now())
    log.say(.info, "the new configuration is in force")
    return nil
  }
}

extension FireRefusal {
  fileprivate var sentence: String {
    switch self {
    case .deaf: "the gateway may not listen now: see authorization"
    case .unheard: "nobody of that identity is heard by this trigger's radio: it was never there, or has left"
    case .unmatched: "the trigger does not look for that identity"
    case .fired: "the trigger has fired for it already"
    case .noRoom: "there is no room for one more visitor"
    }
  }
}
