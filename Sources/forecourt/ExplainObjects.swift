import Core
import Host

// What explain says, as JSON lines.

extension Explanation {
  func object(_ sample: Sample, _ slot: Int, _ states: [TriggerRecord.State], _ gateway: borrowing Gateway) -> String {
    var line = "{\"v\":1,\"kind\":\"sample\",\"t_us\":\(sample.at.microseconds),"
    line += "\"radio\":\(json(radioName(sample.radio, gateway.settings))),\"rssi\":\(sample.level),\"took\":\"\(sample.verdict.word)\","
    if let estimate = gateway.devices.estimate(of: slot, at: sample.at, gateway.settings) {
      line += "\"average\":\(number(estimate.average.value, 1)),\"distance_m\":\(number(estimate.distance.value, 2)),"
      line += "\"low_m\":\(number(estimate.low.value, 2)),\"high_m\":\(number(estimate.high.value, 2)),"
    }
    line += "\"zone\":\"\(gateway.devices[slot].zone.name)\",\"triggers\":["
    for index in records.indices {
      line += (index > 0 ? "," : "") + "{\"trigger\":\(json(records[index].name)),\"stage\":\(json(states[index].stage)),"
      line += "\"held_back\":\(states[index].heldBack.map { json($0) } ?? "null")}"
    }
    return line + "]}"
  }

  private func number(_ value: Float, _ places: Int) -> String { value.magnitude < 1e9 ? fixed(value, places) : "null" }

  /// The reason comes as JSON wrote it.
  func object(_ word: TriggerWord, at moment: Instant) -> String {
    let reason = word.reason.utf8.isEmpty ? "null" : "\"\(word.reason)\""
    let head = "{\"v\":1,\"kind\":\"event\",\"t_us\":\(moment.microseconds),\"trigger\":\"\(word.trigger)\","
    return head + "\"event\":\"\(word.event)\",\"reason\":\(reason)}"
  }

  func verdict(_ settings: borrowing Settings) -> String {
    var line = "{\"v\":1,\"kind\":\"verdict\",\"id\":\(json(identity.text)),\"samples\":\(samples),\"seconds\":\(fixed(seconds, 3)),"
    line += "\"low_dbm\":\(levels.low),\"high_dbm\":\(levels.high),\"power\":\(json(power)),\"radios\":{"
    for radio in hearing.indices { line += (radio > 0 ? "," : "") + "\(json(radioName(radio, settings))):\(hearing[radio])" }
    line += "},\"triggers\":["
    for index in records.indices { line += (index > 0 ? "," : "") + records[index].object }
    return line + "]}"
  }
}

extension TriggerRecord {
  /// When it fired, how far it got where it never did, and what held it back for how many samples.
  fileprivate var object: String {
    var line = "{\"trigger\":\(json(name)),\"fired_us\":["
    for index in fires.indices { line += (index > 0 ? "," : "") + "\(fires[index].microseconds)" }
    line += "],\"furthest\":"
    line += furthest.map { "{\"t_us\":\($0.at.microseconds),\"held_back\":\(json($0.words))}" } ?? "null"
    line += ",\"held_back\":["
    for (index, hindrance) in hindrances.enumerated() {
      line += (index > 0 ? "," : "") + "{\"samples\":\(hindrance.samples),\"rule\":\(json(hindrance.words))}"
    }
    return line + "]}"
  }
}
