/// The commands of bring-up, in this order. A rescan starts at `eventMask`: a controller that restarted by itself has lost its masks too.
enum BringUpStep: UInt8, BitwiseCopyable, Sendable {
  case reset, version, address, commands, features, buffers, sharedBuffers
  case eventMask, lowEnergyEventMask, stopScan, randomAddress, scanParameters, startScan

  var next: BringUpStep? { BringUpStep(rawValue: rawValue + 1) }

  /// Core 6.0, Vol 4, Part E, 4.4 leaves it to the host; Linux waits 2 s. Controllers answer in milliseconds; some resets take longer.
  var patience: Interval { self == .reset ? .milliseconds(1_500) : .milliseconds(1_000) }

  func opcode(_ profile: Profile) -> Opcode {
    switch self {
    case .reset: .reset
    case .version: .readVersion
    case .address: .readAddress
    case .commands: .readCommands
    case .features: .readFeatures
    case .buffers: .readBufferSize
    case .sharedBuffers: .readSharedBufferSize
    case .eventMask: .setEventMask
    case .lowEnergyEventMask: .setLowEnergyEventMask
    case .randomAddress: .setRandomAddress
    case .scanParameters: profile.isExtended ? .setExtendedScanParameters : .setScanParameters
    case .stopScan, .startScan: profile.isExtended ? .enableExtendedScan : .enableScan
    }
  }

  /// The kernel owns the resets, masks and addresses of a shared adapter. A random address is for controllers without a public one.
  func isNeeded(_ profile: Profile, isShared: Bool) -> Bool {
    switch self {
    case .reset, .eventMask, .lowEnergyEventMask: !isShared
    case .sharedBuffers: profile.sharesBuffers
    case .randomAddress: !isShared && profile.address.kind == .random
    default: true
    }
  }

  func command(_ profile: Profile, _ settings: RadioSettings) -> RadioCommand {
    var command = RadioCommand(opcode(profile))
    switch self {
    case .reset, .version, .address, .commands, .features, .buffers, .sharedBuffers: break
    case .eventMask: command.append(Self.events, bytes: 8)
    case .lowEnergyEventMask: command.append(Self.lowEnergyEvents(profile), bytes: 8)
    case .randomAddress: command.append(profile.address.word, bytes: 6)
    case .stopScan: Self.appendEnable(false, profile, to: &command)
    case .scanParameters: Self.appendParameters(profile, settings, to: &command)
    case .startScan: Self.appendEnable(true, profile, to: &command)
    }
    return command
  }

  /// Disconnection, encryption change and refresh, remote version, hardware error, buffer overflow, LE. Core 6.0, Vol 4, Part E, 7.3.1:
  /// the default lacks bit 61, LE Meta, and a controller left with it is deaf.
  private static let events: UInt64 = 1 << 4 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61

  /// Core 6.0, Vol 4, Part E, 7.8.1. The extended bits: data length, PHY, extended reports, scan timeout, advertising set terminated. Other
  /// bits stay clear: some controllers refuse a mask with an unknown bit.
  private static func lowEnergyEvents(_ profile: Profile) -> UInt64 {
    0x1F | (profile.isExtended ? 1 << 6 | 1 << 11 | 1 << 12 | 1 << 16 | 1 << 17 : 0)
  }

  /// Core 6.0, Vol 4, Part E, 7.8.11 and 7.8.65. Duplicates are never filtered, for every advert is a sample. No end.
  private static func appendEnable(_ enabled: Bool, _ profile: Profile, to command: inout RadioCommand) {
    command.append(enabled ? 1 : 0)
    command.append(0)
    if profile.isExtended { command.append(0, bytes: 4) }
  }

  /// Core 6.0, Vol 4, Part E, 7.8.10 and 7.8.64. Two PHYs share the time: each gets half of the window.
  private static func appendParameters(_ profile: Profile, _ settings: RadioSettings, to command: inout RadioCommand) {
    let isActive = settings.activeScan && !profile.shortfalls.contains(.randomAddress)
    let coded = profile.isExtended && settings.codedPhy && profile.hasCodedPhy && !profile.shortfalls.contains(.coded)
    let oneMegabit = settings.oneMegabitPhy || !coded
    if profile.isExtended {
      command.append(profile.ownAddressType)
      command.append(0)
      command.append((oneMegabit ? 1 : 0) | (coded ? 4 : 0))
    }
    for _ in 0..<(coded && oneMegabit ? 2 : 1) {
      command.append(isActive ? 1 : 0)
      command.append(slots(settings.interval), bytes: 2)
      command.append(slots(settings.window) / (coded && oneMegabit ? 2 : 1), bytes: 2)
    }
    if !profile.isExtended {
      command.append(profile.ownAddressType)
      command.append(0)
    }
  }

  /// In units of 0.625 ms, within what a legacy controller takes (2.5 ms to 10.24 s).
  private static func slots(_ interval: Interval) -> UInt64 { UInt64(min(max(interval.microseconds / 625, 8), 0x4000)) }
}
