/// `[[device]]`: what people call a device.
package struct DeviceName: BitwiseCopyable, Sendable {
  package var name = Name()
  package var match = Slice()

  package init() {}
}

extension Settings {
  /// What people call the device with this id; empty: it has no name.
  @inline(never)
  package func deviceName(of identity: Identity) -> Name {
    for index in deviceNames.indices where isMatched(identity, by: deviceNames[index].match) { return deviceNames[index].name }
    return Name()
  }
}

extension Settings {
  /// How many `[[device]]` name one device, and not a kind of them.
  package var ownNames: Int {
    var count = 0
    for index in deviceNames.indices where selectors[Int(deviceNames[index].match.start)].isWhole { count += 1 }
    return count
  }

  package func hasOwnName(_ identity: Identity) -> Bool {
    for index in deviceNames.indices where isMatched(identity, by: deviceNames[index].match) {
      return selectors[Int(deviceNames[index].match.start)].isWhole
    }
    return false
  }
}

extension Text {
  /// A device in a message: its id, and its name if it has one.
  @inline(never)
  package mutating func members(of identity: Identity, _ settings: borrowing Settings) {
    member("id", identity)
    member(nameOf: identity, settings)
  }

  /// Kept out of its callers, which see every sample and publish few.
  @inline(never)
  package mutating func member(nameOf identity: Identity, _ settings: borrowing Settings) {
    for index in 0..<settings.deviceNames.count where settings.isMatched(identity, by: settings.deviceNames[index].match) {
      return member("name", text: settings.deviceNames[index].name.bytes)
    }
  }
}
