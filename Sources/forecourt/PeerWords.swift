import Core
import Host

extension PeerNews {
  /// What the log says of it.
  func words(_ radio: Name, _ settings: borrowing Settings) -> (level: LogSettings.Level, sentence: String)? {
    let place = "radio \(String(radio)): "
    switch self {
    case .identified(let peer): return (.debug, place + "\(peer.address.written) is \(peer.written)")
    case .stranger(let address): return (.debug, place + "\(address.written) has no installation id")
    case .failed(let address, let failure):
      return (.debug, place + "\(address.written): " + String(Text<64>(failure.sentence)))
    case .offers, .level, .sends, .withheld: return nil
    }
  }
}

extension KnownPeer {
  /// `peer:BC00BD17`
  var written: String {
    var text = Text<128>()
    text.append(Identity(installation: id))
    return String(text)
  }
}

extension Address {
  var written: String {
    var text = Text<20>()
    text.append(self)
    return String(text)
  }
}

extension ServiceUUID {
  var written: String {
    var text = Text<36>()
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append("-") }
      text.append(hex: byte(index))
    }
    return String(text)
  }
}
