import Core
import Glibc
import Testing

@testable import Host

@Suite("packets over a line") struct TransferTests {
  /// A line, and what is read from it after these pieces were written.
  private func read(_ kind: HCITransport.Kind, _ pieces: [[UInt8]]) throws -> (packets: [[UInt8]], discarded: UInt64) {
    var ends: [CInt] = [-1, -1]
    let type = kind == .packets ? SOCK_SEQPACKET : SOCK_STREAM
    #expect(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let line = HCITransport(ends[0], kind)
    var transfer = HCITransfer()
    var packets: [[UInt8]] = []
    for piece in pieces {
      #expect(write(ends[1], piece, piece.count) == piece.count)
      try transfer.fill(from: line, at: Instant(microseconds: 7))
      while transfer.next() {
        packets.append((0..<transfer.packet.byteCount).map { transfer.packet[$0] })
        #expect(transfer.stamp == Instant(microseconds: 7))
      }
    }
    return (packets, transfer.discarded)
  }

  private let event: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]

  @Test("a kernel's socket gives one packet at a time, whole, and one that is too long is counted and left out") func packets() throws {
    let long = [UInt8](repeating: 4, count: 5_000)
    let found = try read(.packets, [event, long, event + [9]])
    #expect(found.packets == [event, event + [9]] && found.discarded == 1)
  }

  @Test("a serial line's packets are cut out of its bytes, wherever these were cut") func stream() throws {
    let found = try read(.stream, [Array(event[..<3]), Array(event[3...]) + event + [4], Array(event[1...])])
    #expect(found.packets == [event, event, event] && found.discarded == 0)
  }

  @Test("a packet is gone with the line that brought it") func gone() async {
    await #expect(processExitsWith: .failure) {
      var ends: [CInt] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { return }
      let line = HCITransport(ends[0], .packets)
      var transfer = HCITransfer()
      guard write(ends[1], [4, 0x10, 1, 0] as [UInt8], 4) == 4 else { return }
      do { try transfer.fill(from: line, at: .zero) } catch { return }
      guard transfer.next(), transfer.packet.byteCount == 4 else { return }
      transfer.restart()
      _ = transfer.packet.byteCount
    }
  }

  @Test("a line that ends is lost; one that waits is not") func ended() {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let line = HCITransport(ends[0], .stream)
    var transfer = HCITransfer()
    func trouble(_ transfer: inout HCITransfer) -> Trouble? {
      do throws(HCITransport.Refusal) { try transfer.fill(from: line, at: .zero) } catch { return error.trouble }
      return nil
    }
    #expect(trouble(&transfer) == nil && !transfer.next())
    close(ends[1])
    #expect(trouble(&transfer) == .lineLost)
  }
}
