import Core
import Host

/// `forecourt calibrate` with radios: a prompt for each place, then listening.
extension Calibration {
  /// Asks for one place after another, and listens at each.
  mutating func listen(
    _ configuration: consuming Configuration, _ invocation: Invocation, _ signals: Signals, seconds: Int
  ) throws(Exit) {
    for place in places where place.window != nil { throw invocation.refused("--place \(place.written)@…: a span is for --capture") }
    let known = configuration.knownAdapters
    let radios = try Radios(attendedBy: invocation, configuration)
    let offline = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
    let listener = PlaceListener(
      offline, DeviceTrace(identity, radios: self.radios.count), RadioConditions(radios.adapters, known), invocation.out.bar)
    var loop = CoreLoop(listener, radios.bell, radios.all, signals)
    var refusal: Exit?
    for index in places.indices {
      sayFilled(places[index].prompt(index, of: places.count, seconds: seconds))
      guard Prompt(signals: signals).line() != nil else {
        if !Prompt.isPossible {
          say("forecourt calibrate: standard input has ended, so nobody can press Enter: run it on a terminal, or give it --capture")
        }
        refusal = .failed
        break
      }
      loop.listener.start(for: .seconds(Double(seconds)))
      loop.run()
      invocation.out.bar.clear()
      refusal = loop.listener.end
      if refusal != nil { break }
      let start = loop.listener.started
      measurements += places[index].measurements(index, from: start, to: start + .seconds(Double(seconds)))
      for sample in loop.listener.samples { add(sample) }
      say("  \(counted(loop.listener.samples.count, "sample"))")
    }
    let isHeard = loop.listener.hasHeard
    let unheard = refusal == nil && !isHeard ? invocation.unheard(identity, in: loop.listener.offline.gateway) : nil
    radios.stop()
    if let end = refusal ?? unheard { throw end }
  }
}

extension CalibrationPlace {
  fileprivate func prompt(_ index: Int, of count: Int, seconds: Int) -> String {
    let numbered = count > 1 ? "Place \(index + 1) of \(count): " : ""
    if isWalked { return numbered + "walk steadily along \(written) m, for \(seconds) s. Press Enter to start." }
    let how = count > 1 ? "move about slowly there for \(seconds) s, the device" : "stand there for \(seconds) s and hold the device"
    return numbered + "\(written) m from the radio; \(how) in front of you. Press Enter to start."
  }
}

/// Listens for one device, one span after another.
struct PlaceListener: AttendedListener, ~Copyable {
  private(set) var offline: OfflineGateway
  private var trace: DeviceTrace
  private var conditions: RadioConditions
  private let bar: ProgressBar
  private(set) var samples: [Sample] = []
  private(set) var started = Instant.never
  private(set) var hasHeard = false
  private(set) var end: Exit?
  private var span = Interval.seconds(1)
  private var isOver = false
  private var packet = Packet()

  init(_ offline: consuming OfflineGateway, _ trace: DeviceTrace, _ conditions: RadioConditions, _ bar: ProgressBar) {
    self.offline = offline
    self.trace = trace
    self.conditions = conditions
    self.bar = bar
  }

  mutating func start(for span: Interval) {
    (started, self.span) = (Clock.now(), span)
    samples = []
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    if let sample = trace.receive(packet, radio: radio, in: &offline) {
      hasHeard = true
      if moment >= started { samples.append(sample) }
    }
    offline.dropMessages()
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    conditions.print(report, radio: radio, over: bar)
    end = end ?? conditions.end
    isOver = isOver || report.condition == .ended
  }

  mutating func asked(_ request: Signals.Order) { if case .stop = request { end = .failed } }
  var nextDeadline: Instant { min(started + span, bar.wakes) }

  mutating func turned(at moment: Instant) -> Bool {
    bar.show((moment - started).seconds / span.seconds, atOnce: true)
    return !isOver && end == nil && moment < started + span
  }
}
