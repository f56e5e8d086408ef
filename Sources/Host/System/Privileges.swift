import CLinux

/// Capabilities of a thread, beyond its user's rights. Each thread drops its own; those that parse what strangers send need none.
package struct Privileges: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// To use an adapter exclusively, and to switch adapters on and off.
  package static let administerNetwork = Privileges(rawValue: 1 << 12)
  /// To share an adapter.
  package static let rawNetwork = Privileges(rawValue: 1 << 13)

  /// The calling thread keeps only these, for good; threads that it starts inherit them. Root keeps everything. False: the system refused.
  package static func keepOnly(_ kept: Privileges) -> Bool { geteuid() == 0 || linux_keep_capabilities(kept.rawValue) == 0 }
}

extension Adapter {
  /// What opening it needs, also later, when it must be opened again.
  package var privileges: Privileges {
    switch self {
    case .hci(_, .user): .administerNetwork
    case .hci(_, .raw): [.administerNetwork, .rawNetwork]
    case .h4, .tcp, .unix, .capture, .simulate: []
    }
  }
}
