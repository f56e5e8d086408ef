import Core
import Testing

@Suite("What a controller says") struct DecodeEventTests {
  @Test("a finished command names itself and brings its result") func commandComplete() throws {
    let packet = bytes("04 0E 0A 01 0910 00 665544332211")
    let span = packet.span
    guard case .commandComplete(let opcode, let credits, let result) = try HCIEvent(span.bytes) else { throw Malformed.impossible }
    #expect(opcode == 0x1009 && credits == 1 && hex(result) == "00665544332211")
  }

  @Test("a refused command names itself and its status") func commandStatus() throws {
    let packet = bytes("04 0F 04 0C 01 0D20")
    let span = packet.span
    guard case .commandStatus(let opcode, let credits, let status) = try HCIEvent(span.bytes) else { throw Malformed.impossible }
    #expect(opcode == 0x200D && credits == 1 && status == 0x0C)
  }

  @Test(
    "a connection reads alike in all three of its events",
    arguments: [
      "04 3E 13 01 00 4000 00 01 665544332211 2800 0000 2A00 00",
      "04 3E 1F 0A 00 4000 00 01 665544332211 000000000000 000000000000 2800 0000 2A00 00",
      "04 3E 22 29 00 4000 00 01 665544332211 000000000000 000000000000 2800 0000 2A00 00 00 0000",
    ])
  func connected(text: String) throws {
    let packet = bytes(text)
    let span = packet.span
    guard case .connected(let connection) = try HCIEvent(span.bytes) else { throw Malformed.impossible }
    #expect(connection.status == 0 && connection.handle == 0x40 && connection.isCentral && connection.supervisionTimeout == 42)
  }

  @Test("a failed connection is one, whatever its other fields hold") func failed() throws {
    let packet = bytes("04 3E 13 01 3E FFFF FF FF 665544332211 2800 0000 2A00 00").span
    guard case .connected(let connection) = try HCIEvent(packet.bytes) else { throw Malformed.impossible }
    #expect(connection.status == 0x3E)
  }

  @Test("a disconnection, a broken controller, an event nobody asked about") func others() throws {
    let lost = bytes("04 05 04 00 4000 08").span
    guard case .disconnected(let handle, let status, let reason) = try HCIEvent(lost.bytes) else { throw Malformed.impossible }
    #expect(handle == 0x40 && status == 0 && reason == 8)
    let broken = bytes("04 10 01 42").span
    guard case .hardwareError(let code) = try HCIEvent(broken.bytes) else { throw Malformed.impossible }
    #expect(code == 0x42)
    let other = bytes("04 0C 02 0001").span
    guard case .other(let number, let parameters) = try HCIEvent(other.bytes) else { throw Malformed.impossible }
    #expect(number == 0x0C && hex(parameters) == "0001")
    let update = bytes("04 3E 03 03 00 01").span
    guard case .lowEnergy(let subevent, let rest) = try HCIEvent(update.bytes) else { throw Malformed.impossible }
    #expect(subevent == 3 && hex(rest) == "0001")
  }

  @Test("every connection's completed packets are reported") func completed() throws {
    let packet = bytes("04 13 09 02 4000 0100 4100 0300").span
    guard case .packetsCompleted(var completed) = try HCIEvent(packet.bytes) else { throw Malformed.impossible }
    let first = completed.next()
    let second = completed.next()
    #expect(first! == (0x40, 1) && second! == (0x41, 3) && completed.next() == nil)
  }

  @Test("ACL data knows its connection and whether it goes on") func acl() throws {
    let packet = bytes("02 4020 0700 0300 0400 020002").span
    let first = try AclPacket(packet.bytes)
    #expect(first.handle == 0x40 && !first.isContinuation && hex(first.data) == "03000400020002")
    let more = bytes("02 4010 0100 FF").span
    let second = try AclPacket(more.bytes)
    #expect(second.isContinuation && hex(second.data) == "ff")
  }

  @Test(
    "bytes that are no packet are refused with the reason",
    arguments: [
      ("", Malformed.truncated), ("04", .truncated), ("04 3E", .truncated), ("04 3E 02 02", .truncated), ("04 3E 00", .truncated),
      ("01 03 0C 00", .unknownPacket), ("04 0E 02 01 03", .truncated), ("04 0E 04 01 030C 00 00", .impossible), ("04 13 01 01", .truncated),
      ("04 3E 02 02 00", .impossible), ("04 3E 13 01 00 4000 02 01 665544332211 2800 0000 2A00 00", .impossible),
      ("04 3E 12 01 00 4000 00 01 665544332211 2800 0000 2A00", .truncated),
    ])
  func refused(text: String, reason: Malformed) {
    let packet = bytes(text)
    #expect(throws: reason) {
      let span = packet.span
      _ = try HCIEvent(span.bytes)
    }
  }
}
