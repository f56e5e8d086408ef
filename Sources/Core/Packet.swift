/// One H4 packet on its way between a radio thread and the core thread, with the moment it was heard.
package struct Packet: BitwiseCopyable, Sendable {
  package var at = Instant.zero
  /// With the H4 type byte in front. 260 = 1 + 4 + 255: the longest event, and the longest ACL packet we let a controller send.
  package var bytes = Text<260>()

  package static let mostBytes = 260

  package init() {}
}
