// Starts an advertising set, command by command; sets its power and reads it back. Core 6.0, Vol 4, Part E, 7.8.

extension Opcode {
  static let setAdvertisingParameters = Opcode(0x2006)
  static let readAdvertisingPower = Opcode(0x2007)
  static let setAdvertisingData = Opcode(0x2008)
  static let enableAdvertising = Opcode(0x200A)
  static let setSetAddress = Opcode(0x2035)
  static let setSetParameters = Opcode(0x2036)
  static let setSetData = Opcode(0x2037)
  static let enableSet = Opcode(0x2039)
  static let countSets = Opcode(0x203B)
  /// Broadcom and Cypress: sub-command FE 00, then dBm.
  static let broadcomPower = Opcode(0xFC26)
  /// Zephyr: Write Tx Power Level.
  static let zephyrPower = Opcode(0xFC0E)
}

extension Profile {
  /// How the power is set where the standard offers no way.
  enum PowerVendor { case none, broadcom, zephyr }

  var powerVendor: PowerVendor {
    switch manufacturer {
    case 0x000F, 0x0131: .broadcom
    case 0x05F1: .zephyr
    default: .none
    }
  }
}

extension AdvertisingSets {
  /// The next command, if there is one; `current` is then its set.
  mutating func nextCommand(_ profile: Profile) -> RadioCommand? {
    current = nil
    guard !advertisers.isEmpty else { return nil }
    if !isCounted { return RadioCommand(.countSets) }
    for index in sets.indices {
      guard let command = command(for: index, profile) else { continue }
      current = index
      return command
    }
    return nil
  }

  private func command(for set: Int, _ profile: Profile) -> RadioCommand? {
    let advertiser = advertisers[sets[set].advertiser]
    switch sets[set].stage {
    case .waiting, .on: return nil
    case .disable: return enable(set, false, profile)
    case .enable: return enable(set, true, profile)
    case .parameters: return profile.isExtended ? extendedParameters(set, advertiser, profile) : legacyParameters(advertiser, profile)
    case .address:
      var command = RadioCommand(.setSetAddress)
      command.append(UInt8(set))
      command.append(profile.address.word, bytes: 6)
      return command
    case .data: return data(set, advertiser, profile)
    case .power: return power(set, advertiser, profile)
    case .readPower: return RadioCommand(.readAdvertisingPower)
    }
  }

  private func enable(_ set: Int, _ isOn: Bool, _ profile: Profile) -> RadioCommand {
    var command = RadioCommand(profile.isExtended ? .enableSet : .enableAdvertising)
    command.append(isOn ? 1 : 0)
    guard profile.isExtended else { return command }
    command.append(1)
    command.append(UInt8(set))
    // No end, neither by time nor by number.
    command.append(0, bytes: 3)
    return command
  }

  private func slots(_ interval: Interval) -> UInt64 { UInt64(max(interval.microseconds / 625, 0x20)) }

  private func legacyParameters(_ advertiser: Advertiser, _ profile: Profile) -> RadioCommand {
    var command = RadioCommand(.setAdvertisingParameters)
    command.append(slots(advertiser.interval), bytes: 2)
    command.append(slots(advertiser.interval), bytes: 2)
    // ADV_IND for our services, else ADV_NONCONN_IND.
    command.append(advertiser.transmission == nil ? 0 : 3)
    command.append(profile.ownAddressType)
    command.append(0, bytes: 7)
    command.append(7)
    command.append(0)
    return command
  }

  /// Legacy adverts, which every receiver understands, by extended commands.
  private func extendedParameters(_ set: Int, _ advertiser: Advertiser, _ profile: Profile) -> RadioCommand {
    var command = RadioCommand(.setSetParameters)
    command.append(UInt8(set))
    command.append(advertiser.transmission == nil ? 0x13 : 0x10, bytes: 2)
    command.append(slots(advertiser.interval), bytes: 3)
    command.append(slots(advertiser.interval), bytes: 3)
    command.append(7)
    command.append(profile.ownAddressType)
    command.append(0, bytes: 7)
    command.append(0)
    // 127: the controller's own choice.
    command.append(UInt8(bitPattern: advertiser.isByVendor ? 127 : advertiser.asked ?? 127))
    command.append(1)
    command.append(0)
    command.append(1)
    command.append(UInt8(set))
    command.append(0)
    return command
  }

