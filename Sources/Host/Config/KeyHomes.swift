import Core

// TOML gives a key to the header above it, so a key below the wrong one is a common mistake.

/// A header, and the keys that may stand below it.
struct KeyHome {
  let header: String
  let keys: [String]

  static let headers = [
    "[gateway]", "[[radio]]", "[[key.irk]]", "[[key.eid]]", "[peer]", "[calibration]", "[[calibration.device]]", "[average]", "[zones]",
    "[ranging]", "[[device]]", "[[region]]", "[[trigger]]", "[[transmit]]", "[site]", "[mqtt]", "[publish]", "[outbox]", "[command]",
    "[home_assistant]", "[privacy]", "[security]", "[log]",
  ]

  /// Each table of a configuration is read without a key, and tells which it knows.
  static func all() -> [KeyHome] {
    headers.map { header in
      let reading = Findings(ConfigurationText(name: "", text: Array(header.utf8)))
      if let node = Document.read(reading).root {
        var root = Section(node, "", reading)
        var configuration = Configuration()
        configuration.read(&root)
      }
      return KeyHome(header: header, keys: reading.keysOfFirst)
    }
  }
}

extension Findings {
  /// Below what `key` may stand, if that is not almost everywhere.
  func home(of key: String) -> String? {
    if !isConfiguration { return nil }
    if homes.isEmpty { homes = KeyHome.all() }
    let headers = homes.filter { $0.keys.contains { same($0, key) } }.map { $0.header }
    return 1...3 ~= headers.count ? listed(headers, with: "or") : nil
  }
}
