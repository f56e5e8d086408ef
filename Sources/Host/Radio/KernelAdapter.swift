import CBluetooth
import CLinux
package import Core

/// How the configuration names one of the kernel's adapters.
package enum KernelAdapter: Equatable, Sendable {
  /// In the order in which the kernel found them: after a restart the same number may be another adapter.
  case number(UInt16)
  /// Its public address, which no restart changes.
  case address(Address)

  /// nil: it is not there, or has none that is its own.
  package var address: Address? {
    switch self {
    case .number(let number): Self.address(of: number)
    case .address(let address): address
    }
  }

  package struct Found {
    package let number: UInt16
    /// nil: it has none, or not yet.
    package let address: Address?
  }

  /// nil: it is not there, or has none that is its own.
  package static func address(of number: UInt16) -> Address? { all.first { $0.number == number }?.address }

  /// Those of this machine, by number.
  package static var all: [Found] {
    let socket = bluetooth_socket()
    guard socket >= 0 else { return [] }
    defer { close(socket) }
    var found: [Found] = []
    for number in 0..<16 as Range<UInt16> {
      let word = bluetooth_address(socket, number)
      guard word >= 0 else { continue }
      let address = Address(UInt64(word), type: 0)
      found.append(Found(number: number, address: address.isDistinctive ? address : nil))
    }
    return found
  }
}
