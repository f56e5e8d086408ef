import Core
import Host

// Two secrets of a gateway that are made at the first start and kept in files: its id and its salt.

extension Invocation {
  /// The installation id that this gateway serves to phones; made only if it serves any.
  /// `former`: where older versions kept it, wherever the outbox was. A gateway that ran then keeps it.
  func ownID(_ peer: PeerSettings, in host: HostSettings, former: String = HostSettings().idFile) throws(Exit) -> UInt32 {
    guard peer.serve else { return 0 }
    let hasRun = same(host.idFile, host.standardIDFile) && FileSystem.exists(host.outbox.path)
    do throws(FileRefusal) {
      return try SecretFile.bytes(SecretFile.id, keptIn: host.idFile, before: hasRun ? former : nil).reduce(0) { $0 << 8 | UInt32($1) }
    } catch {
      say("forecourt: id_file \(host.idFile) \(error.sentence)")
      throw error.exit
    }
  }

  /// Makes the daily pseudonyms of unknown devices; read only if the configuration wants them.
  func salt(_ unknown: PublishSettings.Unknown, in host: HostSettings) throws(Exit) -> Block {
    var salt = Block(repeating: 0)
    guard unknown == .hash else { return salt }
    do throws(FileRefusal) {
      let bytes = try SecretFile.bytes(SecretFile.salt, keptIn: host.saltFile)
      for index in 0..<16 { salt[index] = bytes[index] }
    } catch {
      // Without the key's value: it may be the salt itself, put there by mistake.
      say("forecourt: the file that privacy.salt_file names \(error.sentence)")
      throw error.exit
    }
    return salt
  }
}

extension FileRefusal {
  /// systemd starts the gateway again unless only an editor helps.
  fileprivate var exit: Exit {
    switch reason {
    case .forbidden: .forbidden
    case .noRoom, .system: .failed
    case .missing, .folder, .special, .tooLarge, .taken, .unfinished: .configuration
    }
  }
}
