@testable import Core

/// A phone with services, and its faults.
struct ModelPhone {
  enum Deed: CaseIterable { case nothing, silence, garbage, lie, error, disconnect, flood, slow }
  /// The step at which it goes astray: 0 is the connection, 1 the MTU, then one for each question about services.
  enum Step: Int, CaseIterable { case connection, mtu, first, later }

  var address: UInt64
  var installation: UInt32? = 0xBC00_BD17
  var isInBackground = false
  var mtu = 185
  var others: [ServiceUUID] = [ServiceUUID(short: 0x180F), ServiceUUID(short: 0x1805)]
  var deed = Deed.nothing
  var step = Step.mtu
  /// The code of `error`.
  var code: UInt8 = 0x0E
  /// Advertises, but no connection to it succeeds.
  var isOutOfReach = false
  var level: Int8 = -60
  /// Asks us as soon as it is connected.
  var questions: [[UInt8]] = []
  var asked = 0
  var answers: [[UInt8]] = []

  var services: [ServiceUUID] {
    others + [PeerSettings().service]
      + (installation.map { [ServiceUUID(0xBBBB_BBBB_BBBB_BBBB, 0xBBBB_BBCC_0000_0000 | UInt64($0))] } ?? [])
  }

  var advert: [UInt8] {
    let service = PeerSettings().service
    if !isInBackground { return [2, 1, 6, 17, 7] + (0..<16).map { service.byte(15 - $0) } }
    var mask = [UInt8](repeating: 0, count: 16)
    mask[Int(service.overflowPosition) / 8] |= 0x80 >> (service.overflowPosition % 8)
    return [2, 1, 0x1A, 0x14, 0xFF, 0x4C, 0, 1] + mask
  }

  /// What an ATT server says to a request; nothing where it says nothing.
  func answer(_ pdu: [UInt8]) -> [UInt8]? {
    func number(_ at: Int) -> Int { Int(pdu[at]) | Int(pdu[at + 1]) << 8 }
    switch pdu[0] {
    case 0x02: return [3, UInt8(mtu), 0]
    case 0x10:
      let start = number(1)
      let from = services.indices.first { 1 + $0 * 3 >= start }
      guard let from else { return [1, 0x10, pdu[1], pdu[2], 0x0A] }
      let isShort = services[from].isShort
      var body: [UInt8] = []
      for index in from..<services.count where services[index].isShort == isShort {
        let uuid = (0..<16).map { services[index].byte(15 - $0) }
        let entry = little(1 + index * 3) + little(3 + index * 3) + (isShort ? [uuid[12], uuid[13]] : uuid)
        if 2 + body.count + entry.count > min(mtu, Att.mtu) { break }
        body += entry
      }
      return [0x11, isShort ? 6 : 20] + body
    default: return pdu[0] & 0x41 == 0 && pdu[0] != 0x1E ? [1, pdu[0], 0, 0, 6] : nil
    }
  }
}

func little(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8 & 255)] }

extension ServiceUUID {
  var isShort: Bool { low == 0x8000_0080_5F9B_34FB && high & 0xFFFF_FFFF == 0x1000 && high >> 48 == 0 }
}
