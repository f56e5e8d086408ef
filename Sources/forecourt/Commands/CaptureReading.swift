import Core
import Host

/// Reads captures for replay, explain and calibrate, packet by packet, with the progress bar.
extension Invocation {
  func captures() throws(Exit) -> Captures {
    let names = values("capture")
    guard !names.isEmpty else { throw refused("--capture is missing") }
    return Captures(opening: names)
  }

  /// Several captures belong to the configuration's radios, in its order; with one radio they are parts of one recording. No radio hears
  /// to the byte what another one hears, nor the same twice.
  func mustSuit(_ captures: [String], _ settings: borrowing Settings) throws(Exit) {
    let radios = max(settings.radios.count, 1)
    guard radios == 1 || captures.count <= radios else { throw refused("there are \(captures.count) captures for \(radios) radios") }
    for index in captures.indices {
      for other in 0..<index where FileSystem.isSame(captures[index], captures[other]) {
        throw refused("\(captures[index]) is given twice, as if it were two recordings")
      }
      guard radios > 1, !captures[index].isNamed(radioName(index, settings)) else { continue }
      for other in 0..<radios where captures[index].isNamed(radioName(other, settings)) {
        let (own, name) = (radioName(index, settings), radioName(other, settings))
        say("forecourt: \(captures[index]) is taken for radio \(own)'s, and has the name of radio \(name)'s")
      }
    }
  }

  /// The run goes on as if the radios without a capture had heard nothing.
  func sayUncaptured(_ captures: [String], _ settings: borrowing Settings) {
    if let words = uncaptured(captures.count, settings) { say("forecourt: " + words) }
  }

  /// The capture of the oldest packet that is left; nil at the end, or when nobody reads our output any more.
  func next(of captures: Captures, into packet: inout Packet) -> Int? {
    guard !out.isClosed, let capture = captures.next(into: &packet) else {
      out.bar.clear()
      return nil
    }
    out.bar.show(captures.part)
    return capture
  }

  /// Throws if a capture could not be read to its end, and says why.
  func close(_ captures: Captures) throws(Exit) {
    while let doubt = captures.takeDoubt() { say("forecourt: \(doubt)") }
    for fault in captures.faults { say("forecourt: \(fault.name) \(fault.reason.sentence)") }
    if !captures.faults.isEmpty { throw .unreadable }
  }
}

/// Which radios have none of so many captures; nil where each has one.
func uncaptured(_ captures: Int, _ settings: borrowing Settings) -> String? {
  var names: [String] = []
  for radio in min(captures, settings.radios.count)..<settings.radios.count { names.append(radioName(radio, settings)) }
  guard !names.isEmpty else { return nil }
  return "there is no capture of radio" + (names.count == 1 ? " " : "s ") + listed(names, with: "and")
}

extension Option {
  static func captures(_ help: String, isNeeded: Bool = false) -> Option {
    Option("capture", .text("FILE"), repeatable: true, needed: isNeeded, help)
  }
}

extension String {
  /// Of several captures, the one of this radio or gateway: `site.btsnoop` becomes `site.pump-1.btsnoop`.
  func naming(_ name: String) -> String {
    let start = utf8.lastIndex(of: UInt8(ascii: "/")) ?? startIndex
    guard let dot = utf8[start...].lastIndex(of: UInt8(ascii: ".")) else { return self + "." + name }
    return String(self[..<dot]) + "." + name + String(self[dot...])
  }

  /// Whether that is its name.
  func isNamed(_ name: String) -> Bool {
    let (bytes, end) = (bytes, ("." + name + ".").bytes)
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot + 1 >= end.count else { return false }
    for index in end.indices where bytes[dot + 1 - end.count + index] != end[index] { return false }
    return true
  }
}
