package import Core

/// `[mqtt]` and what else of the config concerns the way to the broker.
package struct CourierSettings: BitwiseCopyable, Sendable {
  package var broker = BrokerSettings()
  package var outbox = OutboxSettings()
  package var prefix = Name("forecourt")
  package var site = Name("site")
  package var name = Name("gateway")
  package var simulated = false
  /// `[command] enabled`
  package var commands = false
  /// Whether neighbours' claims matter: some trigger has a group, or the roster's others wait for our hellos.
  package var claims = false
  /// Whether installation ids that neighbours read matter.
  package var peers = false
  /// The content of `[security] signing_key_file`; empty: events are not signed.
  package var signingKey = Text<512>()
  /// Who else may speak for the site; empty: anybody.
  package var roster = Bounded<64, Name>(filledWith: Name())
  /// What the site's gateways prove their words with; empty: they do not.
  package var siteKeys = SiteKeys()
  /// Tells this run from every other, as event ids do.
  package var boot = Text<16>()

  package init() {}

  /// What the config says, with what this run is called.
  package init(_ core: borrowing Settings, _ host: HostSettings, boot: Text<16>) {
    broker = host.broker
    outbox = host.outbox
    prefix = core.publish.prefix
    site = core.gateway.site
    name = core.gateway.name
    simulated = core.gateway.simulated
    commands = core.publish.commands
    peers = core.peer.identify
    claims = core.site.roster.count > 1
    for index in core.triggers.indices where !core.triggers[index].group.isEmpty { claims = true }
    for index in core.site.roster.indices { _ = roster.append(core.site.roster[index].name) }
    siteKeys = host.siteKeys
    if let key = host.signingKey { for byte in key { signingKey.append(byte: byte) } }
    self.boot = boot
  }

  package var topics: Topics { Topics(prefix: prefix, site: site, gateway: name) }
}

package enum Severity: UInt8, BitwiseCopyable, Sendable { case info, warning, error }

/// Words for people. Called on the courier's thread.
package typealias Say = @Sendable (Severity, Sentence) -> Void
