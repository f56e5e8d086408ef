package import Core

/// All settings that the courier needs.
package struct CourierSettings: BitwiseCopyable, Sendable {
  package var broker = BrokerSettings()
  package var outbox = OutboxSettings()
  package var prefix = Name("forecourt")
  package var site = Name("site")
  package var name = Name("gateway")
  package var simulated = false
  /// `[command] enabled`
  package var commands = false
  /// Whether to exchange claims and hellos: a trigger has a group, or the roster names other gateways, which wait for our hellos.
  package var claims = false
  /// Whether to receive the installation ids that neighbours read.
  package var peers = false
  /// The content of `[security] signing_key_file`; empty: events are not signed.
  package var signingKey = Text<512>()
  /// Which gateways may speak for the site; empty: any.
  package var roster = Bounded<64, Name>(filledWith: Name())
  /// Authenticates messages between the site's gateways; empty: they are not authenticated.
  package var siteKeys = SiteProof()
  /// How often all states are published again: somebody may have replaced what is retained.
  package var refresh = Interval.seconds(600)
  /// Identifies this run, as in event ids.
  package var boot = Text<16>()

  /// The reason that the will gives: the broker says so, not the gateway.
  static let lost: StaticString = "connection lost"

  package init() {}

  /// From the configuration, for the run `boot`.
  package init(_ core: borrowing Settings, _ host: HostSettings, boot: Text<16>) {
    broker = host.broker
    outbox = host.outbox
    prefix = core.publish.prefix
    site = core.gateway.site
    name = core.gateway.name
    simulated = core.gateway.simulated
    // Whoever comes later finds nothing retained.
    if simulated { refresh = .seconds(5) }
    commands = core.publish.commands
    peers = core.peer.identify
    claims = core.site.roster.count > 1
    for index in core.triggers.indices {
      let trigger = core.triggers[index]
      if !trigger.group.isEmpty { claims = true }
      outbox.longestRest = max(outbox.longestRest, trigger.refractory, trigger.groupRefractory)
    }
    for index in core.site.roster.indices { _ = roster.append(core.site.roster[index].name) }
    siteKeys = host.siteKeys
    if let key = host.signingKey { for byte in key { signingKey.append(byte: byte) } }
    self.boot = boot
  }

  package var topics: Topics { Topics(prefix: prefix, site: site, gateway: name) }

  /// A rehearsal leaves nothing with the broker: it would replace the states of the real gateway of its name, and outlast the rehearsal.
  var retains: Bool { !simulated }
}

package enum Severity: UInt8, BitwiseCopyable, Sendable { case info, warning, error }

/// Logs a sentence. Called on the courier's thread.
package typealias CourierLog = @Sendable (Severity, Sentence) -> Void
