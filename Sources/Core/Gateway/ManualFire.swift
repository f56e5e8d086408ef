// The driver's own word.

extension Gateway {
  /// A command asks a trigger to fire. Returns why it does not.
  @_optimize(size)
  @export(interface) package mutating func fireManually(_ trigger: Int, for identity: Identity, at moment: Instant) -> FireRefusal? {
    tick(at: moment)
    guard isListening else { return .deaf }
    guard let slot = devices.find(identity) else { return .unheard }
    defer { check(slot) }
    return triggers.fireManually(trigger, slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
  }
}
