/// What `config.toml` says that only the rim needs to know. Like Core's `Settings`: the defaults stand here and nowhere else.
package struct HostSettings {
  /// One for each of `Settings.radios`, in the same order.
  package var adapters: [Adapter] = []
  package var broker = BrokerSettings()
  package var outbox = OutboxSettings()
  package var log = LogSettings()
  /// For Prometheus's textfile collector; nil: none is written.
  package var metricsFile: String?
  /// Where this gateway's own 32-bit id is kept; made at first run.
  package var idFile = "/var/lib/forecourt/id"
  package var saltFile = "/var/lib/forecourt/salt"
  /// Of `site_key_file`: the first proves what we say, both prove what we hear.
  package var siteKeys = SiteKeys()
  /// The bytes of `signing_key_file`.
  package var signingKey: [UInt8]?

  package init() {}
}

package struct BrokerSettings {
  package enum Version { case v311, v5 }

  package struct TLS {
    /// A file of certificates, or a folder of them as `openssl rehash` makes it.
    package var authority: String
    package var certificate: String?
    package var key: String?
    /// The server's name is not checked.
    package var isInsecure = false

    package init(authority: String) { self.authority = authority }
  }

  package static let securePort = 8_883

  package var host = "localhost"
  /// With TLS the default is `securePort`.
  package var port = 1_883
  package var version = Version.v5
  package var username: String?
  /// The bytes of `password_file` without the line's end.
  package var password: [UInt8]?
  package var keepaliveSeconds = 30
  package var tls: TLS?
}

package struct OutboxSettings {
  package var path = "/var/lib/forecourt/outbox.db"
  package var maxEvents = 100_000
  /// Thirty days.
  package var maxAgeSeconds = 2_592_000
}

package struct LogSettings {
  package enum Level: Int { case error, warning, info, debug }
  package enum Format { case text, json }

  package var level = Level.info
  package var format = Format.text
}
