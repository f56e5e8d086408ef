/// The part of `config.toml` that Core needs. Host reads the file and checks every value; the defaults are here and nowhere else.
package struct Settings: ~Copyable {
  /// Without it the compiler copies all 60 kB at each borrow: measured, thirty times the cost of a report.
  private let pin = Pin()

  package var gateway = GatewaySettings()
  package var radios = PerRadio(filledWith: RadioSettings())
  package var calibration = CalibrationSettings()
  package var average = AverageSettings()
  package var zones = ZoneSettings()
  package var ranging = RangingSettings()
  package var regions = PerRegion(filledWith: RegionSettings())
  package var triggers = PerTrigger(filledWith: TriggerSettings())
  package var deviceNames = DeviceNameList(filledWith: DeviceName())
  package var keys = KeyList(filledWith: KeySettings())
  package var peer = PeerSettings()
  package var transmissions = TransmitList(filledWith: TransmitSettings())
  package var publish = PublishSettings()
  package var site = SiteSettings()
  /// Every `match` list, one after another; regions, triggers and calibrations each own a slice.
  package var selectors = SelectorList(filledWith: .any)
  /// The service UUIDs that selectors or the peer section name.
  package var services = ServiceList(filledWith: ServiceUUID())

  package init() {}

  package func region(named name: Name) -> Int? {
    for region in regions.indices where regions[region].name == name { return region }
    return nil
  }

  package func trigger(named name: Name) -> Int? {
    for trigger in triggers.indices where triggers[trigger].name == name { return trigger }
    return nil
  }

  /// The groups of all triggers, each once; `*` when they do not fit.
  package var groups: Text<100> {
    var groups = Text<100>()
    for index in triggers.indices where !triggers[index].group.isEmpty && isFirstOfGroup(index) {
      if !groups.isEmpty { groups.append(byte: UInt8(ascii: "/")) }
      groups.append(triggers[index].group)
    }
    return groups.overflowed ? Text("*") : groups
  }

  private func isFirstOfGroup(_ index: Int) -> Bool {
    for earlier in 0..<index where triggers[earlier].group == triggers[index].group { return false }
    return true
  }

  /// How much too strongly a radio hears, by calibration; zero without a configured radio, as in some replays.
  package func receiveOffset(of radio: Int) -> Decibels { radio < radios.count ? radios[radio].receiveOffset : Decibels(0) }
}

package struct GatewaySettings: BitwiseCopyable, Sendable {
  package var name = Name("gateway")
  package var site = Name("site")
  package var purpose = Sentence()
  package var authorization = Authorization.always
  /// How many devices are followed at once.
  package var devices = Limits.devices
  /// A rehearsal: a capture, a simulation, a replay. Every message says so.
  package var simulated = false
}

package enum Authorization: UInt8, BitwiseCopyable, Sendable { case always, whenInUse, denied }

package struct RadioSettings: BitwiseCopyable, Sendable {
  package var name = Name("hci0")
  package var activeScan = true
  /// The three advertising channels differ by up to 15 dB: a short interval mixes them in every window.
  package var interval = Interval.milliseconds(60)
  package var window = Interval.milliseconds(60)
  package var codedPhy = false
  package var oneMegabitPhy = true
  package var receiveOffset = Decibels(0)
  /// Where its antenna stands on the site's plan.
  package var point: PlanPoint?

  package init() {}
}

package struct CalibrationSettings: BitwiseCopyable, Sendable {
  package var pathLossExponent: Float = 1.8
  /// The assumed level at 1 m of a transmitter of unknown power.
  package var measuredPower = Decibels(-59)
  /// How far off an assumed or claimed power may be: one standard deviation.
  package var doubt = Decibels(2)
  /// Whether visits teach the power of devices that do not state it.
  package var learns = true
  package var devices = CalibrationList(filledWith: DeviceCalibration())
}

package struct DeviceCalibration: BitwiseCopyable, Sendable {
  package var match = Slice()
  package var measuredPower = Decibels(-59)

  package init() {}
}

package struct AverageSettings: BitwiseCopyable, Sendable {
  private static let octaves = -1.4426950408889634
  /// How many octaves the weight of the past loses.
  package private(set) var octavesPerMicrosecond = Float(octaves * 1e-6 / 5)
  package var outlier = Decibels(12)
  package var stale = Interval.seconds(15) { didSet { limitSilence() } }
  /// In microseconds; within this an average is neither stale nor half an octave down.
  private var ordinarySilence: UInt32 = 0
  /// The limit of `float`.
  private static let mostOrdinary = Interval.milliseconds(4_000)
  private var window: UInt32 = 12

  // Every packet is passed these settings: they stay in registers while they fill four at most.
  package var windowSamples: Int {
    get { Int(window) }
    set { window = UInt32(newValue) }
  }

  /// To the millisecond.
  package var timeConstant: Interval {
    get { .milliseconds(Int64((Self.octaves * 1e-3 / Double(octavesPerMicrosecond)).rounded())) }
    set {
      octavesPerMicrosecond = Float(Self.octaves * 1e-6 / newValue.seconds)
      limitSilence()
    }
  }

  package init() { limitSilence() }

  /// One comparison for every packet; it also fails when a clock stepped back.
  @inline(always) func isOrdinary(_ silence: Interval) -> Bool { UInt64(bitPattern: silence.microseconds) < UInt64(ordinarySilence) }

  private mutating func limitSilence() {
    let halfOctave = Interval(microseconds: Int64(-0.5 / octavesPerMicrosecond))
    ordinarySilence = UInt32(max(0, min(min(stale, halfOctave), Self.mostOrdinary).microseconds))
  }
}

