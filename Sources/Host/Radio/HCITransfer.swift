import CBluetooth
import CLinux
import Core

/// Moves packets over a line: its buffers, and the beginning of a packet that is incomplete.
@safe struct HCITransfer: ~Copyable {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let lengths: UnsafeMutablePointer<UInt32>
  private let stamps: UnsafeMutablePointer<Int64>
  private var kind = HCITransport.Kind.stream
  /// How much of the last batch has been read, and how much it was: packets or bytes.
  private var position = 0
  private var filled = 0
  /// When the batch came, on both clocks.
  private var arrived = Instant.zero
  private var wall: Int64 = 0
  private var stream = PacketStream()
  private var unsent = Text<1024>()
  private var lastByte = Instant.zero
  /// How long nothing had been read before this batch; and whether that was because nobody read, as far as a stream can tell.
  private var pause = Interval.zero
  private var isBacklog = false
  /// Before this nothing counts as a backlog again.
  private var nextBacklog = Instant.zero
  /// Packets longer than any we handle, from a kernel socket.
  private var oversized: UInt64 = 0

  private static let batch = Int(bluetooth_batch)
  private static let longest = Int(bluetooth_longest)
  /// A controller pauses between packets, not inside them: at 115,200 baud the longest takes 23 ms. A network that resends a segment may
  /// pause for some tenths of a second.
  private static let longestPause = Interval.seconds(1)
  /// So many bytes come at once after such a pause if they have waited for us: three adverts and more.
  private static let backlog = 100
  /// Adverts may also be long, or come in bursts. Whoever drops each of them is deaf; and this program is seldom stopped.
  private static let betweenBacklogs = Interval.seconds(60)

  init() {
    // SAFETY: blocks of our own, initialised here and given back in `deinit`.
    unsafe bytes = .allocate(capacity: Self.batch * Self.longest)
    unsafe bytes.initialize(repeating: 0, count: Self.batch * Self.longest)
    unsafe lengths = .allocate(capacity: Self.batch)
    unsafe lengths.initialize(repeating: 0, count: Self.batch)
    unsafe stamps = .allocate(capacity: Self.batch)
    unsafe stamps.initialize(repeating: 0, count: Self.batch)
  }

  deinit {
    // SAFETY: allocated in `init`.
    unsafe bytes.deallocate()
    unsafe lengths.deallocate()
    unsafe stamps.deallocate()
  }

  /// For a new line: drops everything of the old one.
  mutating func restart() {
    stream.abandon()
    unsent.truncate(to: 0)
    (position, filled) = (0, 0)
  }

  /// Bytes and packets that were not understood.
  var discarded: UInt64 { stream.discarded + oversized }

  // MARK: In

  /// When to give up an incomplete packet.
  var deadline: Instant { stream.isPartial ? lastByte + Self.longestPause : .never }

  /// Call it only after polling has found nothing: this thread may have slept while the rest came.
  mutating func foundNothing(at moment: Instant) {
    if moment >= deadline { stream.abandon() }
  }

  /// Reads what waits, up to a batch; `poll` is level-triggered and reports the rest. Then call `next` until it returns false.
  mutating func fill(from line: borrowing HCITransport, at now: Instant) throws(HCITransport.Refusal) {
    let goesOn = isBacklog && isFull
    (position, filled, kind, arrived) = (0, 0, line.kind, now)
    let taken: Int
    // SAFETY: the block and the arrays have room for a batch; no more is taken, and no length is beyond the longest.
    switch kind {
    case .packets: taken = unsafe Int(bluetooth_receive(line.descriptor, bytes, lengths, stamps))
    case .stream: taken = unsafe read(line.descriptor, bytes, Self.batch * Self.longest)
    }
    guard taken > 0 else { return try stumble(taken == 0 ? 0 : linux_errno()) }
    filled = taken
    if kind == .packets { wall = Clock.wallMicroseconds() }
    (pause, lastByte) = (now - lastByte, now)
    guard kind == .stream, pause >= Self.longestPause else { return isBacklog = goesOn }
    isBacklog = taken > Self.backlog && now >= nextBacklog
    if isBacklog { nextBacklog = now + Self.betweenBacklogs }
  }

