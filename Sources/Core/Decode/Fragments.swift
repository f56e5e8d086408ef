/// Reassembles an advertisement that arrives in several reports. Core 6.0, Vol 4, Part E, 7.7.65.13: *incomplete, more data to come*.
///
///     if !fragments.concern(report, from: radio) { hear(report) }
///     else if fragments.join(report, from: radio, at: now, into: &text) { hear(try Report(whole: text.bytes)) }
package struct Fragments: ~Copyable {
  private struct Chain: BitwiseCopyable {
    var sender = Sender()
    var length = 0
    var since = Instant.zero
    var isUsed = false
    /// Some of it did not fit.
    var isTruncated = false
  }

  /// One sender's chains may interleave: one for each advertising set, and one for the scan response, at each radio.
  private struct Sender: Equatable, BitwiseCopyable {
    var word: UInt64 = 0
    var radio: UInt8 = 0
    var set: UInt8 = 0
    var isResponse = false
  }

  private var chains: Lent<Chain>
  private var memory: Lent<UInt8>
  private var used = 0
  /// Chains that never ended, or were evicted.
  package private(set) var dropped: UInt64 = 0

  package init(in arena: inout Arena) {
    chains = arena.take(Limits.fragmentChains, filledWith: Chain())
    memory = arena.take(Limits.fragmentChains * Limits.advertisementBytes, of: UInt8.self)
  }

  package static var bytes: Int {
    Arena.bytes(for: Limits.fragmentChains, of: Chain.self)
      + Arena.bytes(for: Limits.fragmentChains * Limits.advertisementBytes, of: UInt8.self)
  }

  /// False for nearly all reports, which are complete.
  @inline(__always)
  package func concern(_ report: Report, from radio: Int) -> Bool {
    report.form == .extended && (report.completeness == .moreToCome || (used > 0 && find(Self.sender(of: report, radio)) != nil))
  }

  /// True after the last piece: then `whole` is the whole report, with the level and head of that piece.
  package mutating func join(_ report: Report, from radio: Int, at now: Instant, into whole: inout WholeReport) -> Bool {
    let chain = self.chain(of: report, radio, at: now)
    let start = chain * Limits.advertisementBytes
    let data = report.data
    let fitting = min(data.byteCount, Limits.advertisementBytes - chains[chain].length)
    for index in 0..<fitting { memory[start + chains[chain].length + index] = data[index] }
    chains[chain].length += fitting
    if fitting < data.byteCount || report.completeness == .truncated { chains[chain].isTruncated = true }
    if report.completeness == .moreToCome { return false }
    whole.truncate(to: 0)
    whole.append(byte: report.head[0] & 0x1F | (chains[chain].isTruncated ? 0x40 : 0))
    whole.append(report.head.extracting(droppingFirst: 1))
    for index in 0..<chains[chain].length { whole.append(byte: memory[start + index]) }
    release(chain)
    return true
  }

  private static func sender(of report: Report, _ radio: Int) -> Sender {
    Sender(word: report.address.word, radio: UInt8(truncatingIfNeeded: radio), set: report.set ?? 0xFF, isResponse: report.isScanResponse)
  }

  private func find(_ sender: Sender) -> Int? {
    for chain in 0..<chains.count where chains[chain].isUsed && chains[chain].sender == sender { return chain }
    return nil
  }

  /// The report's chain. A new one may evict the oldest.
  private mutating func chain(of report: Report, _ radio: Int, at now: Instant) -> Int {
    let sender = Self.sender(of: report, radio)
    if let chain = find(sender) {
      if now - chains[chain].since <= Limits.fragmentPatience { return chain }
      drop(chain)
    }
    var chosen = 0
    for chain in 0..<chains.count where chains[chosen].isUsed {
      if !chains[chain].isUsed || chains[chain].since < chains[chosen].since { chosen = chain }
    }
    if chains[chosen].isUsed { drop(chosen) }
    chains[chosen] = Chain(sender: sender, since: now, isUsed: true)
    used += 1
    return chosen
  }

  private mutating func drop(_ chain: Int) {
    dropped += 1
    release(chain)
  }

  private mutating func release(_ chain: Int) {
    chains[chain].isUsed = false
    used -= 1
  }
}
