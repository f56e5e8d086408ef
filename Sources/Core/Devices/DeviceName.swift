/// `[[device]]`: what people call a device.
package struct DeviceName: BitwiseCopyable, Sendable {
  package var name = Name()
  package var match = Slice()

  package init() {}
}

extension Settings {
  /// What people call the device with this id; empty: it has no name.
  package func deviceName(of identity: Identity) -> Name {
    for index in deviceNames.indices where isMatched(identity, by: deviceNames[index].match) { return deviceNames[index].name }
    return Name()
  }
}

extension Text {
  /// A device in a message: its id, and its name if it has one.
  package mutating func members(of identity: Identity, _ settings: borrowing Settings) {
    member("id", identity)
    member(deviceName: settings.deviceName(of: identity))
  }

  package mutating func member(deviceName name: Name) {
    if !name.isEmpty { member("name", text: name.bytes) }
  }
}
