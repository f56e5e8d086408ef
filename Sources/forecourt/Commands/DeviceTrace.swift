import Core
import Host

/// One sample of one device, and what the average took it for.
struct Sample {
  let at: Instant
  let radio: Int
  let level: Int8
  let verdict: Average.Verdict
}

/// Follows one device through a rehearsal, by comparing what is known of it before and after each packet: the machine itself
/// tells nobody, and is none the slower.
struct DeviceTrace {
  let identity: Identity
  private var before: [Average]
  private var slot: Int?

  init(_ identity: Identity, radios: Int) {
    self.identity = identity
    before = (0..<radios).map { _ in Average() }
  }

  /// The slot of the device, once it has been heard.
  func slot(in gateway: borrowing Gateway) -> Int? { gateway.devices.find(identity) }

  /// nil when the packet was not the device's. Of several reports in one packet the last speaks.
  mutating func receive(_ packet: borrowing Packet, radio: Int, in rehearsal: inout OfflineGateway) -> Sample? {
    note(rehearsal.gateway)
    rehearsal.receive(packet, radio: radio)
    guard let slot = slot(in: rehearsal.gateway), rehearsal.gateway.devices[slot].heard == packet.at else { return nil }
    let level = rehearsal.gateway.devices[slot].level
    var average = before[radio]
    let verdict = average.observe(level, at: packet.at, rehearsal.gateway.settings.average)
    let after = rehearsal.gateway.devices[slot, radio]
    let isTheSame =
      after.samples == before[radio].samples && after.level == before[radio].level && after.interval == before[radio].interval
    return isTheSame ? nil : Sample(at: packet.at, radio: radio, level: level, verdict: verdict)
  }

  private mutating func note(_ gateway: borrowing Gateway) {
    let slot = slot(in: gateway)
    for radio in before.indices { before[radio] = slot.map { gateway.devices[$0, radio] } ?? Average() }
  }
}

extension Invocation {
  /// An identity, as subscribers see it.
  func identity(_ word: String) throws(Exit) -> Identity {
    let text = Text<128>(word)
    do throws(Unreadable) {
      guard !text.overflowed else { throw .ending }
      return try Identity(written: text.bytes)
    } catch {
      throw refused("\"\(word)\" is no identity: ibeacon:UUID:MAJOR:MINOR, irk:ALIAS, address:AA:BB:CC:DD:EE:FF and so on")
    }
  }

  func captures() throws(Exit) -> Captures {
    let names = values("capture")
    guard !names.isEmpty else { throw refused("--capture is missing") }
    return Captures(opening: names)
  }

  /// The oldest packet that is left, unless nobody reads on; the bar shows how much that is of all.
  func next(of captures: Captures, into packet: inout Packet) -> Int? {
    guard !out.isClosed, let capture = captures.next(into: &packet) else {
      out.bar.clear()
      return nil
    }
    out.bar.show(captures.part)
    return capture
  }

  /// What could not be read of them, and the end.
  func close(_ captures: Captures) throws(Exit) {
    for fault in captures.faults { say("forecourt: \(fault.name) \(fault.reason.sentence)") }
    if !captures.faults.isEmpty { throw .unreadable }
  }

  /// Nobody of that name was heard: who was.
  func unheard(_ identity: Identity, in gateway: borrowing Gateway) -> Exit {
    var heard: [(name: String, samples: Int)] = []
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) {
      var samples = 0
      for radio in 0..<gateway.devices.radios { samples += gateway.devices[slot, radio].samples }
      heard.append((gateway.devices[slot].identity.shown, samples))
    }
    guard !heard.isEmpty else {
      say("forecourt: nobody is heard at all")
      return .failed
    }
    heard.sort { $0.samples > $1.samples }
    say("forecourt: \(identity.shown) is not heard. Who is, most often first:")
    for device in heard.prefix(10) { say("  " + device.name) }
    if heard.count > 10 { say("  and \(heard.count - 10) more: forecourt replay --decoded tells all") }
    return .failed
  }
}

extension Option {
  static func captures(_ help: String) -> Option { Option("capture", .text("FILE"), repeatable: true, help) }
}
