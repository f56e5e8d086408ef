import Core
import Testing

/// A report's parts, to compare.
struct HeardReport: Equatable {
  var address: String
  var level: Int8
  var data: String
}

func reports(_ packet: [UInt8]) throws -> [HeardReport] {
  let span = packet.span
  guard case .reports(var reports) = try HCIEvent(span.bytes) else { return [] }
  var all: [HeardReport] = []
  while let report = try reports.next() {
    all.append(HeardReport(address: written(report.address), level: report.level, data: hex(report.data)))
  }
  return all
}

@Suite("Advertising reports") struct DecodeReportTests {
  @Test("two reports in one event are two reports") func two() throws {
    let packet = bytes("04 3E 19 02 02  03 01 665544332211 00 C4  04 00 AABBCCDDEEFF 03 020106 B0")
    #expect(
      try reports(packet) == [
        HeardReport(address: "11:22:33:44:55:66", level: -60, data: ""),
        HeardReport(address: "ff:ee:dd:cc:bb:aa", level: -80, data: "020106"),
      ])
  }

  @Test(
    "a legacy report says whether its sender is connectable and scannable",
    arguments: [
      (0, Report.Traits.legacy | .connectable | .scannable), (1, .legacy | .connectable | .directed), (2, .legacy | .scannable),
      (3, .legacy),
      (4, .legacy | .scanResponse),
    ] as [(UInt8, Report.Traits)])
  func traits(event: UInt8, traits: Report.Traits) throws {
    var packet = bytes("04 3E 0C 02 01 00 01 665544332211 00 C4")
    packet[5] = event
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes), let report = try reports.next() else { throw Malformed.impossible }
    #expect(report.traits == traits && report.completeness == .complete && report.txPower == nil && report.set == nil)
    #expect(report.address.kind == .random && report.primaryPhy == .oneMegabit && report.secondaryPhy == nil)
  }

  @Test("an extended report has PHYs, set, power and what is missing") func extended() throws {
    let packet = bytes("04 3E 1D 0D 01 2500 01 665544332211 03 02 05 F4 C4 5000 00 AABBCCDDEEFF 03 020106")
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes), let report = try reports.next() else { throw Malformed.impossible }
    #expect(report.traits == .connectable | .directed && report.completeness == .moreToCome && report.level == -60)
    #expect(report.primaryPhy == .coded && report.secondaryPhy == .twoMegabit && report.set == 5 && report.txPower == -12)
    #expect(report.target.map(written) == "ff:ee:dd:cc:bb:aa" && hex(report.data) == "020106")
    let isLast = try reports.next() == nil
    #expect(isLast)
  }

  @Test("a legacy advert in an extended report, as most controllers give it") func legacyInExtended() throws {
    let packet = bytes("04 3E 1A 0D 01 1300 00 665544332211 01 00 FF 7F 7F 0000 00 000000000000 00")
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes), let report = try reports.next() else { throw Malformed.impossible }
    #expect(report.traits == .legacy | .connectable | .scannable && report.set == nil && report.txPower == nil && !report.isAudible)
    #expect(report.secondaryPhy == nil && report.target == nil)
  }

  @Test("a directed report has both addresses") func directed() throws {
    let packet = bytes("04 3E 12 0B 01 01 00 665544332211 01 AABBCCDDEE7F C4")
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes), let report = try reports.next() else { throw Malformed.impossible }
    #expect(written(report.address) == "11:22:33:44:55:66" && report.target.map(written) == "7f:ee:dd:cc:bb:aa" && report.level == -60)
    #expect(report.traits.contains(.directed) && report.data.byteCount == 0)
  }

  @Test("an anonymous advert has no address") func anonymous() throws {
    let packet = bytes("04 3E 1A 0D 01 0000 FF 000000000000 01 01 00 7F C4 0000 00 000000000000 00")
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes), let report = try reports.next() else { throw Malformed.impossible }
    #expect(report.address.kind == .anonymous && !report.address.isResolvable)
  }

  @Test(
    "an impossible report is refused",
    arguments: [
      ("04 3E 0C 02 01 05 01 665544332211 00 C4", Malformed.impossible), ("04 3E 0C 02 01 00 04 665544332211 00 C4", .impossible),
      ("04 3E 0C 02 01 00 01 665544332211 01 C4", .truncated), ("04 3E 0C 02 02 00 01 665544332211 00 C4", .truncated),
      ("04 3E 1A 0D 01 6000 01 665544332211 01 00 FF 7F C4 0000 00 000000000000 00", .impossible),
      ("04 3E 1A 0D 01 0000 01 665544332211 02 00 FF 7F C4 0000 00 000000000000 00", .impossible),
      ("04 3E 1A 0D 01 0000 01 665544332211 01 05 FF 7F C4 0000 00 000000000000 00", .impossible),
      ("04 3E 1A 0D 01 0000 05 665544332211 01 00 FF 7F C4 0000 00 000000000000 00", .impossible),
      ("04 3E 1A 0D 01 0000 01 665544332211 01 00 FF 7F C4 0000 00 000000000000 01", .truncated),
      ("04 3E 12 0B 01 00 00 665544332211 01 AABBCCDDEE7F C4", .impossible),
    ])
  func refused(text: String, reason: Malformed) {
    #expect(throws: reason) { try reports(bytes(text)) }
  }

  @Test("a damaged report takes nothing from the one before it") func damagedSecond() throws {
    let packet = bytes("04 3E 16 02 02  03 01 665544332211 00 C4  04 00 AABBCCDDEEFF 09 B0")
    let span = packet.span
    guard case .reports(var reports) = try HCIEvent(span.bytes) else { throw Malformed.impossible }
    let first = try reports.next()?.level
    #expect(first == -60)
    #expect(throws: Malformed.truncated) { try CoreTests.reports(packet) }
  }
}
