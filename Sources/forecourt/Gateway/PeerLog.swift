import Core
import Host

// What `run` logs of connections to phones and of its own transmissions.

extension PeerNews {
  /// The log's sentence; nil for what the log leaves out.
  func words(_ radio: Name, _ settings: borrowing Settings) -> (level: LogSettings.Level, sentence: String)? {
    let place = "radio \(String(radio)): "
    switch self {
    case .identified(let peer): return (.debug, place + "\(peer.address.written) is \(peer.written)")
    case .stranger(let address): return (.debug, place + "\(address.written) has no installation id")
    case .failed(let address, let failure):
      return (.debug, place + "\(address.written): " + String(Text<64>(failure.sentence)))
    case .sends(let index, let power):
      let transmission = settings.transmission(index)
      let chosen = power.map { " at \($0) dBm" } ?? ""
      guard let asked = transmission.asked, asked != power else { return (.info, place + "sends \(transmission.name)\(chosen)") }
      return (.warning, place + "sends \(transmission.name)\(chosen); tx_power_dbm = \(asked) was asked for")
    case .withheld(let index, let status, let isPower):
      let transmission = settings.transmission(index)
      let what = isPower ? "tx_power_dbm = \(transmission.asked ?? 0) cannot be set here" : "the controller refuses it"
      return (.error, place + "does not send \(transmission.name): \(what) (status \(status))")
    case .offers, .level: return nil
    }
  }
}

extension Settings {
  /// What a transmission is called in the log, and the power it asks for.
  fileprivate func transmission(_ index: UInt8) -> (name: String, asked: Int8?) {
    guard Int(index) < transmissions.count else { return ("its own services", nil) }
    let name = String(Text<16>(transmissions[Int(index)].kind.name))
    return ("\(name) (transmit \(index + 1))", transmissions[Int(index)].txPower)
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
