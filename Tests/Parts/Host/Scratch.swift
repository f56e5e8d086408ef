import Core
import Foundation
import Host

/// A folder of its own for one test, gone with it.
final class Scratch: Sendable {
  let path = NSTemporaryDirectory() + "forecourt-" + UUID().uuidString

  init() { try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> Text<255> { Text(path + "/" + name) }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) {
    _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(bytes), attributes: [.posixPermissions: mode])
  }
}
