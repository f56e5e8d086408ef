import CLinux

/// What a thread may do beyond what its user may. Capabilities belong to threads: each gives away its own, and those that parse what
/// strangers send need none.
package struct Privileges: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// An adapter for ourselves alone, switching adapters on and off.
  package static let administerNetwork = Privileges(rawValue: 1 << 12)
  /// An adapter shared with others.
  package static let rawNetwork = Privileges(rawValue: 1 << 13)

  /// The calling thread keeps these, of those it has, and can never have others; threads that it starts begin with the same.
  /// Whoever runs the gateway as root asked for all there is, and keeps it. False: the system refused.
  package static func keepOnly(_ kept: Privileges) -> Bool { geteuid() == 0 || linux_keep_capabilities(kept.rawValue) == 0 }
}

extension Adapter {
  /// What opening it takes, also when it has to be opened again.
  package var privileges: Privileges {
    switch self {
    case .hci(_, .user): .administerNetwork
    case .hci(_, .raw): [.administerNetwork, .rawNetwork]
    case .h4, .tcp, .unix, .capture, .simulate: []
    }
  }
}
