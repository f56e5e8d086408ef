import Core
import Host

/// How far the followed device got at one trigger, and what held it back.
struct TriggerRecord {
  /// The device's stage, and the first rule that holds it back.
  struct State {
    let stage: String
    /// The average by which the trigger decides, if this sample entered it.
    var average = Float.nan
    var heldBack: String?
    var likelihood: Likelihood?

    var text: String {
      joined(stage, average.isNaN ? "" : " at " + fixed(average, 1), heldBack == nil ? "" : "; ", heldBack ?? "")
    }
  }

  let name: String
  private let trigger: Int
  private let settings: TriggerSettings
  private(set) var fires: [Instant] = []
  private var best: (at: Instant, rule: BlockingRule, words: String)?
  /// Samples by the rule that held them back, in the order of the rules.
  private var tally: [(rank: Int, words: String, samples: Int)] = []
  private var unwatched = 0
  private var elsewhere = 0
  private var copies = 0
  private var isWatched = false
  private(set) var likelihood = LikelihoodRecord()
  private var succession = SuccessionRecord()

  init(_ trigger: Int, _ settings: TriggerSettings) {
    (self.trigger, self.settings) = (trigger, settings)
    name = String(settings.name)
  }

  mutating func record(_ event: String, at moment: Instant) {
    if same(event, "fire") || same(event, "manual") { fires.append(moment) }
  }

  mutating func observe(_ slot: Int, _ sample: Sample, _ gateway: borrowing Gateway) -> State {
    let place = gateway.triggers.encounters.find(trigger: trigger, from: gateway.devices[slot].encounters)
    guard place >= 0 else {
      unwatched += 1
      return State(stage: "not watched", heldBack: "it must be nearer, about arm_m")
    }
    let encounter = gateway.triggers.encounters[place]
    guard Int(encounter.radio) == sample.radio else {
      elsewhere += 1
      return State(stage: encounter.stage.word, heldBack: "another radio listens for this trigger")
    }
    guard encounter.approach.heard == sample.at else {
      copies += 1
      return State(stage: encounter.stage.word, heldBack: "a transmitter further off sends it, too: left out")
    }
    isWatched = true
    likelihood.observe(gateway.triggers.likelihood(of: place, gateway.settings))
    var state = State(stage: encounter.stage.word, average: encounter.approach.level.value, likelihood: likelihood.now)
    let evidence = gateway.triggers.evidence(of: place, at: sample.at, gateway.devices, gateway.settings)
    guard let rule = encounter.blockingRule(evidence, at: sample.at, settings) else { return state }
    let words = rule.words(settings)
    record(rule)
    if best == nil || rule.isFurther(than: best!.rule) { best = (sample.at, rule, words) }
    state.heldBack = words
    return state
  }

  /// After each packet: an old address is no longer heard when another one continues it.
  @inline(never)
  mutating func takeRenewal(_ slot: Int, at moment: Instant, _ gateway: borrowing Gateway) -> SuccessionRecord.Renewal? {
    let place = gateway.triggers.encounters.find(trigger: trigger, from: gateway.devices[slot].encounters)
    return place < 0 ? nil : succession.observe(place, at: moment, gateway)
  }

  mutating func takeChange(isBrief: Bool) -> String? { likelihood.takeChange(isBrief: isBrief) }

  private mutating func record(_ rule: BlockingRule) {
    let words = "\(rule.title)"
    // Rules of one rank may take turns.
    if let index = tally.firstIndex(where: { $0.rank == rule.rank && same($0.words, words) }) {
      tally[index].samples += 1
    } else {
      tally.append((rule.rank, words, 1))
    }
  }

  // MARK: The end

  func end(_ settings: borrowing Settings, captures: Int) -> [String] {
    var lines: [String] = []
    if fires.isEmpty {
      lines.append("\(name): never fired. " + verdict)
    } else {
      lines.append("\(name): fired at " + listed(fires.map { fixed($0.microsecondsAsSeconds, 3) + " s" }, with: "and") + ".")
    }
    if let renewal = succession.fromOther { lines.append(line(renewal, settings)) }
    if let renewal = succession.toOther { lines.append(line(renewal, settings)) }
    for part in heldBack {
      lines.append("  " + "\(part.samples)".right(in: 6) + (part.samples == 1 ? " sample: " : " samples: ") + part.words)
    }
    if let words = placeWords(settings, captures: captures) { lines.append("  " + words) }
    return lines
  }

  private func line(_ renewal: SuccessionRecord.Renewal, _ settings: borrowing Settings) -> String {
    joined("  At ", fixed(renewal.at.microsecondsAsSeconds, 3), " s ", renewal.words(settings), ".")
  }

  /// Where it stood, by what all radios hear; or why at_m decided nothing.
  private func placeWords(_ settings: borrowing Settings, captures: Int) -> String? {
    let unheard = "neighbours' claims are not in a capture."
    if likelihood.receivers > 0 {
      let missing = settings.site.roster.count > 1 ? "; " + unheard : "."
      return joined("Likeliest, by ", digits(likelihood.receivers), " radios: ", likelihood.words, missing)
    }
    let radio = Int(self.settings.radio ?? 0)
    let hasPlace = self.settings.point != nil || radio < settings.radios.count && settings.radios[radio].point != nil
    guard hasPlace, isWatched else { return nil }
    let alone = uncaptured(captures, settings).map { $0 + "." } ?? "no second radio here has one, and " + unheard
    return "Its place (at_m) decided nothing: " + (self.settings.group.isEmpty ? "the trigger has no group." : alone)
  }

