// The driver's own word.

extension Gateway {
  /// A command asks a trigger to fire. Returns why it does not.
  @_optimize(size)
  @export(interface) package mutating func fireManually(_ trigger: Int, for identity: Identity, at moment: Instant) -> FireRefusal? {
    tick(at: moment)
    guard isListening else { return .deaf }
    // Of anybody whom the trigger does not look for the answer must not tell whether it is here.
    guard let slot = devices.find(identity) else {
      return settings.interest(in: identity).triggers & 1 << UInt64(trigger) != 0 ? .unheard : .unmatched
    }
    defer { check(slot) }
    return triggers.fireManually(trigger, slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
  }
}
