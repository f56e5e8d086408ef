import Core
import Host

/// `forecourt calibrate`: its options and places, and measuring from recordings.
extension Command {
  static var calibrate: Command {
    Command(
      name: "calibrate", summary: "measure a device's power, the exponent and the radios' offsets",
      description: [
        "Listens to one device at known distances and fits its level at 1 m, the path-loss exponent and, with several radios, how much more one hears than another. Says how far off each may be, predicts how often the configured triggers would miss a device or fire for one elsewhere, and prints a fragment to paste into the configuration. Figures for people go to standard error, the fragment to standard output.",
        "fixed: the device stays at one place for ten seconds, a metre from the radio unless --place says otherwise. This gives its power, or with a known device a radio's offset, to about 3 dB; one place gives no better, however long it lasts.",
        "walk: at least two places. A prompt asks for each; Enter starts it. Move about slowly around the spot, a step or two, with the device held up in front of you: every six seconds then count like another place. Three places with a minute at each give the power to about 1 dB and the exponent to 0.1.",
        "--place METRES, or METRES..METRES for a walk at a steady pace from one distance to the other. With several radios each distance names its radio: left=1,right=4.5; a radio that is not named does not count there. With --capture, METRES@FROM-TO says when, in seconds of the recording; without it each place has a capture of its own, or a single place has them all.",
        "site: shows what visits have taught of the site's receivers: on a plan (at_m) how much more or less each hears than its place explains, without one how much less each hears of another's visitors; and which antenna looks wrong. Reads the file beside the outbox; the gateway may go on running.",
        "Too little data, or data that contradicts itself, gives no figures but the reason.",
      ],
      operands: .one("fixed|walk|site"),
      options: [
        Option(
          "id", .text("ID"), "The device to measure, as subscribers see it, or its name: forecourt scan shows both. fixed and walk need it."
        ),
        Option("place", .text("PLACE"), repeatable: true, "Where the device is: see above."),
        .captures("Measure from recordings instead of the radios; with several radios one for each, in their order."), .config, .radio,
        Option("seconds", .number("N", 5...600), "How long to listen at each place: 10 when fixed, 30 in a walk."),
      ],
      examples: [
        Example(line: "forecourt calibrate fixed --id irk:anna", words: "Ten seconds, a metre from the radio."),
        Example(
          line: "forecourt calibrate walk --id irk:anna --place 1 --place 6 --place 15",
          words: "At the pump, at the next pump, at the street."),
        Example(line: "forecourt calibrate fixed --id irk:anna --capture yard.btsnoop", words: "The same from a recording."),
        Example(line: "forecourt calibrate site", words: "After a day of visits: which antenna is bad?"),
      ],
      exits: [.done, .failed, .usage, .unreadable, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runCalibrate(invocation) })
  }
}

private func runCalibrate(_ invocation: Invocation) throws(Exit) {
  if same(invocation.operands[0], "site") { return try showSite(invocation) }
  let isWalk = same(invocation.operands[0], "walk")
  guard isWalk || same(invocation.operands[0], "fixed") else {
    throw invocation.refused("\"\(invocation.operands[0])\" is neither fixed nor walk nor site")
  }
  guard let word = invocation.value("id") else { throw invocation.refused("--id is missing: it names the device to measure") }
  let isRecorded = !invocation.values("capture").isEmpty
  // Listening ends with what was heard; the reading of a pipe just ends.
  let signals = isRecorded ? nil : Signals()
  let configuration = try invocation.configuration(.hearing)
  let identity = try invocation.identity(word, configuration.core)
  var radios: [String] = []
  for radio in 0..<max(configuration.core.radios.count, 1) { radios.append(radioName(radio, configuration.core)) }
  let places = try invocation.places(isWalk, radios)
  var calibration = Calibration(identity, places, radios, configuration.core)
  let isRehearsal = configuration.host.adapters.contains { $0.isRehearsal }
  calibration.isRecorded = isRecorded
  if let signals {
    try calibration.listen(configuration, invocation, signals, seconds: invocation.number("seconds") ?? (isWalk ? 30 : 10))
    calibration.date = Clock.wall()
    calibration.isRehearsal = isRehearsal
  } else {
    try calibration.read(configuration, invocation)
  }
  try calibration.printResult(to: invocation.out)
}

