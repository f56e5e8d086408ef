import Core
import Host
import Testing

@testable import forecourt

@Suite("Phones that cannot be read") struct FailedPeersTests {
  private func address(_ number: Int) -> Address { Address(0x4A00_0000_0000 + UInt64(number), type: 1) }
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test("the third failure in a row is said, and no other; an answer begins anew, and the radio's own failures do not count")
  func third() {
    var peers = FailedPeers()
    let failed = PeerNews.failed(address(1), .silent)
    // Not its address, which may be a stranger's.
    let mute = "radio left: a phone: it connected, but does not answer (3 times in a row)"
    func said(_ news: PeerNews) -> String? { peers.record(news, from: Name("left"), at: at(1))?.sentence }
    #expect(said(failed) == nil && said(.failed(address(1), .interrupted)) == nil && said(failed) == nil)
    #expect(said(.failed(address(2), .garbled)) == nil && said(.failed(address(1), .refused)) == nil)
    #expect(said(failed) == mute && said(failed) == nil)
    #expect(said(.identified(KnownPeer(address: address(1), id: 5))) == nil && said(failed) == nil && said(failed) == nil)
    #expect(said(.stranger(address(1))) == nil && said(failed) == nil && said(failed) == nil)
    #expect(said(failed) == mute)
  }

  @Test("three at once are said, then one every ten minutes; of a crowd the first is forgotten") func paced() {
    var peers = FailedPeers()
    func said(_ number: Int, at second: Double, times: Int = 3) -> Int {
      (0..<times).count { _ in peers.record(.failed(address(number), .silent), from: Name("left"), at: at(second)) != nil }
    }
    #expect((1...5).map { said($0, at: 1) } == [1, 1, 1, 0, 0])
    #expect(said(6, at: 602) == 1 && said(7, at: 603) == 0)
    #expect(said(8, at: 2_000, times: 2) == 0)
    for number in 100..<132 { _ = said(number, at: 2_000, times: 1) }
    #expect(said(8, at: 2_000, times: 1) == 0 && said(8, at: 2_000, times: 2) == 1)
  }
}
