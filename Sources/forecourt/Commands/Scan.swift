import Core
import Host

extension Command {
  static var scan: Command {
    Command(
      name: "scan", summary: "show who is heard, live",
      description: [
        "Brings the radios up as the gateway would and shows everybody they hear: identity, zone, distance with its doubt, average, adverts a second, seconds since the last, the last levels, and where each trigger of the configuration stands. Nothing is published, and no broker is needed.",
        "On a terminal, a table: d, a, r, g and i sort by distance, average, rate, age and identity, the same key again the other way round; m shows only those whom the configuration looks for; j and k scroll, space holds the table still, q ends. NO_COLOR in the environment switches colours off.",
        "Otherwise, or with --json, JSON lines: one a second for each device that was heard in it.",
      ],
      options: [.config, .radio, .json, .seconds],
      examples: [
        Example(line: "forecourt scan", words: "Who is here."),
        Example(line: "forecourt scan --json --seconds 10", words: "The same for a script."),
      ],
      exits: [.done, .usage, .unreadable, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try show(invocation) })
  }
}

private func show(_ invocation: Invocation) throws(Exit) {
  let signals = Signals()
  var configuration = try invocation.configuration(.hearing)
  // Zones are worked out for those alone of whom something may be said.
  configuration.core.publish.unknown = .publish
  var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + 4_096)
  let radios = try Radios(configuration.core, configuration.host.adapters, isAsked: true, invocation, in: &arena)
  let rehearsal = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
  let isTable = invocation.out.isTerminal && !invocation.has("json")
  let listener = ScanListener(rehearsal, RadioConditions(radios.adapters), invocation.number("seconds"), invocation.out, isTable: isTable)
  var loop = CoreLoop(listener, radios.bell, radios.all, signals)
  loop.run()
  loop.listener.leave()
  let conditions = loop.listener.conditions
  radios.stop()
  guard let end = conditions.end else { return }
  // On a terminal the sentences were on the other screen, and are gone with it.
  for advice in conditions.advices { if let advice { say("forecourt: " + advice) } }
  throw end
}

/// Hears as the gateway would, and shows or tells it once in a while.
private struct ScanListener: Listener, ~Copyable {
  private var rehearsal: OfflineGateway
  private let out: Output
  private var table: ScanTable
  private var screen: Screen?
  private let until: Instant
  private var packet = Packet()
  private(set) var conditions: RadioConditions
  private var due = Instant.zero
  private var told = Instant.zero
  private var isOver = false

  private static let frame = Interval.milliseconds(250)
  private static let line = Interval.seconds(1)
  /// How often keys are looked for.
  private static let glance = Interval.milliseconds(50)

  init(_ rehearsal: consuming OfflineGateway, _ conditions: RadioConditions, _ seconds: Int?, _ out: Output, isTable: Bool) {
    table = ScanTable(rehearsal.gateway)
    self.rehearsal = rehearsal
    self.conditions = conditions
    self.out = out
    screen = isTable ? Screen(out) : nil
    until = seconds.map { Clock.now() + .seconds(Double($0)) } ?? .never
    told = Clock.now()
    due = isTable ? told : told + Self.line
  }

  mutating func leave() { screen = nil }

  // MARK: Listener

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    rehearsal.receive(packet, radio: radio)
    while rehearsal.take({ _ in }) {}
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    _ = conditions.reported(report, radio: radio)
    isOver = isOver || conditions.isOver
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  mutating func tick(at moment: Instant) { rehearsal.tick(at: moment) }
  var nextDeadline: Instant { min(min(until, due), screen == nil ? .never : Clock.now() + Self.glance) }
  var hasWork: Bool { false }

  mutating func turned(at moment: Instant) -> Bool {
    if isOver || moment >= until || out.isClosed { isOver = true }
    if screen != nil { readKeys() }
    if moment >= due || isOver { tell(at: moment) }
    return !isOver
  }

  // MARK: Telling

  private mutating func tell(at now: Instant) {
    if screen == nil {
      table.tellHeard(since: told, at: now, rehearsal.gateway, to: out)
      out.flush()
      (told, due) = (now, now + Self.line)
      return
    }
    table.note(rehearsal.gateway, at: now)
    due = now + Self.frame
    guard !isOver, let size = screen?.size else { return }
    let lines = table.lines(rehearsal.gateway, at: now, states, screen!, size.columns, size.rows)
    screen!.show(lines)
  }

  private var states: [String] {
    conditions.adapters.indices.map { conditions.advices[$0] ?? "\(conditions.adapters[$0].written) \(conditions.conditions[$0].name)" }
  }

  private mutating func readKeys() {
    guard screen?.isTyped ?? false else { return }
    while let key = Keys.byte() {
      if key == UInt8(ascii: "q") { isOver = true }
      if table.typed(key) { due = .zero }
    }
  }
}
