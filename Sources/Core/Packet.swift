/// One H4 packet on its way from a radio thread to the core thread, with its time of arrival.
package struct Packet: BitwiseCopyable, Sendable {
  package var at = Instant.zero
  /// The H4 type byte first. 260 = 1 + 4 + 255: the longest event, and the longest ACL packet that we allow.
  package var bytes = Text<260>()

  package static let mostBytes = 260

  package init() {}
}
