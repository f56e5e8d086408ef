/// A command's number. Core 6.0, Vol 4, Part E, 7.3, 7.4, 7.8.
package struct Opcode: Equatable, BitwiseCopyable, Sendable {
  package let value: UInt16

  package init(_ value: UInt16) { self.value = value }

  package static let reset = Opcode(0x0C03)
  package static let setEventMask = Opcode(0x0C01)
  package static let readVersion = Opcode(0x1001)
  package static let readCommands = Opcode(0x1002)
  package static let readSharedBufferSize = Opcode(0x1005)
  package static let readAddress = Opcode(0x1009)
  package static let setLowEnergyEventMask = Opcode(0x2001)
  package static let readBufferSize = Opcode(0x2002)
  package static let readFeatures = Opcode(0x2003)
  package static let setRandomAddress = Opcode(0x2005)
  package static let setScanParameters = Opcode(0x200B)
  package static let enableScan = Opcode(0x200C)
  package static let setExtendedScanParameters = Opcode(0x2041)
  package static let enableExtendedScan = Opcode(0x2042)
  package static let connect = Opcode(0x200D)
  package static let connectExtended = Opcode(0x2043)
  package static let connectExtended2 = Opcode(0x2085)

  /// The controller may have to stop scanning for this one.
  var connects: Bool { self == .connect || self == .connectExtended || self == .connectExtended2 }

  /// Reserved for the radio itself: from another part they would make it deaf unnoticed.
  var isOurs: Bool {
    self == .reset || self == .setScanParameters || self == .enableScan || self == .setExtendedScanParameters || self == .enableExtendedScan
  }
}

/// A command. The longest, an extended advertisement's data, has 35 bytes of parameters.
package struct RadioCommand: BitwiseCopyable, Sendable {
  package let opcode: Opcode
  private var parameters = Text<40>()

  package init(_ opcode: Opcode) { self.opcode = opcode }

  /// Its bytes on the line. Core 6.0, Vol 4, Part E, 5.4.1, with the H4 type in front.
  package var packet: Text<44> {
    var packet = Text<44>()
    packet.append(byte: PacketType.command.rawValue)
    packet.append(byte: UInt8(truncatingIfNeeded: opcode.value))
    packet.append(byte: UInt8(truncatingIfNeeded: opcode.value >> 8))
    packet.append(byte: UInt8(parameters.count))
    packet.append(parameters)
    return packet
  }

  package mutating func append(_ byte: UInt8) { parameters.append(byte: byte) }

  /// The lowest `count` bytes, lowest first.
  package mutating func append(_ number: UInt64, bytes count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }
}
