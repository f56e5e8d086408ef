import Core
import Host

/// `forecourt explain`: follows one device through captures; prints text.
extension Command {
  static var explain: Command {
    Command(
      name: "explain", summary: "show why a device did or did not fire",
      description: [
        "Runs captures through the gateway as replay does and follows one device, by its id or by the name that a [[device]] gives it: a line for each sample, with its level, what the average made of it (first; taken; gated: an outlier; moved: the level has changed for good), the average, the distance and the zone; then, for each trigger that looks for the device, its stage, the average by which it decides, and the first rule that keeps it from firing. Events stand between the lines, and where a visit goes on under another address. Where all radios are compared (at_m), so does how likely each place is: here, the likeliest other radio, elsewhere.",
        "At the end, for each trigger: when it fired, or how far it got, and how often each rule held it back, and for how long each place was the likeliest; for each region that looks for it: when it entered and exited, or how near its average came to minimum_dbm.",
        "Several captures belong to the configuration's radios, in its order. A capture holds no claims of neighbours: to follow a device through a site, give a configuration that has a radio for each gateway's capture, as deploy/two-pumps.toml has.",
        "With --json, prints one object a line; its kind is sample, event or, in the last line, verdict. Samples have the likelihoods as events have them. The event \"renewed\" says from which address a visit goes on, or to which.",
      ],
      operands: .one("ID"),
      options: [
        .captures("A recording: btsnoop, pcap or pcapng. Once for each radio.", isNeeded: true), .config,
        Option("brief", .none, "Print only the events, each place that becomes the likeliest, and the end; not each sample."), .json,
      ],
      examples: [
        Example(
          line: "forecourt explain irk:anna --capture yard.btsnoop", words: "Why nothing happened when Anna stood there."),
        Example(line: "forecourt explain irk:anna --capture yard.btsnoop --config new.toml", words: "Would new.toml help?"),
        Example(
          line: "forecourt explain irk:anna --capture yard.btsnoop --json --brief", words: "For a script: the events and the verdict."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runExplain(invocation) })
  }
}

private func runExplain(_ invocation: Invocation) throws(Exit) {
  var configuration = try invocation.configuration(.hearing)
  let identity = try invocation.identity(invocation.operands[0], configuration.core)
  let captures = try invocation.captures()
  // The gateway computes zones only for devices that it may publish.
  configuration.core.publish.unknown = .publish
  let radios = max(configuration.core.radios.count, 1)
  try invocation.mustSuit(invocation.values("capture"), configuration.core)
  invocation.sayUncaptured(invocation.values("capture"), configuration.core)
  invocation.sayIfOff(configuration, named: invocation.value("config"))
  let isLearnt = configuration.hasLearnt(identity)
  var offline = OfflineGateway(configuration, epoch: captures.epoch)
  var explanation = Explanation(identity, offline.gateway.settings, invocation)
  var packet = Packet()
  while let capture = invocation.next(of: captures, into: &packet) {
    explanation.receive(packet, radio: radios == 1 ? 0 : capture, in: &offline)
  }
  if explanation.samples == 0 {
    try invocation.close(captures)
    throw invocation.unheard(identity, in: offline.gateway)
  }
  explanation.end(offline.gateway.settings)
  if isLearnt { say("forecourt: what visits taught the gateway of this device's power is not applied here") }
  try invocation.close(captures)
}

extension Configuration {
  /// Whether the gateway's visits have taught it the device's power.
  fileprivate func hasLearnt(_ identity: Identity) -> Bool {
    guard core.calibration.learns else { return false }
    var isLearnt = false
    do throws(FileRefusal) {
      _ = try LearntFile.read(SideFiles.path(LearntFile.name, beside: String(host.outbox.path))) {
        if case .power(let record) = $0, record.identity == identity { isLearnt = true }
      }
    } catch {}
    return isLearnt
  }
}

/// Everything that explain prints about one device.
struct Explanation {
  private var trace: DeviceTrace
  private let out: Output
  private let isBrief: Bool
  private let captures: Int
  private var objects: ExplanationJSON?
  let identity: Identity
  private(set) var records: [TriggerRecord] = []
  private(set) var regions: [RegionRecord] = []
  /// Their triggers and regions.
  private var taken: (triggers: UInt64, regions: UInt64) = (0, 0)
  private(set) var samples = 0
  private var first = Instant.zero
  private var last = Instant.zero
  private(set) var levels: (low: Int8, high: Int8) = (.max, .min)
  private(set) var hearing: [Int]
  private(set) var power = "unknown"

