/// Serves our own attributes to one central at a time, and disconnects it when it is silent or stays too long.
struct GATTServer: BitwiseCopyable, Sendable {
  var link: ACLLink?
  private let table: AttributeTable
  private var mtu = Att.smallestMTU
  private var heard = Instant.zero
  private var leaveBy = Instant.never

  /// A phone asks its questions within a second; one that is silent for so long has stalled.
  private static let patience = Interval.seconds(10)
  private static let longestVisit = Interval.seconds(60)

  init(_ settings: PeerSettings, name: Name) { table = settings.serve ? AttributeTable(settings, name: name) : AttributeTable() }

  var deadline: Instant {
    guard let link else { return .never }
    return link.isDisconnecting ? link.deadline : min(heard + Self.patience, leaveBy)
  }

  mutating func accept(_ connection: Connection, at now: Instant) {
    link = ACLLink(connection)
    (mtu, heard, leaveBy) = (Att.smallestMTU, now, now + Self.longestVisit)
  }

  mutating func disconnected() { link = nil }

  mutating func receive(_ pdu: RawSpan, at now: Instant) {
    heard = now
    guard Att.isRequest(pdu[0]) else { return }
    link?.send(table.answer(pdu, within: &mtu))
  }

  /// For the peer of our own client connection.
  func answer(_ request: RawSpan, within mtu: inout Int) -> AttPDU { table.answer(request, within: &mtu) }

  /// False when only a reset of the controller helps.
  mutating func tick(at now: Instant) -> Bool {
    guard now >= deadline else { return true }
    if let link, link.isDisconnecting { return false }
    link?.disconnect()
    return true
  }
}