/// Where `immediate` ends and `near` ends, by level or by distance.
package struct ZoneSettings: BitwiseCopyable, Sendable {
  package enum Edges: BitwiseCopyable, Sendable {
    case levels(immediate: Decibels, near: Decibels)
    case distances(immediate: Meters, near: Meters)
  }
  package static let levels = Edges.levels(immediate: Decibels(-55), near: Decibels(-70))
  package static let distances = Edges.distances(immediate: Meters(0.5), near: Meters(3))

  package var edges = levels
  package var hysteresis = Decibels(3)
}

package struct RangingSettings: BitwiseCopyable, Sendable {
  package var interval = Interval.seconds(1)
  /// Zero: ranging never stops by itself.
  package var extend = Interval.zero
}

package struct RegionSettings: BitwiseCopyable, Sendable {
  package enum ExitRule: BitwiseCopyable, Sendable {
    case auto
    case after(Interval)
  }
  package var name = Name()
  package var match = Slice()
  package var exit = ExitRule.auto
  /// Nobody enters whose average is below this.
  package var minimum = Self.noMinimum
  static let noMinimum = Decibels(-127)
  /// Whoever is inside stays with an average that much weaker.
  package static let allowance = Decibels(6)

  package init() {}
}

package struct TriggerSettings: BitwiseCopyable, Sendable {
  package var name = Name()
  package var match = Slice()
  /// The index of the radio at the trigger; nil: whichever hears best.
  package var radio: Int8?
  /// Where it is on the site's plan; nil: at its radio.
  package var point: PlanPoint?
  package var arm = Meters(8)
  package var fire = Meters(1.5)
  package var leave = Meters(4)
  /// Seconds of full evidence; doubtful seconds count less.
  package var dwell = Interval.seconds(0.5)
  package var minimumSamples = 4
  package var minimumRate: Float = 0.4
  package var refractory = Interval.seconds(600)
  package var groupRefractory = Interval.zero
  package var expires = Interval.seconds(60)
  package var group = Name()
  package var margin = Decibels(6)
  package var settle = Interval.seconds(0.5)

  package init() {}

  var limits: TriggerLimits {
    TriggerLimits(dwell: dwell, settle: settle, refractory: refractory, restOfGroup: restOfGroup, minimumRate: minimumRate)
  }
}

/// What each sample needs of its trigger's settings.
struct TriggerLimits: BitwiseCopyable {
  let dwell: Interval
  let settle: Interval
  let refractory: Interval
  let restOfGroup: Interval
  let minimumRate: Float
}

package struct KeySettings: BitwiseCopyable, Equatable, Sendable {
  package enum Kind: BitwiseCopyable, Equatable, Sendable {
    case irk
    case eid(exponent: UInt8, clock: UInt32)
  }
  package var kind = Kind.irk
  package var alias = Name()
  package var key = Block(repeating: 0)

  package init() {}
}

/// Sixteen bytes for AES, in the order of FIPS 197.
package typealias Block = SIMD16<UInt8>

/// AES-128 of one block. Core has no cryptography: Host lends it.
package typealias Cipher = @Sendable (_ key: Block, _ plain: Block) -> Block

package struct PeerSettings: Equatable, BitwiseCopyable, Sendable {
  package var service = ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6)
  package var idPrefix = ServiceUUID(0xBBBB_BBBB_BBBB_BBBB, 0xBBBB_BBCC_0000_0000)
  package var identify = false
  package var serve = false
  /// Keep the connection and read its RSSI, instead of disconnecting once the id is known.
  package var hold = false
  package var ownID: UInt32 = 0
}

package struct TransmitSettings: Equatable, BitwiseCopyable, Sendable {
  package enum Kind: BitwiseCopyable, Sendable { case iBeacon, altBeacon, eddystoneUID, eddystoneURL }
  package var kind = Kind.iBeacon
  /// The identity's bytes as in the advert, or the encoded URL.
  package var content = Text<20>()
  package var company: UInt16 = 0x0118
  package var txPower: Int8?
  package var measuredPower = Decibels(-59)
  package var interval = Interval.milliseconds(100)

  package init() {}
}

package struct PublishSettings: BitwiseCopyable, Sendable {
  package enum Unknown: UInt8, BitwiseCopyable, Sendable { case ignore, hash, publish }
  package var prefix = Name("forecourt")
  package var interval = Interval.seconds(10)
  package var skip = Meters(0.5)
  package var telemetry = Interval.seconds(60)
  package var unknown = Unknown.ignore
  package var homeAssistant = false
  package var commands = false
}

/// The other gateways of the site.
package struct SiteSettings: BitwiseCopyable, Sendable {
  package struct Entry: BitwiseCopyable, Sendable {
    package var name = Name()
    /// The groups in which its triggers compete; all, when the roster names none.
    package var groups = GroupList()

    package init() {}
  }

  /// The gateways that must be heard before a trigger in their groups fires; empty: all that were ever met.
  package var roster = Roster(filledWith: Entry())
  package var forgetAfter = Interval.hours(24 * 30)
  /// The site has a key: its messages are signed.
  package var isAuthenticated = false

  package func place(of name: Name) -> Int? {
    for index in roster.indices where roster[index].name == name { return index }
    return nil
  }
}

/// A run of places in a shared list.
package struct Slice: BitwiseCopyable, Sendable {
  package var start: UInt16 = 0
  package var count: UInt16 = 0

  package init(start: UInt16 = 0, count: UInt16 = 0) {
    self.start = start
    self.count = count
  }

  package var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
