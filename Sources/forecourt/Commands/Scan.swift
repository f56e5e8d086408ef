import Core
import Host

/// `forecourt scan`: listens and shows, as a table or as JSON lines.
extension Command {
  static var scan: Command {
    Command(
      name: "scan", summary: "show the devices that are heard, live",
      description: [
        "Brings the radios up as the gateway would and shows every device they hear: identity, zone, distance and its range of error, average, adverts a second, seconds since the last, the last levels, and its stage at each trigger of the configuration. Publishes nothing and needs no broker; with --radio it needs no configuration, either.",
        "On a terminal this is a table. d, a, r, g and i sort by distance, average, rate, age and identity; the same key again reverses the order. m shows only the devices that the configuration looks for; the arrow keys, or j and k, select a device, whose whole identity stands below; space holds it still, q quits. NO_COLOR in the environment switches colours off. Where the locale is not UTF-8, the table is ASCII, and levels are digits from 1 to 8.",
        "Otherwise, or with --json, prints JSON lines: each second one for each device that was heard in it.",
      ],
      options: [.config, .radio, .json, .seconds],
      examples: [
        Example(line: "forecourt scan --radio hci0", words: "What is here? Before there is any configuration."),
        Example(line: "forecourt scan", words: "The same through the configuration's radios, with its triggers."),
        Example(line: "forecourt scan --json --seconds 10", words: "The same for a script."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runScan(invocation) })
  }
}

private func runScan(_ invocation: Invocation) throws(Exit) {
  let signals = Signals()
  var configuration = try invocation.configurationToListen()
  // The gateway computes zones only for devices that it may publish.
  configuration.core.publish.unknown = .publish
  let known = configuration.knownAdapters
  let radios = try Radios(attendedBy: invocation, configuration)
  let offline = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
  let isTable = invocation.out.isTerminal && !invocation.has("json")
  let conditions = RadioConditions(radios.adapters, known)
  let listener = ScanListener(offline, conditions, invocation.number("seconds"), invocation.out, isTable: isTable)
  var loop = CoreLoop(listener, radios.bell, radios.all, signals)
  loop.run()
  loop.listener.closeScreen()
  let last = loop.listener.conditions
  radios.stop()
  guard let end = last.end else { return }
  // On a terminal these sentences stood on the other screen and went with it.
  for advice in last.advices { if let advice { say("forecourt: " + advice) } }
  throw end
}

/// Listens as the gateway would, and redraws the table or prints lines.
struct ScanListener: AttendedListener, ~Copyable {
  private var offline: OfflineGateway
  private let out: Output
  private var table: ScanTable
  private var screen: Screen?
  private let until: Instant
  private(set) var conditions: RadioConditions
  private var due = Instant.zero
  /// A radio may have heard something before there was a listener.
  private var printed = Instant.zero
  private var isOver = false
  private var keys = KeySequence()

  private static let frame = Interval.milliseconds(250)
  private static let line = Interval.seconds(1)
  /// How often keys are read.
  private static let glance = Interval.milliseconds(50)

  init(_ offline: consuming OfflineGateway, _ conditions: RadioConditions, _ seconds: Int?, _ out: Output, isTable: Bool) {
    table = ScanTable(offline.gateway)
    self.offline = offline
    self.conditions = conditions
    self.out = out
    screen = isTable ? Screen(out) : nil
    until = seconds.map { Clock.now() + .seconds(Double($0)) } ?? .never
    due = Clock.now() + (isTable ? .zero : Self.line)
  }

  mutating func closeScreen() { screen = nil }

  // MARK: Listener

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    offline.receive(bytes, radio: radio, at: moment)
    offline.dropMessages()
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    let news = conditions.record(report, radio: radio)
    // Troubles are said at the end, or stand in the table.
    if let news, screen == nil, report.condition.trouble == nil { say(news) }
    isOver = isOver || conditions.isOver
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  mutating func tick(at moment: Instant) { offline.tick(at: moment) }
  var nextDeadline: Instant { min(min(until, due), screen == nil ? .never : Clock.now() + Self.glance) }

  mutating func turned(at moment: Instant) -> Bool {
    if isOver || moment >= until || out.isClosed { isOver = true }
    if screen != nil { readKeys() }
    if moment >= due || isOver { refresh(at: moment) }
    return !isOver
  }

  // MARK: Output

  private mutating func refresh(at now: Instant) {
    if screen == nil {
      let isRehearsal = conditions.adapters.contains { $0.isRehearsal }
      table.printHeard(since: printed, at: now, offline.gateway, isRehearsal: isRehearsal, to: out)
      out.flush()
      (printed, due) = (now, now + Self.line)
      return
    }
    table.observe(offline.gateway, at: now)
    due = now + Self.frame
    guard !isOver, let size = screen?.size, let colours = screen?.colours else { return }
    let lines = table.lines(offline.gateway, at: now, states, colours, size.columns, size.rows)
    screen!.show(lines)
  }

  private var states: [String] {
    conditions.adapters.indices.map { conditions.advices[$0] ?? "\(conditions.adapters[$0].written) \(conditions.conditions[$0].name)" }
      + ["nothing is published"]
  }

  private mutating func readKeys() {
    guard screen?.isTyped ?? false else { return }
    while let byte = Keys.byte() {
      guard let key = keys.key(byte) else { continue }
      if key == UInt8(ascii: "q") { isOver = true }
      if table.typed(key) { due = .zero }
    }
  }
}
