import Core
import Host

/// "Hold it at the radio": recognises by its level whom the person means.
extension Setup {
  /// False when the person goes back instead.
  mutating func askForDevice() throws(Exit) -> Bool {
    sayFilled("Hold the phone or beacon at the radio's antenna, nearer than a hand's breadth, and keep others a metre away.", indent: 2)
    while true {
      let standard = answers[.device]
      let kept = standard.map { "Enter keeps \($0); l listens;" } ?? "Enter listens for \(Int(HoldListener.patience.seconds)) s;"
      switch prompt.ask("\(kept) or write a selector:") {
      case .ended: throw .failed
      case .back: return false
      case .line(let line):
        if line.utf8.isEmpty, standard != nil { return true }
        if line.utf8.isEmpty || same(line, "l") {
          if try chooseHeard() { return true }
        } else if take(line, "Whom to recognise.") {
          return true
        }
      }
    }
  }

  private mutating func take(_ selector: String, _ origin: String) -> Bool {
    let faults = answers.faults(of: .device, selector)
    for fault in faults { sayFilled(SetupQuestion.device.told(fault), indent: 2) }
    guard faults.isEmpty else { return false }
    (answers[.device], answers.origin) = (selector, origin)
    return true
  }

  /// False: nobody was chosen.
  private mutating func chooseHeard() throws(Exit) -> Bool {
    let heard = try listen()
    guard !heard.isEmpty else {
      sayFilled("No device was heard at all. Does it send anything? Many phones send nothing unless an app does.", indent: 2)
      return false
    }
    for (index, device) in heard.enumerated() {
      say("  \(index + 1)  \(fixed(device.level, 0).right(in: 4)) dBm  \(device.identity.shown)")
    }
    let isClear = HoldListener.isClear(heard)
    sayFilled(isClear ? "1 is much nearer than all others." : "None is much nearer than all others.", indent: 2)
    while true {
      switch prompt.ask(isClear ? "Which number? Enter takes 1; 0 listens again:" : "Which number? 0 listens again:", indent: 2) {
      case .ended: throw .failed
      case .back: return false
      case .line(let line):
        guard let number = line.utf8.isEmpty && isClear ? 1 : decimal(line), 0...heard.count ~= number else { continue }
        return number == 0 ? try chooseHeard() : try choose(heard[number - 1])
      }
    }
  }

  /// Offers what stays true tomorrow.
  private mutating func choose(_ device: HeardDevice) throws(Exit) -> Bool {
    let lasting = LastingSelector.all(for: device.identity, addressStays: device.addressStays)
    guard !lasting.isEmpty else {
      sayFilled(LastingSelector.none, indent: 2)
      return false
    }
    var number = 1
    if lasting.count > 1 {
      for (index, choice) in lasting.enumerated() { say("  \(index + 1)  \(choice.selector)\n       \(choice.words)") }
      asking: while true {
        switch prompt.ask("Which of these? Enter takes 1:", indent: 2) {
        case .ended: throw .failed
        case .back: return false
        case .line(let line):
          guard let chosen = line.utf8.isEmpty ? 1 : decimal(line), 1...lasting.count ~= chosen else { continue }
          number = chosen
          break asking
        }
      }
    }
    let chosen = lasting[number - 1]
    sayFilled("\(chosen.selector): \(chosen.words).", indent: 2)
    return take(chosen.selector, "Whom it is for: \(chosen.words).")
  }

  /// The nearest first.
  private func listen() throws(Exit) -> [HeardDevice] {
    // Quick to follow a hand.
    let configuration = try configuration(adding: "[average]\ntime_constant_s = 0.8\nstale_s = 3\n")
    let radios = try Radios(attendedBy: invocation, configuration)
    let offline = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
    let listener = HoldListener(offline, RadioConditions(radios.adapters), invocation.out.bar)
    var loop = CoreLoop(listener, radios.bell, radios.all, prompt.signals)
    loop.run()
    invocation.out.bar.clear()
    let (end, heard) = (loop.listener.end, loop.listener.nearest)
    radios.stop()
    if let end { throw end }
    return heard
  }
}

struct HeardDevice {
  let identity: Identity
  let level: Float
  let addressStays: Bool?
}

/// Listens until one device is much nearer than all others for a while.
struct HoldListener: AttendedListener, ~Copyable {
  private var offline: OfflineGateway
  private var conditions: RadioConditions
  private let bar: ProgressBar
  private let span = TimeSpan(seconds: Int(Self.patience.seconds))
  private var clearSince: Instant?
  private var first: Identity?
  private(set) var nearest: [HeardDevice] = []
  private(set) var end: Exit?

  static let patience = Interval.seconds(15)
  /// So long one must be the nearest.
  private static let steady = Interval.seconds(2)
  private static let glance = Interval.milliseconds(200)

  init(_ offline: consuming OfflineGateway, _ conditions: RadioConditions, _ bar: ProgressBar) {
    self.offline = offline
    self.conditions = conditions
    self.bar = bar
  }

  /// In the hand at the antenna it is above -50 dBm; a metre away a phone has about -59.
  static func isClear(_ heard: [HeardDevice]) -> Bool {
    guard let first = heard.first, first.level > -50 else { return false }
    return heard.count == 1 || first.level > heard[1].level + 8
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    offline.receive(bytes, radio: radio, at: moment)
    offline.dropMessages()
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    conditions.print(report, radio: radio, over: bar)
    end = end ?? conditions.end
  }

  mutating func asked(_ request: Signals.Order) { if case .stop = request { end = .failed } }
  var nextDeadline: Instant { min(span.end, Clock.now() + Self.glance) }

  mutating func turned(at moment: Instant) -> Bool {
    bar.show(span.part(at: moment), atOnce: true)
    rank(at: moment)
    if Self.isClear(nearest), first == nearest[0].identity {
      clearSince = clearSince ?? moment
    } else {
      (clearSince, first) = (nil, nearest.first?.identity)
    }
    return end == nil && moment < span.end && !(clearSince.map { moment >= $0 + Self.steady } ?? false)
  }

  private mutating func rank(at now: Instant) {
    var all: [HeardDevice] = []
    for slot in 0..<offline.gateway.devices.capacity where offline.gateway.devices.isUsed(slot) {
      let estimate = offline.gateway.devices.estimate(of: slot, at: now, offline.gateway.settings)
      guard let estimate, estimate.samples >= 3 else { continue }
      let identity = offline.gateway.devices[slot].identity
      all.append(
        HeardDevice(identity: identity, level: estimate.average.value, addressStays: offline.gateway.addressStays(of: identity)))
    }
    nearest = order(of: all.count) { all[$0].level > all[$1].level }.prefix(5).map { all[$0] }
  }
}
