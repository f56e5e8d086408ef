import Core
import Host

/// `forecourt explain --json`: what explain says, as JSON lines.
struct ExplanationJSON {
  private let out: Output
  private let identity: Identity
  private var line = Line()

  /// As long as the lines of `replay --decoded`, so that both share one specialisation.
  typealias Line = Text<65535>

  init(_ identity: Identity, to out: Output) { (self.identity, self.out) = (identity, out) }

  mutating func print(
    _ sample: Sample, _ slot: Int, _ records: [TriggerRecord], _ states: [TriggerRecord.State], _ gateway: borrowing Gateway
  ) {
    startLine("sample")
    line.member("t_us", sample.at.microseconds)
    line.member("radio", string: radioName(sample.radio, gateway.settings))
    line.member("rssi", Int64(sample.level))
    line.member("took", sample.verdict.word)
    if let estimate = gateway.devices.estimate(of: slot, at: sample.at, gateway.settings) {
      line.member("average", estimate.average.value, places: 1)
      line.member("distance_m", estimate.distance.value, places: 2)
      line.member("low_m", estimate.low.value, places: 2)
      line.member("high_m", estimate.high.value, places: 2)
    }
    line.member("zone", gateway.devices[slot].zone.name)
    line.array("triggers")
    for index in records.indices {
      line.openObject()
      line.member("trigger", string: records[index].name)
      line.member("stage", string: states[index].stage)
      if !states[index].average.isNaN { line.member("average", states[index].average, places: 1) }
      if let likelihood = states[index].likelihood {
        line.object("likelihood")
        line.members(of: likelihood)
        line.closeObject()
      }
      line.member("held_back", string: states[index].heldBack)
      line.closeObject()
    }
    line.closeArray()
    endLine()
  }

  mutating func print(_ word: TriggerEvent, of name: String, as kind: StaticString, at moment: Instant) {
    startLine("event")
    line.member("t_us", moment.microseconds)
    line.member(kind, string: name)
    line.member("event", string: word.event)
    line.member("reason", string: word.reason.utf8.isEmpty ? nil : word.reason)
    endLine()
  }

  mutating func print(_ renewal: SuccessionRecord.Renewal, of trigger: String) {
    startLine("event")
    line.member("t_us", renewal.at.microseconds)
    line.member("trigger", string: trigger)
    line.member("event", "renewed")
    line.member(renewal.isFromOther ? "from" : "to", string: renewal.other.shown)
    endLine()
  }

  mutating func print(_ explanation: borrowing Explanation, _ settings: borrowing Settings) {
    startLine("verdict")
    line.members(of: identity, settings)
    line.member("samples", Int64(explanation.samples))
    line.member("seconds", Float(explanation.seconds), places: 3)
    line.member("low_dbm", Int64(explanation.levels.low))
    line.member("high_dbm", Int64(explanation.levels.high))
    line.member("power", string: explanation.power)
    line.array("radios")
    for radio in explanation.hearing.indices {
      line.openObject()
      line.member("name", string: radioName(radio, settings))
      line.member("samples", Int64(explanation.hearing[radio]))
      line.closeObject()
    }
    line.closeArray()
    line.array("triggers")
    for record in explanation.records {
      line.openObject()
      line.members(of: record)
      line.closeObject()
    }
    line.closeArray()
    line.array("regions")
    for region in explanation.regions {
      line.openObject()
      line.member("region", string: region.name)
      line.member("entered", Int64(region.enters))
      line.member("best_dbm", region.best.level.value, places: 1)
      line.closeObject()
    }
    line.closeArray()
    endLine()
  }

  private mutating func startLine(_ kind: StaticString) {
    line.truncate(to: 0)
    line.openObject()
    line.member("v", 1)
    line.member("kind", kind)
  }

  private mutating func endLine() {
    line.closeObject()
    out.line(line.bytes)
  }
}

extension ExplanationJSON.Line {
  fileprivate mutating func member(_ key: StaticString, string: String?) {
    guard let string else { return memberNull(key) }
    let text = Text<256>(string)
    member(key, text: text.bytes)
  }

  /// When it fired, how far it got if it never did, and how many samples each rule held back.
  fileprivate mutating func members(of record: TriggerRecord) {
    member("trigger", string: record.name)
    member("fired", Int64(record.fires.count))
    array("fired_us")
    for fire in record.fires.prefix(100) {
      separate()
      append(integer: fire.microseconds)
    }
    closeArray()
    if let furthest = record.furthest {
      object("furthest")
      member("t_us", furthest.at.microseconds)
      member("held_back", string: furthest.words)
      closeObject()
    } else {
      memberNull("furthest")
    }
    array("held_back")
    for rule in record.heldBack {
      openObject()
      member("samples", Int64(rule.samples))
      member("rule", string: rule.words)
      closeObject()
    }
    closeArray()
    guard record.likelihood.receivers > 0 else { return memberNull("likeliest_s") }
    object("likeliest_s")
    for (place, seconds) in zip(record.likelihood.places, record.likelihood.seconds) {
      member(key: Name(place), Float(seconds), places: 1)
    }
    closeObject()
  }
}
