import Core
import Host

/// Devices that could not be read several times in a row. One failure is no news: most devices have just left.
struct FailedPeers {
  private static let mostFailures = 3
  private static let mostDevices = 32

  private var list: [(address: Address, failures: Int)] = []
  private var pace = TokenBucket(burst: 3, pace: .seconds(600))

  /// Returns what to say aloud, without the address: it may be a stranger's.
  mutating func record(_ news: PeerNews, from radio: Name, at now: Instant) -> (level: LogSettings.Level, sentence: String)? {
    switch news {
    case .identified(let peer): list.removeAll { $0.address == peer.address }
    case .stranger(let address): list.removeAll { $0.address == address }
    // The radio failed, not the device.
    case .failed(_, .refused), .failed(_, .interrupted): break
    case .failed(let address, let failure):
      guard failures(of: address) == Self.mostFailures, pace.take(at: now) else { return nil }
      let why = String(Text<64>(failure.sentence))
      return (.info, "radio \(String(radio)): a phone: \(why) (\(Self.mostFailures) times in a row)")
    case .offers, .level, .sends, .withheld: break
    }
    return nil
  }

  private mutating func failures(of address: Address) -> Int {
    let before = list.first { $0.address == address }?.failures ?? 0
    list.removeAll { $0.address == address }
    if list.count == Self.mostDevices { list.removeFirst() }
    list.append((address, before + 1))
    return before + 1
  }
}
