/// One line of the address book. The fields that every advert touches come first, in one cache line.
package struct AddressRecord: BitwiseCopyable {
  /// A beacon that sends other frames too sends its ephemeral id far more often.
  private static let proofSeconds: UInt32 = 120

  package let address: Address
  package internal(set) var heard: Instant
  package private(set) var device = DeviceReference.none
  /// The last advert that was parsed.
  private(set) var advert = AdvertCopy()
  /// How the identity is known.
  package internal(set) var evidence = Evidence.address
  /// Among names of one kind, the lower rank is published.
  var rank = UInt8.max
  /// The key that made this resolvable address; -1 for none.
  private(set) var key: Int16 = -1
  /// Its power, as its adverts say; the better source is kept.
  package private(set) var power: MeasuredPower?
  /// The last scan response that was parsed, and whether it is newer than the advert.
  private(set) var response = AdvertCopy()
  private var isResponseLater = false
  /// The second in which an ephemeral id was last resolved: whoever sends only an old one has copied it.
  private var proven: UInt32 = 0
  /// Which regions and triggers match one of its names. With these the row fills two cache lines exactly.
  package private(set) var regions: UInt64 = 0
  package private(set) var triggers: UInt64 = 0

  init(_ address: Address, heard: Instant) {
    self.address = address
    self.heard = heard
  }

  /// The device, whether the report repeats the last of its kind, and, about once a second, that the line is to be touched.
  @inline(always)
  mutating func receive(_ report: Report, at now: Instant) -> (DeviceReference, isRepeated: Bool, isLater: Bool) {
    let isLater = now.isLaterSecond(than: heard)
    heard = now
    let isRepeated = report.isScanResponse ? response.holds(report.data) : advert.holds(report.data)
    return (device, isRepeated, isLater)
  }

  mutating func resolved(by key: Int) {
    self.key = Int16(key)
    evidence = .irk
  }

  /// An advert that `isKept` is not parsed again. Damaged data never is, so that each copy of it is counted.
  mutating func record(_ recognition: borrowing Recognition, _ report: Report, isKept: Bool) {
    isResponseLater = report.isScanResponse
    let copy = isKept && recognition.damage == nil ? AdvertCopy(report.data) : AdvertCopy()
    if isResponseLater { response = copy } else { advert = copy }
    if recognition.isImplausible(report.txPower) { return }
    if let measured = recognition.measuredPower {
      learn(.advertised(Decibels(float(measured))))
    } else if let transmitted = recognition.txPower ?? report.txPower {
      learn(.transmitted(Decibels(float(transmitted) - float(EddystoneFrame.firstMeter))))
    }
  }

  mutating func widen(by interest: Interest) {
    regions |= interest.regions
    triggers |= interest.triggers
  }

  mutating func narrow(to interest: Interest) { (regions, triggers) = (interest.regions, interest.triggers) }

  /// The other copy belongs to the old device: the next advert or response of that kind must be parsed again.
  mutating func becomes(_ device: DeviceReference) {
    self.device = device
    if isResponseLater { advert = AdvertCopy() } else { response = AdvertCopy() }
  }

  mutating func forgetCopies() { (advert, response) = (AdvertCopy(), AdvertCopy()) }

  mutating func forgetInterest() {
    forgetCopies()
    (regions, triggers) = (0, 0)
  }

  mutating func forgetDevice() {
    device = .none
    forgetCopies()
    if key < 0 { (evidence, rank) = (.address, .max) }
  }

  mutating func prove(at now: Instant) { proven = now.wholeSeconds }

  /// Whether it is known by an ephemeral id that it has not sent for so long that it may be somebody else's copy.
  func isUnproven(at now: Instant) -> Bool { evidence == .eid && now.wholeSeconds &- proven > Self.proofSeconds }

  private mutating func learn(_ source: MeasuredPower) {
    var best = power ?? source
    best.learn(source)
    power = best
  }
}

extension Instant {
  fileprivate var wholeSeconds: UInt32 { UInt32(truncatingIfNeeded: microseconds / 1_000_000) }
}

/// An exact copy of a legacy advertisement's data: its length, and four words that hold all bytes, some of them twice.
///
/// Every report is compared with it, in registers.
struct AdvertCopy: BitwiseCopyable {
  private static let most = 31

  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  /// Negative: equal to no data.
  private var length: Int16 = -1

  /// Equal to no data.
  init() {}

  /// Longer data is not kept.
  @inline(__always) init(_ data: RawSpan) {
    let count = data.byteCount
    guard count <= Self.most else { return }
    length = Int16(truncatingIfNeeded: count)
    if count >= 16 {
      words = data.outer16()
    } else if count >= 8 {
      words = (data.little64(at: 0), data.little64(at: count - 8), 0, 0)
    } else {
      for index in 0..<count { words.0 |= UInt64(data[index]) << UInt64(8 * index) }
    }
  }

  @inline(always) mutating func holds(_ data: RawSpan) -> Bool {
    guard data.byteCount == Int(length) else { return false }
    return data.byteCount >= 16 ? differences(from: data.outer16()) == 0 : holds(brief: data)
  }

  @inline(never) private func holds(brief data: RawSpan) -> Bool { differences(from: AdvertCopy(data).words) == 0 }

  @inline(__always) private func differences(from other: (UInt64, UInt64, UInt64, UInt64)) -> UInt64 {
    (words.0 ^ other.0) | (words.1 ^ other.1) | (words.2 ^ other.2) | (words.3 ^ other.3)
  }
}