  init(_ identity: Identity, _ settings: borrowing Settings, _ invocation: Invocation) {
    (out, isBrief, captures) = (invocation.out, invocation.has("brief"), invocation.values("capture").count)
    objects = invocation.has("json") ? ExplanationJSON(identity, to: out) : nil
    self.identity = identity
    let radios = max(settings.radios.count, 1)
    trace = DeviceTrace(identity, radios: radios)
    hearing = (0..<radios).map { _ in 0 }
    take(settings.interest(in: identity), settings)
  }

  /// These triggers and regions look for the device.
  private mutating func take(_ interest: Interest, _ settings: borrowing Settings) {
    for trigger in settings.triggers.indices where (interest.triggers & ~taken.triggers) >> UInt64(trigger) & 1 == 1 {
      records.append(TriggerRecord(trigger, settings.triggers[trigger]))
    }
    for region in settings.regions.indices where (interest.regions & ~taken.regions) >> UInt64(region) & 1 == 1 {
      regions.append(RegionRecord(settings.regions[region]))
    }
    taken.triggers |= interest.triggers
    taken.regions |= interest.regions
  }

  mutating func receive(_ packet: borrowing Packet, radio: Int, in offline: inout OfflineGateway) {
    let sample = trace.receive(packet, radio: radio, in: &offline)
    let slot = trace.slot(in: offline.gateway)
    // Or for another name of its.
    if let slot { take(offline.gateway.devices[slot].interest, offline.gateway.settings) }
    printEvents(of: &offline)
    guard let slot else { return }
    printSuccessions(of: slot, at: packet.at, offline.gateway)
    guard let sample else { return }
    if samples == 0 {
      first = sample.at
      if !isBrief, objects == nil { out.line(Self.head + (records.isEmpty ? "" : "trigger: stage at its average, what holds it back")) }
    }
    samples += 1
    last = sample.at
    levels = (min(levels.low, sample.level), max(levels.high, sample.level))
    hearing[radio] += 1
    power = offline.gateway.devices[slot].power.words
    if let estimate = offline.gateway.devices.estimate(of: slot, at: sample.at, offline.gateway.settings) {
      for index in regions.indices { regions[index].observe(estimate.average, at: sample.at) }
    }
    var states: [TriggerRecord.State] = []
    for index in records.indices { states.append(records[index].observe(slot, sample, offline.gateway)) }
    for index in records.indices { printChange(of: index, at: sample.at) }
    guard !isBrief else { return }
    guard objects == nil else { return objects!.print(sample, slot, records, states, offline.gateway) }
    var line = describe(sample, slot, offline.gateway)
    for index in records.indices {
      out.line(line + records[index].name + ": " + states[index].text)
      line = String(repeating: " ", count: Self.head.columns)
    }
    if records.isEmpty { out.line(line) }
  }

  // MARK: Lines

  private static let head =
    "t_s".right(in: 9) + "  " + "radio".padded(to: 8) + "heard".right(in: 6) + "  " + "took".padded(to: 6) + "average".right(in: 8)
    + "  " + "metres".padded(to: 18) + "zone".padded(to: 11)

  private func describe(_ sample: Sample, _ slot: Int, _ gateway: borrowing Gateway) -> String {
    var line = fixed(sample.at.microsecondsAsSeconds, 3).right(in: 9) + "  "
    line += radioName(sample.radio, gateway.settings).cut(to: 8).padded(to: 8)
    line += "\(sample.level)".right(in: 6) + "  " + "\(sample.verdict.word)".padded(to: 6)
    guard let estimate = gateway.devices.estimate(of: slot, at: sample.at, gateway.settings) else { return line + "  " }
    line += fixed(estimate.average.value, 1).right(in: 8) + "  "
    line += "\(metres(estimate.distance)) (\(metres(estimate.low))–\(metres(estimate.high)))".padded(to: 18)
    return line + String(gateway.devices[slot].zone).padded(to: 11)
  }

