import Core
import Host

/// What a reload cannot change: threads, tables and files that the gateway takes once.
extension Configuration {
  /// What this configuration would change although it is fixed at start (tables, threads, radios); nil when there is nothing.
  func changeFixedAtStart(from settings: borrowing Settings, _ host: HostSettings) -> StaticString? {
    // What is retained under the old topics, and what neighbours have claimed, would stay for ever.
    if core.gateway.name != settings.gateway.name { return "gateway.name is" }
    if core.gateway.site != settings.gateway.site { return "gateway.site is" }
    if core.publish.prefix != settings.publish.prefix { return "mqtt.prefix is" }
    if core.gateway.devices != settings.gateway.devices { return "gateway.devices is" }
    guard core.radios.count == settings.radios.count, self.host.adapters.count == host.adapters.count else { return "[[radio]] is" }
    for index in self.host.adapters.indices where !same(self.host.adapters[index].written, host.adapters[index].written) {
      return "the radios' adapters are"
    }
    if core.gateway.simulated != settings.gateway.simulated { return "what is a rehearsal is" }
    for index in core.radios.indices {
      if let key = core.radios[index].key(unlike: settings.radios[index]) { return key }
      if case .hci(_, let mode) = self.host.adapters[index], case .hci(_, let other) = host.adapters[index], mode != other {
        return "radio.mode is"
      }
    }
    if let key = core.peer.key(unlike: settings.peer) { return key }
    if core.peer.serve && !same(self.host.idFile, host.idFile) { return "peer.id_file is" }
    if core.publish.unknown == .hash {
      // The salt is read only at start.
      if settings.publish.unknown != .hash { return "privacy.unknown = \"hash\" is" }
      if !same(self.host.saltFile, host.saltFile) { return "privacy.salt_file is" }
    }
    return core.transmits(like: settings) ? nil : "[[transmit]] is"
  }
}

extension Settings {
  fileprivate func transmits(like other: borrowing Settings) -> Bool {
    guard transmissions.count == other.transmissions.count else { return false }
    for index in transmissions.indices where transmissions[index] != other.transmissions[index] { return false }
    return true
  }
}

extension RadioSettings {
  /// The offset may change at any time; what the bring-up told the controller may not.
  fileprivate func key(unlike other: RadioSettings) -> StaticString? {
    if name != other.name { return "radio.name is" }
    if activeScan != other.activeScan { return "radio.scan is" }
    if interval != other.interval { return "radio.interval_ms is" }
    if window != other.window { return "radio.window_ms is" }
    return codedPhy == other.codedPhy && oneMegabitPhy == other.oneMegabitPhy ? nil : "radio.phys is"
  }
}

extension PeerSettings {
  /// All but its own id, which is not in the file.
  fileprivate func key(unlike other: PeerSettings) -> StaticString? {
    if service != other.service { return "peer.service is" }
    if idPrefix != other.idPrefix { return "peer.id_prefix is" }
    if identify != other.identify { return "peer.identify is" }
    if serve != other.serve { return "peer.serve is" }
    return hold == other.hold ? nil : "peer.hold is"
  }
}