extension Invocation {
  fileprivate func places(_ isWalk: Bool, _ radios: [String]) throws(Exit) -> [CalibrationPlace] {
    var words = values("place")
    if words.isEmpty, !isWalk { words = [radios.count == 1 ? "1" : radios[0] + "=1"] }
    guard !isWalk || words.count >= 2 || words.first.map({ !split($0, at: "..").dropFirst().isEmpty }) ?? false else {
      throw refused("a walk needs at least two places: --place 1 --place 15")
    }
    guard isWalk || words.count == 1 else { throw refused("fixed is one place; several are a walk") }
    var places: [CalibrationPlace] = []
    for word in words {
      do throws(PlaceRefusal) {
        places.append(try CalibrationPlace(word, radios))
      } catch {
        throw refused("--place \(word): \(error.sentence)")
      }
    }
    return places
  }
}

/// The samples of each place, and what they show.
struct Calibration {
  let identity: Identity
  let places: [CalibrationPlace]
  let radios: [String]
  let settings: InForce
  var measurements: [Measurement] = []
  /// When it was measured, in microseconds since 1970.
  var date: Int64?
  var isRecorded = false
  /// On a simulated radio, or one that plays a capture.
  var isRehearsal = false

  /// What the configuration in force says.
  struct InForce {
    var exponent: Double
    var offsets: [Double]
    var power: Double?
    var triggers: [TriggerSettings]
  }

  init(_ identity: Identity, _ places: [CalibrationPlace], _ radios: [String], _ settings: borrowing Settings) {
    (self.identity, self.places, self.radios) = (identity, places, radios)
    let interest = settings.interest(in: identity)
    var triggers: [TriggerSettings] = []
    for index in settings.triggers.indices where interest.triggers >> UInt64(index) & 1 == 1 { triggers.append(settings.triggers[index]) }
    self.settings = InForce(
      exponent: Double(settings.calibration.pathLossExponent),
      offsets: radios.indices.map { Double(settings.receiveOffset(of: $0).value) },
      power: interest.calibration.map { Double($0.value) }, triggers: triggers)
  }

  mutating func add(_ sample: Sample) {
    for index in measurements.indices where measurements[index].radio == sample.radio {
      guard sample.at >= measurements[index].begin, sample.at < measurements[index].end else { continue }
      measurements[index].readings.append(Measurement.Reading(at: sample.at, level: Double(sample.level)))
    }
  }

  // MARK: From recordings

  mutating func read(_ configuration: consuming Configuration, _ invocation: Invocation) throws(Exit) {
    let names = invocation.values("capture")
    for option in ["radio", "seconds"] where invocation.has(option) {
      throw invocation.refused("--\(option) is for listening, and --capture for what was heard")
    }
    let hasWindows = places.contains { $0.window != nil }
    guard !hasWindows || places.allSatisfy({ $0.window != nil }) else {
      throw invocation.refused("either every --place has a span, or none has")
    }
    if !hasWindows, places.count > 1 {
      guard names.count == places.count, radios.count == 1 else {
        throw invocation.refused("each --place needs its span, METRES@FROM-TO, or, with one radio, a --capture of its own")
      }
      try invocation.mustSuit(names, configuration.core)
      for (index, name) in names.enumerated() {
        try read(Captures(opening: [name]), place: index, try invocation.configuration(.hearing), invocation)
      }
      return
    }
    try invocation.mustSuit(names, configuration.core)
    try read(Captures(opening: names), place: nil, configuration, invocation)
  }

  private mutating func read(
    _ captures: Captures, place: Int?, _ configuration: consuming Configuration, _ invocation: Invocation
  ) throws(Exit) {
    date = date ?? captures.epoch
    var offline = OfflineGateway(configuration, epoch: captures.epoch)
    var trace = DeviceTrace(identity, radios: radios.count)
    var packet = Packet()
    var samples: [Sample] = []
    var last = Instant.zero
    while let capture = invocation.next(of: captures, into: &packet) {
      if let sample = trace.receive(packet, radio: radios.count == 1 ? 0 : capture, in: &offline) { samples.append(sample) }
      offline.dropMessages()
      last = max(last, packet.at)
    }
    guard !samples.isEmpty else {
      try invocation.close(captures)
      throw invocation.unheard(identity, in: offline.gateway)
    }
    let earlier = measurements
    measurements = []
    for index in places.indices where place == nil || place == index {
      let window = places[index].window
      let start = window.map { Instant.zero + .seconds($0.from) } ?? .zero
      let end = window.map { Instant.zero + .seconds($0.to) } ?? last + Interval(microseconds: 1)
      measurements += places[index].measurements(index, from: start, to: end)
    }
    for sample in samples { add(sample) }
    measurements = earlier + measurements
    try invocation.close(captures)
  }
}
