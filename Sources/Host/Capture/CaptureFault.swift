/// Why a capture could not be read, or not to its end. Everything before `offset` has been read.
package struct CaptureFault: Error {
  package enum Reason {
    /// The file could not be opened or read at all.
    case refused(FileRefusal)
    /// It is neither btsnoop nor pcap nor pcapng.
    case unknownFormat
    /// It is one of them, but of a link type without HCI packets.
    case otherLink(UInt32)
    /// It ends in the middle of a record.
    case truncated
    /// A length or a number is impossible.
    case damaged
  }

  package let reason: Reason
  /// Where the unreadable record begins.
  package let offset: UInt64

  package var isPipe: Bool {
    if case .refused(let refusal) = reason, case .special = refusal.reason { true } else { false }
  }

  /// As it follows the file's name.
  package var sentence: String {
    switch reason {
    case .refused(let refusal): refusal.sentence
    case .unknownFormat: "is no capture: it must be btsnoop, pcap or pcapng"
    case .otherLink(let link):
      "holds packets of another kind than HCI (link type \(link)); 1001, 1002, 2001 (btsnoop), 187, 201, 254 (pcap) are read"
    case .truncated: "is truncated at byte \(offset)"
    case .damaged: "is damaged at byte \(offset)"
    }
  }
}
