import Testing

@testable import Core

@Suite("Whether an address stays") struct AddressDurabilityTests {
  @Test(
    "a static address stays and a private one does not, whatever is bound to it; a public one is known once it was heard",
    arguments: [
      ("address:c1:22:33:44:55:66", true), ("address:ff:22:33:44:55:66", true), ("address:bf:22:33:44:55:66", false),
      ("address:4a:c2:c3:c4:c5:c6", false), ("address:0a:c2:c3:c4:c5:c6", false), ("name:Bus@c1:22:33:44:55:66", true),
      ("name:Bus@41:c2:c3:c4:c5:c6", false), ("name:B@01:c2:c3:c4:c5:c6", false), ("irk:anna", nil), ("peer:BC00BD17", nil),
      ("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:258", nil),
    ] as [(String, Bool?)])
  func kinds(text: String, stays: Bool?) throws {
    var rig = Rig()
    let identity = try Identity(written: Array(text.utf8).span.bytes)
    let said = rig.gateway.addressStays(of: identity)
    #expect(said == stays, "\(text)")
    guard stays != nil else { return }
    // The same bits as a public address.
    let sender = address(String(text.suffix(17)), type: 0)
    rig.gateway.receive(advert([], from: sender).span.bytes, radio: 0, at: .zero)
    let later = rig.gateway.addressStays(of: identity)
    #expect(later == true, "\(text) is public")
  }
}