  /// How far it got, if it never fired.
  var furthest: (at: Instant, words: String)? { fires.isEmpty ? best.map { ($0.at, $0.words) } : nil }

  /// What held it back, in the order of the rules, and how many samples each.
  var heldBack: [(words: String, samples: Int)] {
    var parts: [(words: String, samples: Int)] = []
    if unwatched > 0 { parts.append(("too far to be watched", unwatched)) }
    if elsewhere > 0 { parts.append(("heard by a radio that does not listen for it", elsewhere)) }
    if copies > 0 { parts.append(("left out: another transmitter sends the same identity from further off", copies)) }
    for index in order(of: tally.count, by: { tally[$0].rank < tally[$1].rank }) {
      parts.append((tally[index].words, tally[index].samples))
    }
    return parts
  }

  private var verdict: String {
    guard let best else { return unwatched > 0 ? "It never came near." : "The radio that listens for it never heard it." }
    return "It got furthest at \(fixed(best.at.microsecondsAsSeconds, 3)) s: \(best.words)."
  }
}

extension BlockingRule {
  fileprivate var title: StaticString {
    switch self {
    case .samples: "fewer than min_samples"
    case .rate: "fewer a second than min_rate_hz"
    case .distance: "further than fire_m and what is allowed beyond it"
    case .movement: "still moving"
    case .rival: "a rival hears it too well"
    case .pattern: "what all radios hear fits another place as well"
    case .power: "its power is unknown, and nobody else hears it"
    case .dwell: "not there for dwell_s yet"
    case .presentAtStart: "it was there when the gateway started"
    case .notAway: "it was said to have left, and has not been away for refractory_s"
    case .newcomer: "it may have been there under another address"
    case .rest: "it was served, and the rest of the group or its own is not over"
    case .taken: "another trigger of the group has it"
    case .settle: "margin_db has not held for settle_s"
    case .neighbours: "neighbours have not answered"
    }
  }

  /// With the figures of the moment.
  func words(_ settings: TriggerSettings) -> String {
    switch self {
    case .samples(let count): "\(count) of min_samples \(settings.minimumSamples)"
    case .rate(let rate): "\(fixed(rate, 2)) adverts a second, min_rate_hz is \(fixed(settings.minimumRate, 2))"
    case .distance(let excess): "too far: \(fixed(excess.value, 1)) dB beyond fire_m and what is allowed"
    case .movement(let excess): "still moving: \(fixed(excess.value, 1)) dB more would do"
    case .rival(let missing): "a rival hears it too well: \(fixed(missing.value, 1)) dB of margin are missing"
    case .pattern(let missing):
      "what all radios hear fits another place as well: against it, here must become \(factor(of: missing)) times as likely as now"
    case .power: "its power is unknown and nobody else hears it: calibrate it"
    case .dwell(let evidence): "evidence of \(fixed(evidence, 2)) s, dwell_s is \(fixed(settings.dwell.seconds, 2))"
    case .presentAtStart: "it was there when the gateway started: it must leave first"
    case .notAway: "it was said to have left, and has not been away for refractory_s: it must leave first"
    case .newcomer: "it may have been there under another address: whether that one is silent for good is not known yet"
    case .rest(let left): "it was served: no fire for \(fixed(left.seconds, 1)) s more, see refractory_s and group_refractory_s"
    case .taken: "another trigger of the group has it"
    case .settle(let left): "margin_db must hold for \(fixed(left.seconds, 2)) s more"
    case .neighbours: "waiting for the neighbours' answers"
    }
  }

  /// It meets more rules, or lacks less of the same one.
  func isFurther(than other: BlockingRule) -> Bool {
    guard rank == other.rank else { return rank > other.rank }
    switch (self, other) {
    case (.samples(let mine), .samples(let theirs)): return mine > theirs
    case (.rate(let mine), .rate(let theirs)), (.dwell(let mine), .dwell(let theirs)): return mine > theirs
    case (.distance(let mine), .distance(let theirs)), (.movement(let mine), .movement(let theirs)): return mine < theirs
    case (.rival(let mine), .rival(let theirs)): return mine < theirs
    case (.pattern(let mine), .pattern(let theirs)): return mine < theirs
    case (.rest(let mine), .rest(let theirs)), (.settle(let mine), .settle(let theirs)): return mine < theirs
    case (_, _): return false
    }
  }
}

/// What the natural logarithm of a ratio means: 3.5, 74.
private func factor(of logarithm: Float) -> String {
  let factor = exp2(Double(logarithm) * 1.4426950408889634)
  return factor < 10 ? fixed(factor, 1) : factor < 1_000 ? fixed(factor, 0) : "over 1,000"
}

extension Encounter.Stage {
  var word: String {
    switch self {
    case .absent: "absent"
    case .armed: "armed"
    case .dwelling: "dwelling"
    case .claiming: "claiming"
    case .fired: "fired"
    case .leaving: "leaving"
    }
  }
}
