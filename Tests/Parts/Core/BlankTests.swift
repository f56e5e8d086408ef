import Seeds
import Testing

@testable import Core

@Suite("What is new knows nothing yet") struct BlankTests {
  private static let never = "microseconds \(Int64.max)"

  private func expect(_ value: Any, _ wanted: [String] = [], sourceLocation: SourceLocation = #_sourceLocation) {
    let found = filled(value)
    #expect(found == wanted, "\(type(of: value))", sourceLocation: sourceLocation)
  }

  @Test("what comes from a neighbour, or goes to the broker") func words() {
    expect(Claim())
    expect(Neighbour())
    expect(Member(Name()))
    expect(Membership.Refusals())
    expect(SiteHearing())
    expect(KnownPeer(address: Address(word: 0), id: 0))
    expect(Message(), ["expires." + Self.never])
    expect(Telemetry())
    expect(StatusReport())
    expect(Counters())
    expect(GroupList())
    expect(ReceiverRecord(), ["radio -1"])
    expect(Renumbering())
    expect(Packet())
  }

  @Test("what is kept of a device, and of one at a trigger or in a region") func rows() {
    expect(
      Device(identity: Identity(.address)),
      ["published." + Self.never, "visits -1", "encounters -1", "settled.low.value 1.0", "settled.high.value -1.0"])
    expect(
      AddressRecord(Address(word: 0), heard: .zero), ["device.slot -1", "advert.length -1", "rank 255", "key -1", "response.length -1"])
    expect(Average())
    expect(
      Encounter(),
      [
        "device -1", "nextOfDevice -1", "claims -1", "clones.current -1", "clones.former -1", "clones.followed -1", "stay.weight -1.0",
        "ahead." + Self.never,
        "proof.highest.value -200.0", "servedMargin nan",
      ])
    expect(Approach())
    expect(PowerMeasurement())
    expect(Interest())
    expect(DeviceName())
    expect(AdvertCopy(), ["length -1"])
    expect(LevelRing())
    expect(CloneDetector(), ["current -1", "former -1", "followed -1"])
    expect(TriggerEvidence(), ["requiredMargin 6.0", "support inf", "isConnected"])
    expect(
      PatternJudgement(),
      ["quick.rival -1", "quick.isWhole", "comparedAll." + Self.never, "lookedBack." + Self.never, "servedSince." + Self.never])
    expect(LevelPattern(), ["loudness.mean -6.0", "loudness.deviation 9.0"])
    expect(Succession(), ["suspect -1", "predecessor -1", "successor -1"])
    expect(Leftovers.Entry(), ["due." + Self.never])
    expect(Regions.Occupancy(), ["changed." + Self.never])
    expect(RegionVisit(), ["device -1", "nextOfDevice -1", "nextOfRegion -1", "previousOfRegion -1"])
  }

  @Test("what is set, before anybody sets it, is what the manual says") func settings() {
    expect(GatewaySettings(), ["name 7", "site 4", "devices 4096"])
    expect(SiteSettings(), ["forgetAfter.microseconds 2592000000000"])
    expect(KeySettings())
    expect(
      TriggerSettings(),
      [
        "arm.value 8.0", "fire.value 1.5", "leave.value 4.0", "dwell.microseconds 500000", "minimumSamples 4", "minimumRate 0.4",
        "refractory.microseconds 600000000", "expires.microseconds 60000000", "margin.value 6.0", "settle.microseconds 500000",
      ])
    expect(RegionSettings(), ["minimum.value -127.0"])
    expect(ZoneSettings(), ["hysteresis.value 3.0"])
    expect(TransmitSettings(), ["company 280", "measuredPower.value -59.0", "interval.microseconds 100000"])
    expect(DeviceCalibration(), ["measuredPower.value -59.0"])
    expect(RangingSettings(), ["interval.microseconds 1000000"])
    expect(
      PublishSettings(), ["prefix 9", "interval.microseconds 10000000", "skip.value 0.5", "telemetry.microseconds 60000000"])
    expect(CalibrationSettings(), ["pathLossExponent 1.8", "measuredPower.value -59.0", "doubt.value 2.0", "learns"])
  }

  @Test("what is known of a radio and of who talks to it") func radios() {
    expect(Profile(), ["manufacturer 65535"])
    expect(Recoveries())
    expect(Silence())
    expect(SilenceDetector())
    expect(NoiseDetector())
    expect(
      Controller(RadioSettings(), isShared: false, spare: 0),
      [
        "settings.name 4", "settings.activeScan", "settings.interval.microseconds 60000", "settings.window.microseconds 60000",
        "settings.oneMegabitPhy", "spareAddress.word \(0x1_C000_0000_0000)", "backOff.microseconds 250000", "credits 1",
        "answerDue." + Self.never, "probation." + Self.never, "profile.manufacturer 65535",
      ])
    var settings = PeerSettings()
    (settings.service, settings.idPrefix) = (ServiceUUID(), ServiceUUID())
    expect(GATTClient(settings), ["mtu 23"])
    expect(GATTServer(settings, name: Name()), ["mtu 23", "leaveBy." + Self.never])
    expect(Reassembly())
    expect(PacketStream(), ["isAligned"])
    expect(Deafness(), ["left.microseconds 2000000"])
    expect(AttributeTable())
    expect(Shortfalls())
  }
}