  private func data(_ set: Int, _ advertiser: Advertiser, _ profile: Profile) -> RadioCommand {
    var command = RadioCommand(profile.isExtended ? .setSetData : .setAdvertisingData)
    if profile.isExtended {
      command.append(UInt8(set))
      command.append(3)
      command.append(1)
    }
    command.append(UInt8(advertiser.data.count))
    for index in 0..<advertiser.data.count { command.append(advertiser.data[index]) }
    if !profile.isExtended { command.append(0, bytes: AdvertData.capacity - advertiser.data.count) }
    return command
  }

  private func power(_ set: Int, _ advertiser: Advertiser, _ profile: Profile) -> RadioCommand? {
    let level = UInt8(bitPattern: advertiser.asked ?? 0)
    switch profile.powerVendor {
    case .none: return nil
    case .broadcom:
      var command = RadioCommand(.broadcomPower)
      command.append(0xFE)
      command.append(0)
      command.append(level)
      return command
    case .zephyr:
      var command = RadioCommand(.zephyrPower)
      // The handle type: an advertiser, of which the legacy one is number 0.
      command.append(0)
      command.append(UInt64(set), bytes: 2)
      command.append(level)
      return command
    }
  }

  // MARK: Answers

  /// The answer to the last `nextCommand`.
  mutating func answered(_ result: RawSpan, _ profile: Profile, at now: Instant) {
    let status = result.byteCount > 0 ? result[0] : 0xFF
    guard let set = current else {
      if !isCounted { divide(among: status == 0 && result.byteCount >= 2 ? Int(result[1]) : 1) }
      return
    }
    current = nil
    // The set may be another advertiser's by now, which needs its own parameters.
    guard !isOvertaken else { return isOvertaken = false }
    let advertiser = sets[set].advertiser
    switch sets[set].stage {
    case .waiting, .on: break
    // It is off, whatever the answer.
    case .disable: sets[set].stage = .waiting(until: .zero)
    case .parameters: parametersAnswered(set, advertiser, status, result, profile, at: now)
    case .power where status == 0:
      if profile.powerVendor == .zephyr && result.byteCount >= 5 { advertisers[advertiser].chosen = result.signed(at: 4) }
      sets[set].stage = profile.powerVendor == .zephyr || profile.isExtended ? .enable : .readPower
    case .readPower:
      advertisers[advertiser].chosen = status == 0 && result.byteCount >= 2 ? result.signed(at: 1) : nil
      sets[set].stage = .enable
    case _ where status != 0: refused(set, status: status, isPower: isPower(sets[set].stage), at: now)
    case .address: sets[set].stage = .data
    case .data: sets[set].stage = stageAfterData(advertiser, profile)
    case .enable, .power: enabled(set, at: now)
    }
  }

  private func isPower(_ stage: Stage) -> Bool { if case .power = stage { true } else { false } }

  private func stageAfterData(_ advertiser: Int, _ profile: Profile) -> Stage {
    if advertisers[advertiser].asked != nil && (advertisers[advertiser].isByVendor || !profile.isExtended) { return .power }
    return profile.isExtended ? .enable : .readPower
  }

  private mutating func parametersAnswered(
    _ set: Int, _ advertiser: Int, _ status: UInt8, _ result: RawSpan, _ profile: Profile, at now: Instant
  ) {
    let wantsPower = advertisers[advertiser].asked != nil
    if status != 0 {
      // The standard's way is refused: try the vendor's, if there is one.
      if wantsPower && profile.isExtended && !advertisers[advertiser].isByVendor && profile.powerVendor != .none {
        advertisers[advertiser].isByVendor = true
        return
      }
      return refused(set, status: status, isPower: wantsPower && profile.isExtended, at: now)
    }
    // Unsupported Feature or Parameter Value, as our own answer: no way to set the power is known here.
    if wantsPower && !profile.isExtended && profile.powerVendor == .none { return refused(set, status: 0x11, isPower: true, at: now) }
    if profile.isExtended { advertisers[advertiser].chosen = result.byteCount >= 2 && result[1] != 127 ? result.signed(at: 1) : nil }
    sets[set].stage = profile.isExtended && profile.address.kind == .random ? .address : .data
  }
}
