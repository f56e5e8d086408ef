import Core

extension Examined {
  /// Whether a restart has given adapters that are named by number each other's, or could; nil: there is nothing to say.
  static func numbering(
    _ settings: borrowing Settings, _ adapters: [Adapter], _ entries: [KnownAdapters.Entry], addressOf: (UInt16) -> Address?
  ) -> Examined? {
    guard adapters.count > 1, settings.tellsRadiosApart else { return nil }
    var known = KnownAdapters(settings, adapters, entries)
    var numbered: [Int] = []
    for (index, adapter) in adapters.enumerated() {
      guard case .hci(.number(let number), _) = adapter else { continue }
      known.record(addressOf(number), of: index)
      if known.address(of: index) != nil { numbered.append(index) }
    }
    for index in numbered {
      guard let misplacement = known.misplacement(of: index) else { continue }
      return Examined("numbers", .bad(.unavailable), known.words(misplacement, of: index))
    }
    guard numbered.count > 1 else { return nil }
    let safe = numbered.map { index in
      "\"\(known.address(of: index).map { $0.written } ?? "")\" for radio \(String(settings.radios[index].name))"
    }
    return Examined("numbers", .doubtful, "a restart may swap them: write adapter = " + listed(safe, with: "and"))
  }
}
