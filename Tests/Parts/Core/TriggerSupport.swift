import Foundation

@testable import Core

extension Settings {
  /// A trigger for everybody.
  mutating func addTrigger(_ name: Name, group: Name = Name(), radio: Int8? = nil, _ change: (inout TriggerSettings) -> Void = { _ in }) {
    var trigger = TriggerSettings()
    // The default is ten minutes.
    trigger.refractory = .seconds(30)
    trigger.name = name
    trigger.group = group
    trigger.radio = radio
    trigger.match = Slice(start: UInt16(selectors.count), count: 1)
    change(&trigger)
    precondition(selectors.append(.any) == nil && triggers.append(trigger) == nil)
  }

  /// Everybody's power was measured: -59 dBm at 1 m.
  mutating func calibrateEverybody() {
    var calibration = DeviceCalibration()
    calibration.match = Slice(start: UInt16(selectors.count), count: 1)
    precondition(selectors.append(.any) == nil && self.calibration.devices.append(calibration) == nil)
  }

  /// The gateway "we" with a trigger in the group "pumps", and a roster that names no groups.
  static func grouped(_ roster: [Name] = []) -> Settings {
    var settings = Settings()
    settings.gateway.name = "we"
    settings.addTrigger("pump", group: "pumps")
    for name in roster {
      var entry = SiteSettings.Entry()
      entry.name = name
      entry.groups.isEverything = true
      precondition(settings.site.roster.append(entry) == nil)
    }
    return settings
  }

  mutating func addRadios(_ count: Int) {
    for index in 0..<count {
      var radio = RadioSettings()
      radio.name = Name()
      radio.name.append(byte: UInt8(ascii: "a") + UInt8(index))
      precondition(radios.append(radio) == nil)
    }
  }
}

/// One trigger event as a subscriber reads it.
struct Told: Equatable {
  var event: String
  var trigger: String
  var id: String
  var reason: String?

  init(_ event: String, _ trigger: String = "pump", device: UInt8 = 1, reason: String? = nil) {
    self.event = event
    self.trigger = trigger
    id = "address:c0:00:00:00:00:0\(device)"
    self.reason = reason
  }

  init?(topic: String, payload: String) {
    guard topic.hasPrefix("trigger/"), let json = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any] else {
      return nil
    }
    event = json["event"] as? String ?? ""
    trigger = json["trigger"] as? String ?? ""
    id = json["id"] as? String ?? ""
    reason = (json["evidence"] as? [String: Any])?["reason"] as? String
  }
}

extension Rig {
  func told() -> [Told] { said().compactMap { Told(topic: $0.topic, payload: $0.payload) } }

  /// What the neighbour `other` is told that wants to serve a device in `pumps`; nil: nothing, so it serves nobody.
  mutating func answer(about id: String, at now: Instant) throws -> String? {
    _ = said()
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", "b", UInt32(now.microseconds / 100_000))
    claim.identity = try Identity(written: Array(id.utf8).span.bytes)
    (claim.standing, claim.level) = (.holding, Decibels(-50))
    gateway.receive(claim: claim, at: now)
    return said().first { $0.topic.contains("claim") && $0.payload.contains("state") }?.payload
  }

  /// Adverts ten times a second, the level straight from one to the other.
  mutating func hear(
    _ device: UInt8 = 1, from start: Double, to end: Double, level: Double, becoming last: Double? = nil, radio: Int = 0, hertz: Double = 10
  ) {
    var time = start
    while time < end {
      let part = (time - start) / (end - start)
      hear(device, at: time, level: Int8((level + ((last ?? level) - level) * part).rounded()), radio: radio)
      time += 1 / hertz
    }
  }
}
