import Core
import Host

/// The gateway at work: the machine, what the process owes the system and the broker, and what is told of both.
struct Service: Listener, ~Copyable {
  private var gateway: Gateway
  private var board: StatusBoard
  private let radios: [Radio]
  private let delivery: Delivery
  private let clerk: Clerk
  private var reloading: Reloading
  private var host: HostSettings
  private var log: Log
  private let boot: Text<16>
  private let notify = Notify()
  private var watchdog = Instant.never
  private var census: Census
  private var herald: Herald
  private var crowd = Crowd()
  /// Until it is known what the run before left open nobody is heard: who was told to be here would be told so again.
  private var deafUntil = Instant.zero
  private var measuring: Measuring?
  private var tape: Tape?
  private var schooling: Schooling
  private var neighbours: NeighbourBook
  private var recorders: [Recorder] = []
  private(set) var end = Exit.done
  private var isOver = false

  static func bytes(_ settings: borrowing Settings) -> Int {
    Gateway.bytes(for: settings) + Radios.bytes(settings) + Delivery.bytes + 4_096
  }

  init(
    _ configuration: consuming Configuration, _ boot: Text<16>, started: Instant, _ radios: [Radio], _ adapters: [Adapter],
    _ delivery: Delivery, _ clerk: Clerk, _ invocation: Invocation, in arena: inout Arena
  ) throws(Exit) {
    // All that is read of the configuration is read before the machine takes its part: behind that, Embedded code that was optimised for
    // arm64 looked for `host` where it is not.
    host = configuration.host
    log = Log(configuration.host.log)
    let isKept = delivery.courier != nil && !configuration.core.gateway.simulated
    schooling = Schooling(beside: configuration.host.outbox.path, isKept: isKept)
    neighbours = NeighbourBook(beside: configuration.host.outbox.path, isKept: isKept)
    self.boot = boot
    self.radios = radios
    self.delivery = delivery
    self.clerk = clerk
    reloading = Reloading(invocation, clerk)
    board = StatusBoard(configuration.core, boot, radios, adapters)
    census = Census(radios, telemetry: configuration.core.publish.telemetry, started: started)
    herald = Herald(configuration.core)
    let cipher = aes128()
    let salt = try invocation.salt(configuration.core.publish.unknown, in: configuration.host)
    let publisher = Publisher(
      into: delivery.messages, urgent: delivery.urgent, boot: boot, clock: WallClock(started: started, epoch: Clock.epoch()),
      pseudonyms: Pseudonyms(cipher, salt: salt))
    gateway = Gateway(configuration.core, seed: Chance.word(), cipher: cipher, publisher: publisher, in: &arena)
    schooling.recall(&gateway, log)
    neighbours.recall(&gateway, log)
    if delivery.courier != nil {
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
    tape?.record(packet, radio: radio, at: moment)
    // For the recording alone.
    if packet.byteCount > 0, packet[0] == PacketType.command.rawValue { return }
    let news = PeerNews(packet: packet)
    if let news { note(news, of: radio) }
    // What a radio found out it does not ask again.
    guard news != nil || moment >= deafUntil else { return }
    gateway.receive(packet, radio: radio, at: moment)
    measuring?.listen(gateway, radio: radio)
  }

  /// What concerns more than the machine.
  private mutating func note(_ news: PeerNews, of radio: Int) {
    if let words = news.words(radios[radio].name, gateway.settings) {
      log.say(words.level, words.sentence)
      board.noted(news, words.sentence)
    }
    guard case .identified(let peer) = news else { return }
    for other in radios.indices where other != radio { radios[other].hint(peer) }
  }

  mutating func reported(_ report: Radio.Report, radio: Int) {
    if let words = board.reported(report, radio: radio) { log.say(words.level, words.sentence) }
    census.recovered(report.recoveries, radio: radio)
    // Where no radio can ever hear anything there is nothing to wait for.
    guard let trouble = board.lastingTrouble else { return }
    (isOver, end) = (true, trouble.exit)
  }

  mutating func asked(_ request: Signals.Request) {
    switch request {
    case .stop: isOver = true
    case .reload: _ = reloading.want()
    }
  }

  mutating func tick(at moment: Instant) { gateway.tick(at: moment) }

  var nextDeadline: Instant {
    let asked = min(measuring?.until ?? .never, tape?.due ?? .never, clerk.nextDeadline(after: Clock.now()))
    return min(gateway.nextDeadline, gateway.settlingDue, watchdog, census.due, herald.isDue(gateway.devices), asked)
  }
  var hasWork: Bool {
    delivery.requests.count > 0 || delivery.chores.count > 0 || isOnline != board.isOnline || herald.hasWork || reloading.hasWork
  }
  private var isOnline: Bool { delivery.courier?.figures.isOnline ?? false }

  mutating func turned(at moment: Instant) -> Bool {
    while let request = delivery.requests.pop() { perform(request, at: moment) }
    while let chore = delivery.chores.pop() { perform(chore, at: moment) }
    if moment >= watchdog, let pulse = notify.pulse {
      notify.alive()
      watchdog = moment + pulse
    }
    if moment >= census.due { count(at: moment) }
    gateway.settle(at: moment)
    if let (read, tickets) = reloading.turned(notify, at: moment) {
      let refusal = adopt(read.taken())
      for ticket in tickets { answer(ticket, refusal) }
    }
    for radio in radios { radio.permit(gateway.isListening) }
    answerLate(at: moment)
    herald.turned(gateway.devices, into: delivery.messages, at: moment)
    tellStatus(at: moment)
    schooling.turned(gateway, isOver: isOver, at: moment, clerk, log)
    neighbours.turned(&gateway, at: moment, clerk, log)
    if isOver { notify.stopping() }
    delivery.carry()
    return !isOver
  }

  // MARK: What is told

  private mutating func tellStatus(at now: Instant) {
    // Asked once: the courier may lose the line between two questions. The machine is told what the board believes.
    board.waits(for: clerk.late(at: now))
    if board.connected(isOnline) { gateway.connected(board.isOnline, at: now) }
    if let words = board.heard(gateway.hearing) { log.say(words.level, words.sentence) }
    let troubles = delivery.courier.map { crowd.troubles($0.figures.troubles, gateway.publisher, at: now) }
    guard let report = board.news(troubles, gateway.settings.gateway.authorization) else { return }
    if !delivery.send(.status(report, topics: Topics(gateway.settings), at: now)) { board.tellAgain() }
    notify.status(report.summary)
  }

  private mutating func count(at now: Instant) {
    for complaint in census.complaints() { log.say(.warning, complaint) }
    let telemetry = census.taken(at: now, gateway, delivery.courier?.figures)
    send(.telemetry(telemetry, topics: Topics(gateway.settings), simulated: gateway.settings.gateway.simulated, at: now))
    guard let file = host.metricsFile else { return }
    let text = Metrics.text(telemetry, site: gateway.settings.gateway.site, gateway: gateway.settings.gateway.name)
    let log = log
    _ = clerk.ask(.metrics, at: now) { if !Metrics.write(text, to: file) { log.say(.warning, "metrics_file \(file) cannot be written") } }
  }

  private func send(_ message: Message) { _ = delivery.send(message) }

  // MARK: Requests

  private mutating func perform(_ request: Request, at now: Instant) {
    switch request {
    case .command(.calibrate(let identity, let distance, let span), let ticket):
      if let refusal = refusal(measuring != nil) { return answer(ticket, refusal) }
      measuring = Measuring(identity, at: distance, during: span, ticket, at: now)
    case .command(.capture(let span), let ticket):
      if let refusal = refusal(tape != nil) { return answer(ticket, refusal) }
      record(during: span, ticket, at: now)
    case .command(.reload, let ticket):
      if !reloading.want(ticket) { answer(ticket, "too many ask for it at once; try again") }
    case .command(let command, let ticket): answer(ticket, perform(command, at: now))
    case .claim(let claim): gateway.claimed(claim, at: now)
    case .neighbour(let neighbour):
      // Who has just come does not know of us where the broker keeps nothing for him: RabbitMQ gives wildcards no retained message.
      if gateway.isNews(neighbour) { board.tellAgain() }
      gateway.met(neighbour, at: now)
    case .hello(let hello): gateway.greeted(hello, at: now)
    case .unfinished(let visit): gateway.recall(visit, at: now)
    case .caughtUp:
      deafUntil = .zero
      gateway.caughtUp(at: now)
    case .peer(let peer):
      gateway.told(peer, at: now)
      for radio in radios { radio.hint(peer) }
    }
  }

  /// nil when it is done, else why not.
  private mutating func perform(_ command: Core.Command, at now: Instant) -> String? {
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
    if recorders.isEmpty { recorders = Tape.recorders(radios.count) }
    tape = Tape(radios, recorders, beside: host.outbox.path, during: span, ticket, at: now)
    log.say(.info, "recording what is heard for \(Int(span.seconds)) s, as a command asks")
  }

  /// What a command asked for a while ago.
  private mutating func answerLate(at now: Instant) {
    if let done = measuring, now >= done.until || isOver {
      send(done.reply(gateway.settings))
      measuring = nil
    }
    if isOver { tape?.finish() }
    if tape?.turned(at: now) ?? false, let done = tape {
      send(done.reply(from: Topics(gateway.settings)))
      tape = nil
    }
  }

  /// The driver typed the pump's number.
  private mutating func call(_ name: Name, _ identity: Identity, at now: Instant) -> String? {
    guard let trigger = gateway.settings.trigger(named: name) else { return "there is no trigger of that name" }
    return gateway.call(trigger, for: identity, at: now)?.sentence
  }

  /// Without a name every region is meant.
  private mutating func range(_ order: Core.Command.Ranging, _ name: Name, at now: Instant) -> String? {
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
    board.adopt(configuration.core)
    census.adopt(configuration.core.publish.telemetry)
    delivery.adopt(CourierSettings(configuration.core, configuration.host, boot: boot))
    herald.adopt(configuration.core)
    gateway.adopt(configuration.core, at: Clock.now())
    log.say(.info, "the new configuration is in force")
    return nil
  }
}

extension CallRefusal {
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
