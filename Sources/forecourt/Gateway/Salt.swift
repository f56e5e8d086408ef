import Core
import Host

extension Invocation {
  /// The 32 bits by which this gateway is known to those that ask it; only made where somebody may.
  func ownID(_ peer: PeerSettings, in host: HostSettings) throws(Exit) -> UInt32 {
    guard peer.serve else { return 0 }
    do throws(FileRefusal) {
      return try SecretFile.bytes(4, keptIn: host.idFile).reduce(0) { $0 << 8 | UInt32($1) }
    } catch {
      say("forecourt: id_file \(host.idFile) \(error.sentence)")
      throw .configuration
    }
  }

  /// What the daily names of strangers are made with; only asked for when they are wanted.
  func salt(_ unknown: PublishSettings.Unknown, in host: HostSettings) throws(Exit) -> Block {
    var salt = Block(repeating: 0)
    guard unknown == .hash else { return salt }
    do throws(FileRefusal) {
      let bytes = try SecretFile.bytes(16, keptIn: host.saltFile)
      for index in 0..<16 { salt[index] = bytes[index] }
    } catch {
      // Not its name: somebody may have put the salt itself there.
      say("forecourt: the file that privacy.salt_file names \(error.sentence)")
      throw .configuration
    }
    return salt
  }
}
