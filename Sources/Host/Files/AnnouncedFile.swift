package import Core

/// What Home Assistant was told of, and whose states the broker retains, or may retain still.
package enum Announced: Equatable {
  case region(Name)
  case trigger(Name)
  case device(Identity)
  case state(RetainedState)
}

/// Saves it for the next run: one JSON object per line.
package enum AnnouncedFile {
  /// Beside the outbox.
  package static var name: String { "announced.jsonl" }

  /// 64 regions and 64 triggers, each with its state, and 100 devices; and 128 of these that were removed.
  private static let most = 484

  /// What is not readable is skipped: nobody will be told that it has gone.
  package static func read(_ path: String) throws(FileRefusal) -> [Announced] {
    var all: [Announced] = []
    try JSONLines.read(path, atMost: most * 256) { line in
      guard let object = try? JSONObject(line), let one = Self.one(object) else { return }
      if all.count < most, !all.contains(one) { all.append(one) }
    }
    return all
  }

  private static func one(_ object: borrowing JSONObject) -> Announced? {
    if let name: Name = try? object.text("region") { return .region(name) }
    if let name: Name = try? object.text("trigger") { return .trigger(name) }
    if let name: Name = try? object.text("region_state") { return .state(RetainedState(of: .region, name)) }
    if let name: Name = try? object.text("trigger_state") { return .state(RetainedState(of: .trigger, name)) }
    guard let id: Text<128> = try? object.text("id") else { return nil }
    return (try? Identity(written: id.bytes)).map { .device($0) }
  }

  package static func text(_ all: [Announced]) -> [UInt8] {
    var bytes: [UInt8] = []
    for one in all.prefix(most) {
      var line = Text<512>()
      line.openObject()
      switch one {
      case .region(let name): line.member("region", text: name.bytes)
      case .trigger(let name): line.member("trigger", text: name.bytes)
      case .device(let identity):
        var id = Text<128>()
        id.append(identity)
        line.member("id", text: id.bytes)
      case .state(let state): line.member(state.place == .region ? "region_state" : "trigger_state", text: state.name.bytes)
      }
      line.closeObject()
      JSONLines.append(line, to: &bytes)
    }
    return bytes
  }
}