  /// Whether more may wait than one batch could take.
  var isFull: Bool { filled == (kind == .packets ? Self.batch : Self.batch * Self.longest) }

  /// Goes to the next whole packet; false if there is none.
  mutating func next() -> Bool {
    kind == .packets ? nextPacket() : nextInStream()
  }

  private mutating func nextPacket() -> Bool {
    while position < filled {
      position += 1
      // SAFETY: `position` is at most `filled`, which is at most a batch.
      if unsafe lengths[position - 1] > 0 { return true }
      oversized += 1
    }
    return false
  }

  private mutating func nextInStream() -> Bool {
    // SAFETY: `filled` bytes have been read into the block.
    var cursor = Cursor(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(bytes + position), byteCount: filled - position))
    let isWhole = stream.advance(through: &cursor)
    position = filled - cursor.remaining
    return isWhole
  }

  /// The packet that `next` has found.
  var packet: RawSpan {
    @_addressableSelf
    @_lifetime(borrow self)
    get {
      if kind == .stream { return stream.packet }
      precondition(position > 0, "no packet was found, or the line is a new one")
      // SAFETY: the packet before `position` is of this batch; its length is not beyond the longest.
      let start = unsafe UnsafeRawPointer(bytes + (position - 1) * Self.longest)
      let span = unsafe RawSpan(_unsafeStart: start, byteCount: Int(lengths[position - 1]))
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// When it arrived: by the kernel's stamp if there is one, unless the wall clock was set meanwhile.
  var stamp: Instant { arrived - age }

  /// Whether it has waited so long, while this program was stopped, that its sender may be anywhere by now.
  var isOld: Bool { isBacklog || age > Self.longestPause }

  /// No packet has waited for much longer than nothing was read.
  private var age: Interval {
    guard kind == .packets else { return .zero }
    // SAFETY: as above.
    let age = unsafe stamps[position - 1] == 0 ? 0 : wall - stamps[position - 1]
    return (0...(Self.longestPause + pause).microseconds).contains(age) ? Interval(microseconds: age) : .zero
  }

  // MARK: Out

  var hasUnsent: Bool { !unsent.isEmpty }

  /// Drops a packet without room: its controller has read nothing for a long time, and its silence is noticed elsewhere.
  mutating func send(_ packet: RawSpan, over line: borrowing HCITransport) throws(HCITransport.Refusal) {
    guard packet.byteCount <= unsent.free else { return }
    if line.kind == .packets {
      // SAFETY: the pointer and the count are the span's own.
      let sent = unsafe packet.withUnsafeBytes { unsafe write(line.descriptor, $0.baseAddress, $0.count) }
      if sent < 0 { try stumble(linux_errno()) }
    } else {
      unsent.append(packet)
      try flush(line)
    }
  }

  mutating func flush(_ line: borrowing HCITransport) throws(HCITransport.Refusal) {
    while !unsent.isEmpty {
      // SAFETY: the pointer and the count are the span's own.
      let sent = unsafe unsent.bytes.withUnsafeBytes { unsafe write(line.descriptor, $0.baseAddress, $0.count) }
      guard sent > 0 else { return try stumble(linux_errno()) }
      let rest = Text<1024>(unsent.bytes.extracting(droppingFirst: sent))
      unsent = rest
    }
  }

  /// Whether a failed call means nothing, or the end of the line.
  private func stumble(_ code: CInt) throws(HCITransport.Refusal) {
    switch code {
    case EAGAIN, EINTR: return
    case EPERM, EACCES: throw HCITransport.Refusal(.noPermission, code)
    case ENETDOWN: throw HCITransport.Refusal(.down, code)
    default: throw HCITransport.Refusal(kind == .packets ? .noAdapter : .lineLost, code)
    }
  }
}
