import CLinux
import Core
import Host

extension Calibration {
  /// Asks for one place after another, and listens at each.
  mutating func listen(
    _ configuration: consuming Configuration, _ invocation: Invocation, _ signals: Signals, seconds: Int
  ) throws(Exit) {
    for place in places where place.window != nil { throw invocation.refused("--place \(place.written)@…: a span is for --capture") }
    var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + 4_096)
    let radios = try Radios(configuration.core, configuration.host.adapters, isAsked: true, invocation, in: &arena)
    let rehearsal = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
    let listener = PlaceListener(
      rehearsal, DeviceTrace(identity, radios: self.radios.count), RadioConditions(radios.adapters), invocation.out.bar)
    var loop = CoreLoop(listener, radios.bell, radios.all, signals)
    var refusal: Exit?
    for index in places.indices {
      say(places[index].prompt(index, of: places.count, seconds: seconds))
      guard waitForEnter(signals) else {
        refusal = .failed
        break
      }
      loop.listener.begin(for: .seconds(Double(seconds)))
      loop.run()
      invocation.out.bar.clear()
      refusal = loop.listener.end
      if refusal != nil { break }
      let begin = loop.listener.begun
      measurements += places[index].measurements(index, from: begin, to: begin + .seconds(Double(seconds)))
      for sample in loop.listener.samples { add(sample) }
      say("  \(count(loop.listener.samples.count, "sample"))")
    }
    let isHeard = loop.listener.hasHeard
    let unheard = refusal == nil && !isHeard ? invocation.unheard(identity, in: loop.listener.rehearsal.gateway) : nil
    radios.stop()
    if let end = refusal ?? unheard { throw end }
  }
}

extension CalibrationPlace {
  fileprivate func prompt(_ index: Int, of count: Int, seconds: Int) -> String {
    let numbered = count > 1 ? "Place \(index + 1) of \(count): " : ""
    if isWalked { return numbered + "walk steadily along \(written) m, for \(seconds) s. Enter begins." }
    let how = count > 1 ? "go about slowly there" : "hold the device there"
    return numbered + "\(written) m from the radio; \(how) for \(seconds) s, the device in front of you. Enter begins."
  }
}

/// False when the end was asked for instead.
private func waitForEnter(_ signals: Signals) -> Bool {
  while true {
    if let request = signals.next(), case .stop = request { return false }
    guard signals.waits(forInput: STDIN_FILENO) else { continue }
    switch Keys.byte() {
    case UInt8(ascii: "\n"): return true
    case nil: return false
    default: break
    }
  }
}

/// Listens for one device, one span after another.
private struct PlaceListener: Listener, ~Copyable {
  private(set) var rehearsal: OfflineGateway
  private var trace: DeviceTrace
  private var conditions: RadioConditions
  private let bar: ProgressBar
  private(set) var samples: [Sample] = []
  private(set) var begun = Instant.never
  private(set) var hasHeard = false
  private(set) var end: Exit?
  private var span = Interval.seconds(1)
  private var isOver = false
  private var packet = Packet()

  init(_ rehearsal: consuming OfflineGateway, _ trace: DeviceTrace, _ conditions: RadioConditions, _ bar: ProgressBar) {
    self.rehearsal = rehearsal
    self.trace = trace
    self.conditions = conditions
    self.bar = bar
  }

  mutating func begin(for span: Interval) {
    (begun, self.span) = (Clock.now(), span)
    samples = []
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    if let sample = trace.receive(packet, radio: radio, in: &rehearsal) {
      hasHeard = true
      if moment >= begun { samples.append(sample) }
    }
    while rehearsal.take({ _ in }) {}
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    if let news = conditions.reported(report, radio: radio) {
      bar.clear()
      say(news)
    }
    end = end ?? conditions.end
    isOver = isOver || report.condition == .ended
  }

  mutating func asked(_ request: Signals.Order) { if case .stop = request { end = .failed } }
  mutating func tick(at moment: Instant) {}
  var nextDeadline: Instant { min(begun + span, bar.wakes) }
  var hasWork: Bool { false }

  mutating func turned(at moment: Instant) -> Bool {
    bar.show((moment - begun).seconds / span.seconds, atOnce: true)
    return !isOver && end == nil && moment < begun + span
  }
}
