import Core
import Host

/// Collects from one run of captures under one configuration what the report page shows: samples, events and thresholds.
struct ReportRun {
  struct LevelPoint {
    let at: Double
    /// With the radio's offset taken out.
    let level: Float
    let radio: UInt8
    let average: Float
    let low: Float
    let high: Float
    let deciding: DecidingAverage
  }

  struct Line {
    let level: Float
    /// Of the first trigger that means it.
    let title: String
    var triggers = 1
  }

  struct DeviceCurve {
    let identity: Identity
    /// What the configuration calls it.
    let name: String
    let isMatched: Bool
    var points: [LevelPoint] = []
    /// The levels that its triggers' distances mean.
    var lines: [Line] = []
    var power = ""
    var samples = 0
    var attempts = ReportAttempts()
    /// One for each trigger that has a plan.
    var shares: [ReportShares] = []
    /// 2: it fired; 1: it came near; 0: neither.
    fileprivate(set) var rank = 0
    var last: (at: Instant, samples: Int) = (.never, 0)
  }

  struct Event {
    let at: Double
    let trigger: String
    let name: String
    let reason: String
    /// As JSON writes it.
    let identity: String

    var isFire: Bool { same(name, "fire") || same(name, "manual") }
    /// How its mark looks.
    var kind: String { isFire ? "fire" : same(name, "leave") ? "leave" : "other" }
  }

  let name: String
  /// The configuration's text, without keys.
  let text: String
  private(set) var devices: [DeviceCurve] = []
  private(set) var events: [Event] = []
  private(set) var seconds = 0.0
  private(set) var radios: [String] = []
  private(set) var triggers: [String] = []
  private var known: (count: Int, evictions: UInt64) = (-1, 0)
  /// Each device's row in the gateway's table, parallel to `devices`: found without a search at every packet.
  private var places: [DeviceReference] = []
  /// The generation of each slot at the last look: a changed one holds another device.
  private var generations: [UInt32] = []

  /// A day at ten a second; the rest is not drawn.
  private static let mostPoints = 1_000_000

  init(_ name: String, _ text: String, _ settings: borrowing Settings) {
    self.name = name
    self.text = text
    for radio in 0..<max(settings.radios.count, 1) { radios.append(radioName(radio, settings)) }
    for trigger in settings.triggers.indices { triggers.append(String(settings.triggers[trigger].name)) }
  }

  /// After each packet.
  mutating func observe(_ gateway: borrowing Gateway, radio: Int, at moment: Instant) {
    seconds = max(seconds, moment.microsecondsAsSeconds)
    if known != (gateway.devices.count, gateway.devices.evictions) { findNewDevices(in: gateway) }
    for index in places.indices {
      guard let slot = gateway.devices.slot(of: places[index]), gateway.devices[slot].heard == moment else { continue }
      // Of all radios: another device's packet at the same moment changes none.
      var samples = 0
      for radio in 0..<gateway.devices.radios { samples += Int(gateway.devices[slot, radio].samples) }
      guard devices[index].last != (moment, samples) else { continue }
      devices[index].last = (moment, samples)
      devices[index].samples += 1
      guard let estimate = gateway.devices.estimate(of: slot, at: moment, gateway.settings) else { continue }
      devices[index].attempts.observe(slot, radio: radio, at: moment, gateway)
      devices[index].observeShares(slot, gateway)
      guard devices[index].points.count < Self.mostPoints else { continue }
      let reach = 1.645 * estimate.doubt.value
      let level = Float(gateway.devices[slot].level) - gateway.settings.receiveOffset(of: radio).value
      devices[index].points.append(
        LevelPoint(
          at: moment.microsecondsAsSeconds, level: level, radio: UInt8(radio), average: estimate.average.value,
          low: estimate.average.value - reach, high: estimate.average.value + reach,
          deciding: DecidingAverage(slot, radio: radio, at: moment, gateway)))
      if devices[index].samples % 64 == 1 { describe(index, slot, gateway) }
    }
  }

