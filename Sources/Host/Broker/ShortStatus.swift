import Core

extension Message {
  /// Leaves of a status what nobody can do without: how the gateway is and why, which run it is, and the groups whose neighbours wait for it;
  /// without the proof. False if it is none.
  mutating func shortenStatus() -> Bool {
    do {
      let status = try JSONObject(payload.bytes)
      var short = Payload()
      short.openObject()
      short.member("v", 1)
      guard let state: Name = try status.text("state") else { return false }
      short.member("state", text: state.bytes)
      if let reason: Sentence = try status.text("reason") {
        short.member("reason", text: reason.bytes)
      } else {
        short.memberNull("reason")
      }
      if let boot: Name = try status.text("boot") { short.member("boot", text: boot.bytes) }
      if let groups: Text<100> = try status.text("groups") { short.member("groups", text: groups.bytes) }
      let isSimulated = try status.boolean("simulated") ?? false
      short.close(simulated: isSimulated)
      guard !short.overflowed else { return false }
      payload = short
      return true
    } catch { return false }
  }
}
