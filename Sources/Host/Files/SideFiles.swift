import Core

/// The gateway's own files beside its outbox. Gateways whose outboxes lie in one folder share none: only those of an `outbox.db` have plain
/// names, the others' begin with their outbox's.
package enum SideFiles {
  /// Without its neighbours a gateway may fire although it must not, so they come first.
  private static var kept: [String] { [NeighbourFile.name, LearntFile.name, AdapterFile.name, AnnouncedFile.name] }
  /// More than any of them is read.
  private static let mostBytes = 4_194_304

  @inline(never)
  package static func path(_ name: String, beside outbox: String) -> String {
    let own = FileSystem.name(of: outbox)
    return outbox.folder + (same(own, "outbox.db") ? name : own + "." + name)
  }

  static func paths(beside outbox: String) -> [String] { kept.map { path($0, beside: outbox) } }

  /// Older versions gave them plain names beside any outbox. A gateway that ran then, and has none of its own yet, begins with copies: nobody
  /// can tell whose they are, so they stay for the others.
  package static func adopt(beside outbox: Path) throws(FileRefusal) {
    let own = paths(beside: String(outbox))
    guard FileSystem.exists(outbox), !own.contains(where: { FileSystem.exists(Path($0)) }) else { return }
    let plain = kept
    for index in plain.indices {
      let bytes: [UInt8]
      do throws(FileRefusal) {
        bytes = try File(reading: String(outbox).folder + plain[index], atMost: mostBytes).bytes
      } catch {
        guard case .missing = error.reason else { throw error }
        continue
      }
      try NewFile.write(bytes, to: own[index])
    }
  }
}