  private mutating func printEvents(of offline: inout OfflineGateway) {
    let identity = json(trace.identity.text)
    var words: [(at: Instant, word: TriggerEvent, isOfRegion: Bool)] = []
    while offline.take({ message in
      if let word = TriggerEvent(message) {
        words.append((message.at, word, false))
      } else if let word = TriggerEvent(message, of: "region") {
        words.append((message.at, word, true))
      }
    }) {}
    for (at, word, isOfRegion) in words where same(word.identity, identity) {
      for index in regions.indices where isOfRegion && word.isOf(regions[index].name) {
        regions[index].record(word, at: at)
        print(word, of: regions[index].name, as: "region", at: at)
      }
      for index in records.indices where !isOfRegion && word.isOf(records[index].name) {
        records[index].record(word.event, at: at)
        print(word, of: records[index].name, as: "trigger", at: at)
      }
    }
  }

  @inline(never)
  private mutating func print(_ word: TriggerEvent, of name: String, as kind: StaticString, at moment: Instant) {
    guard objects == nil else { return objects!.print(word, of: name, as: kind, at: moment) }
    print(word.event + word.why, "  >>> ", at: moment, of: name)
  }

  /// Where the visit changes its address.
  private mutating func printSuccessions(of slot: Int, at moment: Instant, _ gateway: borrowing Gateway) {
    for index in records.indices {
      guard let renewal = records[index].takeRenewal(slot, at: moment, gateway) else { continue }
      guard objects == nil else {
        objects!.print(renewal, of: records[index].name)
        continue
      }
      print(renewal.words(gateway.settings), "  >>> ", at: moment, of: records[index].name)
    }
  }

  /// A line where the likelihoods change.
  private mutating func printChange(of index: Int, at moment: Instant) {
    guard objects == nil, let change = records[index].takeChange(isBrief: isBrief) else { return }
    print(change, "  ~~~ ", at: moment, of: records[index].name)
  }

  @inline(never)
  private func print(_ words: String, _ mark: String, at moment: Instant, of trigger: String) {
    out.line(joined(fixed(moment.microsecondsAsSeconds, 3).right(in: 9), mark, trigger, ": ", words))
  }

  // MARK: The end

  /// From the first sample to the last.
  var seconds: Double { (last - first).seconds }

  func end(_ settings: borrowing Settings) {
    if var objects { return objects.print(self, settings) }
    out.line("")
    let rate = seconds > 0 ? ", \(fixed(Double(samples - 1) / seconds, 1)) a second" : ""
    out.line(
      "\(named(identity, settings)): \(counted(samples, "sample")) in \(fixed(seconds, 1)) s\(rate); \(levels.low) to \(levels.high) dBm; its power is \(power)."
    )
    if hearing.count > 1 {
      var words: [String] = []
      for radio in hearing.indices { words.append("\(radioName(radio, settings)) \(hearing[radio])") }
      out.line("Heard by: " + listed(words, with: "and") + ".")
    }
    // Where there are only regions, nobody misses a trigger.
    if records.isEmpty, !settings.triggers.isEmpty || regions.isEmpty {
      let words = "It is this gateway's own beacon ([[transmit]]): no trigger takes it."
      out.line(settings.transmits(identity) ? words : "No trigger's match covers it: add it to one.")
    }
    for record in records { for line in record.end(settings, captures: captures) { out.line(line) } }
    for region in regions { out.line(region.words) }
  }
}

/// `anna (irk:anna)`, or the id alone.
func named(_ identity: Identity, _ settings: borrowing Settings) -> String {
  let name = settings.deviceName(of: identity)
  return name.isEmpty ? identity.shown : String(name) + " (" + identity.shown + ")"
}

func radioName(_ radio: Int, _ settings: borrowing Settings) -> String {
  radio < settings.radios.count ? String(settings.radios[radio].name) : "radio"
}

extension Instant {
  var microsecondsAsSeconds: Double { Double(microseconds) * 1e-6 }
}

extension String {
  init(_ zone: Zone) { self = "\(zone.name)" }
}

extension Average.Verdict {
  var word: StaticString {
    switch self {
    case .started: "first"
    case .taken: "taken"
    case .held: "gated"
    case .shifted: "moved"
    }
  }
}

extension MeasuredPower {
  var words: String {
    let level = fixed(self.level.value, 1) + " dBm at 1 m"
    return switch self {
    case .assumed: "unknown (\(level) is assumed: calibrate it)"
    case .transmitted: "guessed from what its advert says of its transmitter (\(level))"
    case .learnt: "learnt from visits (\(level))"
    case .advertised: "what its advert says (\(level))"
    case .calibrated: "calibrated (\(level))"
    }
  }
}
