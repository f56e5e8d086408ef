import Core
import Host

/// `forecourt scan --json`: the lines.
extension ScanTable {
  /// One JSON line for each device that was heard since `last`. What comes from a simulation or a recording says so.
  func printHeard(since last: Instant, at now: Instant, _ gateway: borrowing Gateway, isRehearsal: Bool, to out: Output) {
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) && gateway.devices[slot].heard > last {
      // 64 triggers with names of 32 bytes take some 4,200, twice as many where each byte is a quotation mark.
      var line = Text<8192>()
      line.openObject()
      line.member("v", 1)
      if isRehearsal { line.member("simulated", true) }
      line.member("at_us", gateway.devices[slot].heard.microseconds)
      line.members(of: gateway.devices[slot].identity, gateway.settings)
      line.member("matched", gateway.devices[slot].interest.isMatched)
      line.member("zone", gateway.devices[slot].zone.name)
      line.member("rssi", Int64(gateway.devices[slot].level))
      if let estimate = gateway.devices.estimate(of: slot, at: now, gateway.settings) { line.members(of: estimate, gateway.settings) }
      line.array("triggers")
      for state in gateway.triggerStates(of: slot) {
        let (name, stage) = (Text<32>(state.name), Text<16>(state.stage.word))
        line.openObject()
        line.member("name", text: name.bytes)
        line.member("stage", text: stage.bytes)
        line.closeObject()
      }
      line.closeArray()
      line.closeObject()
      out.line(line.bytes)
    }
  }
}

extension Text {
  fileprivate mutating func members(of estimate: Estimate, _ settings: borrowing Settings) {
    let radio = Text<32>(radioName(estimate.radio, settings))
    member("radio", text: radio.bytes)
    member("average", estimate.average.value, places: 1)
    member("distance_m", estimate.distance.value, places: 2)
    member("low_m", estimate.low.value, places: 2)
    member("high_m", estimate.high.value, places: 2)
    member("samples", Int64(estimate.samples))
    member("rate_hz", estimate.rate, places: 1)
  }
}
