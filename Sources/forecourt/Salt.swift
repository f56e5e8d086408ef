import Core
import Host

extension Invocation {
  /// What the daily names of strangers are made with; only asked for when they are wanted.
  func salt(_ unknown: PublishSettings.Unknown, in host: HostSettings) throws(Exit) -> Block {
    var salt = Block(repeating: 0)
    guard unknown == .hash else { return salt }
    do throws(FileRefusal) {
      let bytes = try Keepsake.bytes(16, keptIn: host.saltFile)
      for index in 0..<16 { salt[index] = bytes[index] }
    } catch {
      say("forecourt: salt_file \(host.saltFile) \(error.sentence)")
      throw .configuration
    }
    return salt
  }
}
