package import Core

/// What `config.toml` says that Core need not know. As with Core's `Settings`, the defaults stand only here.
package struct HostSettings {
  /// One for each of `Settings.radios`, in the same order.
  package var adapters: [Adapter] = []
  package var broker = BrokerSettings()
  package var outbox = OutboxSettings()
  package var log = LogSettings()
  /// For Prometheus's textfile collector; nil: no file.
  package var metricsFile: String?
  /// Keeps this gateway's own 32-bit id, made at the first run.
  package var idFile = "/var/lib/forecourt/id"
  package var saltFile = "/var/lib/forecourt/salt"
  /// From `site_key_file`: the first authenticates what we send, both what we receive.
  package var siteKeys = SiteProof()
  /// The bytes of `signing_key_file`.
  package var signingKey: [UInt8]?
  /// For `check`: the keys of what only the service has.
  package var unreadCredentials: [String] = []

  package init() {}

  /// Each gateway has an id of its own, also where several outboxes lie in one folder.
  package var standardIDFile: String { SideFiles.path("id", beside: String(outbox.path)) }

  /// Whether the broker cannot be asked as the service would.
  var lacksLogin: Bool { unreadCredentials.contains { !same($0, "signing_key_file") && !same($0, "key_file") } }
}

/// `[mqtt]`: the broker, and how to log in there.
package struct BrokerSettings: BitwiseCopyable, Sendable {
  /// As libmosquitto numbers them.
  package enum Version: CInt, BitwiseCopyable, Sendable { case v311 = 4, v5 }

  package static let securePort: UInt16 = 8_883

  package var host = Text<253>("localhost")
  /// With TLS the default is `securePort`.
  package var port: UInt16 = 1_883
  package var version = Version.v5
  package var username = Text<64>()
  /// `password_file` without the end of its line.
  package var password = Text<255>()
  package var keepalive = Interval.seconds(30)
  /// A file of certificates, or a folder of them as `openssl rehash` makes it. Empty: no TLS.
  package var authorities = Path()
  package var certificate = Path()
  package var key = Path()
  /// Nobody compares the broker's name with its certificate's.
  package var isInsecure = false

  package init() {}

  package var usesTLS: Bool { !authorities.isEmpty }
}

extension BrokerSettings: Equatable {
  package static func == (a: Self, b: Self) -> Bool {
    a.host == b.host && a.port == b.port && a.version == b.version && a.username == b.username && a.password == b.password
      && a.keepalive == b.keepalive && a.authorities == b.authorities && a.certificate == b.certificate && a.key == b.key
      && a.isInsecure == b.isInsecure
  }
}

/// `[outbox]`
package struct OutboxSettings: BitwiseCopyable, Sendable {
  package var path = Path("/var/lib/forecourt/outbox.db")
  package var maxEvents = 100_000
  package var maxAge = Interval.hours(24 * 30)
  /// The longest `refractory_s` and `group_refractory_s`: so far back the fires of the run before matter.
  package var longestRest = Interval.zero

  package init() {}
}

package struct LogSettings {
  package enum Level: Int { case error, warning, info, debug }
  package enum Format { case text, json }

  package var level = Level.info
  package var format = Format.text
}