  /// After an arrival or an eviction. A device that returns continues its old curve.
  private mutating func findNewDevices(in gateway: borrowing Gateway) {
    known = (gateway.devices.count, gateway.devices.evictions)
    if generations.isEmpty { generations = [UInt32](repeating: .max, count: gateway.devices.capacity) }
    for slot in generations.indices where gateway.devices.isUsed(slot) && generations[slot] != gateway.devices[slot].generation {
      generations[slot] = gateway.devices[slot].generation
      let identity = gateway.devices[slot].identity
      let place = gateway.devices.reference(to: slot)
      if let index = devices.firstIndex(where: { $0.identity == identity }) {
        places[index] = place
      } else if devices.count < 4_096 {
        let name = String(gateway.settings.deviceName(of: identity))
        devices.append(DeviceCurve(identity: identity, name: name, isMatched: gateway.devices[slot].interest.isMatched))
        places.append(place)
      }
    }
  }

  private mutating func describe(_ index: Int, _ slot: Int, _ gateway: borrowing Gateway) {
    let device = gateway.devices[slot]
    devices[index].power = device.power.words
    devices[index].lines = []
    let path = PathLoss(gateway.settings.calibration)
    // As triggers do: by no more than they believe.
    let power = device.power.credited(gateway.settings.calibration.measuredPower)
    for trigger in gateway.settings.triggers.indices where device.interest.triggers >> UInt64(trigger) & 1 == 1 {
      let settings = gateway.settings.triggers[trigger]
      for (distance, title) in [(settings.fire, "fire"), (settings.leave, "leave"), (settings.arm, "arm")] {
        let level = (power - path.loss(at: distance)).value
        if let same = devices[index].lines.firstIndex(where: { $0.level == level }) {
          devices[index].lines[same].triggers += 1
        } else {
          devices[index].lines.append(Line(level: level, title: joined(title, " ", metres(distance), " m: ", String(settings.name))))
        }
      }
    }
  }

  mutating func record(_ message: borrowing Message) {
    guard let told = TriggerEvent(message) else { return }
    let event = Event(
      at: message.at.microsecondsAsSeconds, trigger: told.trigger, name: told.event, reason: told.reason, identity: told.identity)
    events.append(event)
    guard let index = devices.firstIndex(where: { same(json($0.identity.text), event.identity) }) else { return }
    devices[index].rank = max(devices[index].rank, event.isFire ? 2 : 1)
  }

  /// The devices that the configuration looks for, or all if there are none: first those that fired, then those that came near, then the most
  /// often heard.
  func shown(atMost most: Int) -> [DeviceCurve] {
    let heard = devices.filter { !$0.points.isEmpty }
    let matched = heard.filter { $0.isMatched }
    let all = matched.isEmpty ? heard : matched
    return order(of: all.count) { (all[$0].rank, all[$0].samples) > (all[$1].rank, all[$1].samples) }.prefix(most).map { all[$0] }
  }
}

/// A trigger's event, read from our own JSON.
struct TriggerEvent {
  let trigger: String
  let event: String
  let reason: String
  /// The identity as JSON writes it, with its quotation marks.
  let identity: String

  /// Or a region's, if it is to be of a `region`; its name is the `trigger` then.
  init?(_ message: borrowing Message, of kind: String = "trigger") {
    let topic = String(message.topic)
    guard contains(topic, joined("/", kind, "/")) else { return nil }
    let payload = Array(String(message.payload).utf8)
    guard let event = Self.value(of: "event", in: payload), let identity = Self.value(of: "id", in: payload),
      let trigger = Self.value(of: kind, in: payload)
    else { return nil }
    self.event = event
    self.trigger = trigger
    self.identity = "\"" + identity + "\""
    reason = Self.value(of: "reason", in: payload) ?? ""
  }

  /// Its reason in brackets, if it has one.
  var why: String { reason.utf8.isEmpty ? "" : joined(" (", reason, ")") }

  func isOf(_ name: String) -> Bool { same(json(name), joined("\"", trigger, "\"")) }

  /// A string as it is written, with its escapes.
  private static func value(of key: String, in bytes: [UInt8]) -> String? {
    let mark = Array(joined("\"", key, "\":\"").utf8)
    guard bytes.count > mark.count else { return nil }
    for start in 0..<(bytes.count - mark.count) where bytes[start..<(start + mark.count)].elementsEqual(mark) {
      var end = start + mark.count
      while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
      return String(decoding: bytes[(start + mark.count)..<min(end, bytes.count)], as: UTF8.self)
    }
    return nil
  }
}
