import Core

// A broker that takes no message as long as our status must not go on saying what we said before.

extension Courier {
  /// True if what the broker does not take was our status: it goes again, without what only people read.
  func shorten(_ publication: Publication, at now: Instant) -> Bool {
    guard case .state(let slot, let version) = publication, let status = retained.message(slot: slot, version: version),
      status.topic == topics.status, let short = status.inShort(settings), short.payload.count < status.payload.count
    else { return false }
    complain(ofLength: status)
    return retained.put(short, at: now)
  }
}

extension Message {
  private static let mostReason = 100

  /// What neighbours read of a status, and why it is degraded.
  fileprivate func inShort(_ settings: CourierSettings) -> Message? {
    var short = self
    short.payload = Payload()
    do throws(JSONObject.Refusal) {
      let object = try JSONObject(payload.bytes)
      short.payload.openObject()
      short.payload.member("v", 1)
      if let state: CommandWord = try object.text("state") { short.payload.member("state", text: state.bytes) }
      if let reason: Sentence = try object.text("reason") {
        short.payload.member("reason", text: reason.bytes, upTo: Self.mostReason)
      } else {
        short.payload.memberNull("reason")
      }
      if let boot: Text<16> = try object.word("boot") { short.payload.member("boot", text: boot.bytes) }
      if let groups: Text<100> = try object.text("groups") { short.payload.member("groups", text: groups.bytes) }
      short.payload.close(simulated: settings.simulated)
    } catch { return nil }
    guard settings.siteKeys.isEmpty || settings.siteKeys.prove(topic.bytes, &short.payload) else { return nil }
    return short
  }
}
