import Testing

private let daemon = Repository.here.files.first { $0.path == "Sources/forecourt/Gateway/Daemon.swift" }!

@Suite("A reload reaches every part")
struct ReloadTests {
  /// What the daemon keeps that holds no setting, or none that a reload may change. A property joins it in the commit that says why.
  private static let untouched: Set<String> = [
    "radios",  // fixed at start, as FixedAtStart.swift says
    "commands",  // what is under way ends as it was started
    "diskThread", "reloading", "notify", "watchdog", "recentTroubles", "holdUntil", "end", "isOver",  // no settings
  ]

  @Test("each property of the daemon gets the new configuration, or is named here with the reason why not") func parts() throws {
    let code = daemon.swift.code
    let start = try #require(code.firstIndex { $0.hasPrefix("  init(") })
    let stored = Set(code[..<start].compactMap { try? Self.property.firstMatch(in: $0)?.1 }.map(String.init))
    let function = try #require(daemon.swift.functions.first { code[$0.lowerBound].contains("func reloadParts(") })
    let reloaded = Set(code[function].compactMap { try? Self.handing.firstMatch(in: $0)?.1 }.map(String.init))
    #expect(stored.count > 15 && reloaded.count > 5, "the search finds properties")
    #expect(stored.subtracting(reloaded).subtracting(Self.untouched) == [], "a reload does not reach it")
    #expect(reloaded.subtracting(stored) == [] && Self.untouched.subtracting(stored) == [], "no such property")
    #expect(reloaded.isDisjoint(with: Self.untouched), "named as untouched, and reloaded")
  }

  private static var property: Regex<(Substring, Substring)> { #/^  (?:private(?:\(set\))? )?(?:let|var) ([a-zA-Z]+)(?: = |: [^{]*$)/# }
  private static var handing: Regex<(Substring, Substring)> {
    #/^    ([a-zA-Z]+)(?: = configuration\.|\.reload\((?:configuration|gateway\.devices, gateway\.settings))/#
  }
}
