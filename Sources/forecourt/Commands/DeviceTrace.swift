import Core
import Host

/// One sample of one device, and what the average made of it.
struct Sample {
  let at: Instant
  let radio: Int
  let level: Int8
  let verdict: Average.Verdict
}

/// Follows one device through an offline gateway, for explain and calibrate: compares its averages before and after each packet, so that
/// the gateway itself needs no trace and is no slower.
struct DeviceTrace {
  let identity: Identity
  private var before: [Average]

  init(_ identity: Identity, radios: Int) {
    self.identity = identity
    before = (0..<radios).map { _ in Average() }
  }

  /// The slot of the device, once it has been heard.
  func slot(in gateway: borrowing Gateway) -> Int? { gateway.devices.find(identity) }

  /// nil when the packet was not the device's. Of several reports in one packet the last counts.
  mutating func receive(_ packet: borrowing Packet, radio: Int, in offline: inout OfflineGateway) -> Sample? {
    recordAverages(of: offline.gateway)
    offline.receive(packet, radio: radio)
    guard let slot = slot(in: offline.gateway), offline.gateway.devices[slot].heard == packet.at else { return nil }
    let level = offline.gateway.devices[slot].level
    var average = before[radio]
    let verdict = average.observe(level, at: packet.at, offline.gateway.settings.average)
    let after = offline.gateway.devices[slot, radio]
    let isTheSame =
      after.samples == before[radio].samples && after.level == before[radio].level && after.interval == before[radio].interval
    return isTheSame ? nil : Sample(at: packet.at, radio: radio, level: level, verdict: verdict)
  }

  private mutating func recordAverages(of gateway: borrowing Gateway) {
    let slot = slot(in: gateway)
    for radio in before.indices { before[radio] = slot.map { gateway.devices[$0, radio] } ?? Average() }
  }
}

extension Invocation {
  /// An identity as subscribers see it, or the name of a `[[device]]`.
  func identity(_ word: String, _ settings: borrowing Settings) throws(Exit) -> Identity {
    let text = Text<128>(word)
    do throws(Unreadable) {
      guard !text.overflowed else { throw .ending }
      return try Identity(written: text.bytes)
    } catch {}
    for index in settings.deviceNames.indices where same(String(settings.deviceNames[index].name), word) {
      let match = settings.deviceNames[index].match
      let selector = settings.selectors[Int(match.start)]
      guard match.count == 1, selector.isWhole else { throw refused("\"\(word)\" may be several devices: give the id of one") }
      return selector.prefix
    }
    throw refused(
      "\"\(word)\" is no identity: ibeacon:UUID:MAJOR:MINOR, irk:ALIAS, address:AA:BB:CC:DD:EE:FF and so on; nor the name of a [[device]]")
  }

  /// The device was not heard: prints those that were.
  func unheard(_ identity: Identity, in gateway: borrowing Gateway) -> Exit {
    var heard: [(name: String, samples: Int)] = []
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) {
      var samples = 0
      for radio in 0..<gateway.devices.radios { samples += gateway.devices[slot, radio].samples }
      heard.append((gateway.devices[slot].identity.shown, samples))
    }
    guard !heard.isEmpty else {
      say("forecourt: no device is heard at all")
      return .failed
    }
    let most = order(of: heard.count) { heard[$0].samples > heard[$1].samples }
    say("forecourt: \(identity.shown) is not heard. These are, most often heard first:")
    for index in most.prefix(10) { say("  " + heard[index].name) }
    if heard.count > 10 { say("  and \(heard.count - 10) more: forecourt replay --decoded shows all") }
    if identity.kind == .peer, has("capture") {
      say("forecourt: a recording has an installation id only if the gateway read it while it recorded")
    }
    return .failed
  }
}
