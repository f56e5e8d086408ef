import Core
import Testing

@Suite("Advertisements in pieces") struct DecodeFragmentTests {
  static let more: UInt16 = 0x20
  static let cut: UInt16 = 0x40

  /// Runs events through reassembly; what comes out whole, as data, level and completeness.
  struct Joined: Equatable {
    var data: [UInt8]
    var level: Int8
    var completeness: Report.Completeness
  }

  final class Listener {
    private let loan = Loan()
    private var fragments: Fragments
    /// One for all, as long as it likes.
    private var whole = WholeReport()

    init() {
      var arena = loan.arena
      fragments = Fragments(in: &arena)
    }

    var dropped: UInt64 { fragments.dropped }

    func hear(_ packet: [UInt8], from radio: Int = 0, at milliseconds: Int64 = 0) throws -> Joined? {
      var heard: Joined?
      try forEachReport(in: packet) { report in
        guard fragments.concern(report, from: radio) else { return heard = joined(report) }
        guard fragments.join(report, from: radio, at: Instant(microseconds: milliseconds * 1_000), into: &whole) else { return }
        let report = try Report(whole: whole.bytes)
        heard = joined(report)
      }
      return heard
    }

    private func joined(_ report: borrowing Report) -> Joined {
      Joined(data: bytes(hex(report.data)), level: report.level, completeness: report.completeness)
    }
  }

  @Test("two radios that hear the same pieces make one advertisement each") func radios() throws {
    let listener = Listener()
    let data = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    for radio in 0..<2 { #expect(try listener.hear(extended(Array(data[..<229]), at: -50, event: Self.more), from: radio) == nil) }
    for radio in 0..<2 {
      let whole = try listener.hear(extended(Array(data[229...]), at: -60), from: radio)
      #expect(whole == Joined(data: data, level: -60, completeness: .complete), "radio \(radio)")
    }
  }

  @Test("three pieces are one advertisement, with the level of the last") func three() throws {
    let listener = Listener()
    let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try listener.hear(extended(Array(data[..<229]), at: -50, event: Self.more)) == nil)
    #expect(try listener.hear(extended(Array(data[229..<458]), at: -55, event: Self.more)) == nil)
    #expect(try listener.hear(extended(Array(data[458...]), at: -60)) == Joined(data: data, level: -60, completeness: .complete))
    #expect(try listener.hear(extended([1], at: -61)) == Joined(data: [1], level: -61, completeness: .complete))
    #expect(listener.dropped == 0)
  }

  @Test("an advertisement whose end the controller lost is marked") func truncated() throws {
    let listener = Listener()
    #expect(try listener.hear(extended([1, 2], event: Self.more)) == nil)
    #expect(try listener.hear(extended([3], event: Self.cut)) == Joined(data: [1, 2, 3], level: -60, completeness: .truncated))
    #expect(try listener.hear(extended([4], event: Self.cut)) == Joined(data: [4], level: -60, completeness: .truncated))
  }

  @Test("what a controller cut is not the sender's fault: the fields before the cut count, and nothing counts as malformed")
  func pardoned() throws {
    let (whole, begun) = (bytes("0409427573"), bytes("1AFF4C000215"))
    for (events, malformed) in [([0], 1), ([Self.cut], 0), ([Self.more, 0], 1), ([Self.more, Self.cut], 0)] as [([UInt16], UInt64)] {
      var rig = Rig()
      let pieces = events.count == 1 ? [whole + begun] : [whole, begun]
      for (piece, event) in zip(pieces, events) {
        rig.gateway.receive(extended(piece, event: event).span.bytes, radio: 0, at: .zero)
      }
      let bus = try Identity(written: Text<128>("name:Bus@c1:22:33:44:55:66").bytes)
      #expect(rig.gateway.devices.count == 1 && rig.gateway.devices.find(bus) != nil)
      #expect(rig.gateway.counters[.truncated] == malformed && rig.gateway.counters[.impossible] == 0, "\(events)")
    }
  }

  @Test("pieces of several senders, sets and of a scan response do not mix") func interleaved() throws {
    let listener = Listener()
    let other = address("C2:22:33:44:55:66")
    #expect(try listener.hear(extended([1], event: Self.more)) == nil)
    #expect(try listener.hear(extended([2], from: other, event: Self.more)) == nil)
    #expect(try listener.hear(extended([3], event: Self.more, set: 2)) == nil)
    #expect(try listener.hear(extended([4], event: Self.more | 8)) == nil)
    #expect(try listener.hear(extended([5], event: 8))?.data == [4, 5])
    #expect(try listener.hear(extended([6], set: 2))?.data == [3, 6])
    #expect(try listener.hear(extended([7], from: other))?.data == [2, 7])
    #expect(try listener.hear(extended([8]))?.data == [1, 8])
  }

  @Test("an advertisement longer than allowed is cut and marked") func tooLong() throws {
    let listener = Listener()
    let piece = [UInt8](repeating: 7, count: 229)
    for _ in 0..<9 { #expect(try listener.hear(extended(piece, event: Self.more)) == nil) }
    let whole = try #require(try listener.hear(extended(piece)))
    #expect(whole.data.count == 1_650 && whole.completeness == .truncated)
  }

  @Test("an advertisement that never ends is evicted for the next, and counted") func abandoned() throws {
    let listener = Listener()
    for sender in 0..<9 {
      #expect(
        try listener.hear(extended([UInt8(sender)], from: Address(UInt64(sender), type: 1), event: Self.more), at: Int64(sender)) == nil)
    }
    #expect(listener.dropped == 1)
    #expect(try listener.hear(extended([99], from: Address(0, type: 1)), at: 10)?.data == [99])
    #expect(try listener.hear(extended([99], from: Address(1, type: 1)), at: 10)?.data == [1, 99])
  }

  @Test("a piece that comes a second later is not joined") func late() throws {
    let listener = Listener()
    #expect(try listener.hear(extended([1], event: Self.more)) == nil)
    #expect(try listener.hear(extended([2]), at: 1_001)?.data == [2])
    #expect(listener.dropped == 1)
  }

  @Test("as long as no more than eight are under way at once every one comes whole, whoever ends first", arguments: 0..<40 as Range<UInt64>)
  func crowd(seed: UInt64) throws {
    var random = Seeded(seed)
    let listener = Listener()
    var begun: [Int: [UInt8]] = [:]
    for step in 0..<600 as Range<Int64> {
      // A step is a millisecond, and nobody waits for a second.
      let sender = begun.count < 8 ? Int.random(in: 0..<12, using: &random) : begun.keys.sorted().randomElement(using: &random)!
      let isLast = begun.count == 8 || Bool.random(using: &random)
      let known = begun[sender] ?? []
      let piece = [UInt8(sender), UInt8(truncatingIfNeeded: step)]
      let heard = try listener.hear(extended(piece, from: Address(UInt64(sender), type: 1), event: isLast ? 0 : Self.more), at: step)
      #expect(heard?.data == (isLast ? known + piece : nil), "step \(step)")
      begun[sender] = isLast ? nil : known + piece
    }
    #expect(listener.dropped == 0)
  }
}
