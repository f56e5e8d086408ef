/// Every bound of the machine, with its reason. The memory is taken once, at start.
package enum Limits {
  // -- Queues -------------------------------------------------------------------------------------------------------------

  /// Half a second at 2,000 packets a second.
  package static let packetsQueued = 1_024
  /// Installation ids from neighbours: one gateway's retained ones, when the broker comes back.
  package static let hintsQueued = 256
  /// A radio's conditions change a few times a second at worst.
  package static let statusesQueued = 16
  /// A burst: every device of a busy forecourt changes its zone at once, and each trigger publishes.
  package static let messagesQueued = 512
  /// Urgent messages: claims, trigger events and states, replies, status and telemetry, while a disk takes some seconds to write.
  package static let urgentQueued = 256
  /// Commands and claims from the broker between two rounds of the core thread.
  package static let requestsQueued = 256

  // -- Tables -------------------------------------------------------------------------------------------------------------

  package static let devices = 4_096
  package static let devicesLeast = 64
  package static let devicesMost = 65_536
  /// A device's ring of samples.
  package static let windowSamples = 16
  /// Every device inside one region, or a quarter of them inside four.
  package static func visits(for devices: Int) -> Int { devices }

  /// A device is near one trigger of its gateway at a time, rarely two.
  package static func encounters(for devices: Int) -> Int { devices }

  /// Installation ids by address: those of a busy site's phones over the sixteen minutes that an address lives.
  package static let knownPeers = 1_024

  /// Devices that one radio may ask: as many as a crowded yard has in sixteen minutes.
  static let candidates = 512

  /// A site's regulars whose phones do not state their power.
  package static let learntPowers = 1_024

  /// Claims of neighbours: 576 devices near the pumps at once, each claimed by seven neighbours, or 64 devices by 63.
  package static let claims = 4_032

  /// Claims of one neighbour: one a second of each of those 576 devices, four of a dozen that are being decided, and some room.
  package static let claimsPerSecond = 640

  /// Enters and approaches of one device at once: it walks into all the regions of a site, or comes and goes at the edge of some.
  package static let eventsOfOne = 20

  // -- Advertisements -----------------------------------------------------------------------------------------------------

  /// The longest extended advertisement. Core 6.0, Vol 4, Part E, 7.8.57.
  static let advertisementBytes = 1_650
  /// Fragmented advertisements at one time: as many as pieces fit between the first and the last of one, seven at 229 bytes.
  static let fragmentChains = 8
  /// A chain takes some ten milliseconds; one that is incomplete by then stays so.
  static let fragmentPatience = Interval.milliseconds(1_000)

  // -- Silences -----------------------------------------------------------------------------------------------------------

  /// A body or a car before a fast beacon hides its signal for some seconds.
  package static let shortestSilence = Interval.milliseconds(5_000)
  /// The slowest beacons send every ten seconds: twelve intervals.
  package static let longestSilence = Interval.milliseconds(120_000)

  // -- Files --------------------------------------------------------------------------------------------------------------

  /// Sixty-four triggers with a page of comments each; a log file by mistake is refused.
  package static let configurationBytes = 262_144
  /// A certificate's key has three thousand bytes.
  package static let secretBytes = 65_536
}

// These bounds are types, because the compiler needs them as literals.

/// One board serves one island: its built-in adapter, a USB stick on each side, one spare.
package typealias PerRadio<Element: BitwiseCopyable> = Bounded<4, Element>
/// One bit each in a device's 64 memberships.
package typealias PerRegion<Element: BitwiseCopyable> = Bounded<64, Element>
/// One bit each, likewise.
package typealias PerTrigger<Element: BitwiseCopyable> = Bounded<64, Element>
/// All `match` lists together: two for each region and trigger, one for each calibrated device.
package typealias SelectorList = Bounded<512, Selector>
package typealias CalibrationList = Bounded<256, DeviceCalibration>
/// The staff of a large site and its vans; every message about a device looks through it.
package typealias DeviceNameList = Bounded<128, DeviceName>
/// An unknown address costs one AES block per key: 256 are about 50 µs on a small board, once per address.
package typealias KeyList = Bounded<256, KeySettings>
/// Service UUIDs that are looked for openly and in Apple's overflow area.
package typealias ServiceList = Bounded<16, ServiceUUID>
/// The gateways of the largest site.
package typealias Roster = Bounded<64, SiteSettings.Entry>
package typealias TransmitList = Bounded<8, TransmitSettings>

/// A reassembled report: 24 bytes of head and all the data an advertisement may have.
package typealias WholeReport = Text<1674>

/// Sites, gateways, regions, triggers, radios, groups, aliases: one level of a topic each.
package typealias Name = Text<32>
package typealias Sentence = Text<256>
package typealias Topic = Text<320>
/// Every payload is under 1,024 bytes: that is promised to subscribers.
package typealias Payload = Text<1023>
