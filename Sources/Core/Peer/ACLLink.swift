/// One connection: it cuts our frames to the controller's buffers, reassembles the peer's, and ends in order.
struct ACLLink: BitwiseCopyable, Sendable {
  enum Disconnecting: BitwiseCopyable, Sendable {
    case no
    case wanted
    case asked(until: Instant)
  }

  let handle: UInt16
  private(set) var disconnecting = Disconnecting.no
  private(set) var frames = Reassembly()
  private var queue = Bounded<4, Text<68>>(filledWith: Text())
  /// How much of the first frame has been sent.
  private var sent = 0
  /// Packets in the controller that it has not reported as completed.
  private(set) var inFlight = 0

  /// Core 6.0, Vol 4, Part E, 7.1.6: a vanished peer takes the supervision timeout to notice. A central chooses it: up to 32 s.
  private var disconnectPatience: Interval

  init(_ connection: Connection) {
    handle = connection.handle
    disconnectPatience = Self.patience(connection.supervisionTimeout)
  }

  /// In units of 10 ms. Core 6.0, Vol 4, Part E, 7.7.65.3.
  mutating func updated(supervisionTimeout: UInt16) { disconnectPatience = Self.patience(supervisionTimeout) }

  private static func patience(_ supervisionTimeout: UInt16) -> Interval { .milliseconds(Int64(supervisionTimeout) * 10 + 1_000) }

  // MARK: In

  /// True when a frame is whole. Broken frames are dropped: a peer that sends nothing else is noticed by its silence.
  mutating func take(_ piece: borrowing AclPacket) -> Bool {
    do throws(Malformed) { return try frames.take(piece) } catch { return false }
  }

  // MARK: Out

  var hasUnsent: Bool { !queue.isEmpty && !isDisconnecting }

  /// A full queue drops the frame: a peer that asks again before our answer breaks the protocol.
  mutating func send<let capacity: Int>(_ payload: Text<capacity>, on channel: UInt16 = Att.channel) {
    var frame = Text<68>()
    frame.append(little: UInt64(payload.count), bytes: 2)
    frame.append(little: UInt64(channel), bytes: 2)
    frame.append(payload)
    precondition(!frame.overflowed, "a frame of ours has at most 64 bytes")
    _ = queue.append(frame)
  }

  /// The next piece as an H4 packet, no longer than the controller takes. Core 6.0, Vol 4, Part E, 5.4.2.
  func piece(upTo length: Int) -> Text<260> {
    let count = min(queue[0].count - sent, length)
    var packet = Text<260>()
    packet.append(byte: PacketType.acl.rawValue)
    packet.append(little: UInt64(handle) | (sent > 0 ? 1 << 12 : 0), bytes: 2)
    packet.append(little: UInt64(count), bytes: 2)
    for index in 0..<count { packet.append(byte: queue[0][sent + index]) }
    return packet
  }

  mutating func pieceWent(upTo length: Int) {
    inFlight += 1
    sent += min(queue[0].count - sent, length)
    if sent == queue[0].count {
      queue.remove(at: 0)
      sent = 0
    }
  }

  mutating func completed(_ count: UInt16) { inFlight = max(inFlight - Int(count), 0) }

  // MARK: Its end

  var isDisconnecting: Bool { if case .no = disconnecting { false } else { true } }

  var wantsToDisconnect: Bool { if case .wanted = disconnecting { true } else { false } }

  mutating func disconnect() { if !isDisconnecting { disconnecting = .wanted } }

  mutating func disconnectSent(at now: Instant) { disconnecting = .asked(until: now + disconnectPatience) }

  /// When the disconnection is overdue.
  var deadline: Instant { if case .asked(let until) = disconnecting { until } else { .never } }
}
