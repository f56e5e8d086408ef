// The messages of triggers. An event carries the evidence for its decision (README.md, Topics).

extension Triggers {
  /// The one place where a trigger fires: a visit starts, and the event and the trigger's new state are published.
  mutating func fire(
    _ place: Int32, _ evidence: TriggerEvidence, isManual: Bool = false, at now: Instant, _ devices: borrowing Devices,
    _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    let before = encounters[place]
    // The visit before may have begun under another address.
    if encounters[successionOf: place].servedAs != nil { encounters[successionOf: place].servedAs = nil }
    encounters[place].startVisit(at: now, settings.triggers[Int(before.trigger)], isVouched: isManual)
    // A manual fire rests on the driver's word: it claims no dwell.
    publish(isManual ? .manual : .fire, isManual ? encounters[place] : before, evidence, at: now, devices, settings, &publisher)
    publishChange(from: before, at: place, now, devices, settings, &publisher)
  }

  @inline(never) @_optimize(size)
  func publish(
    _ event: Encounter.Event, _ encounter: Encounter, _ evidence: TriggerEvidence, at now: Instant, _ devices: borrowing Devices,
    _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    // Without permission to monitor, only what a command asked for is published, and each visit's end: the run before may have had it.
    guard settings.gateway.authorization == .always || event == .manual || event.visit == .ends else { return }
    let trigger = settings.triggers[Int(encounter.trigger)]
    let slot = Int(encounter.device)
    guard event.visit != .none || publisher.mayPublish(of: devices[slot].identity, at: .trigger(Int(encounter.trigger)), now) else {
      return
    }
    publisher.compose(.event, publisher.topics.trigger(trigger.name), at: now)
    publisher.markUrgent()
    let name = name(event, slot, encounter, devices)
    publisher.mark(event.visit, otherName: event.visit == .none ? nil : devices.otherName(of: slot, knownAs: name, settings))
    publisher.json.member("event", event.name)
    publisher.json.member("trigger", text: trigger.name.bytes)
    publisher.json.members(of: name, settings)
    publisher.identifyEvent()
    publisher.expire(at: now + trigger.expires)
    publisher.json.object("evidence")
    publisher.composeEvidence(encounter, evidence, devices[slot], at: now, settings)
    if evidence.pattern != nil { composeLikelihood(encounter, devices[slot].encounters, settings, &publisher) }
    if let reason = event.reason { publisher.json.member("reason", reason) }
    publisher.json.closeObject()
    publisher.publish()
  }

  /// Where it stands likeliest, as shares of one: here, at another receiver, or at none.
  private func composeLikelihood(_ encounter: Encounter, _ head: Int32, _ settings: borrowing Settings, _ publisher: inout Publisher) {
    let place = encounters.find(trigger: Int(encounter.trigger), from: head)
    guard place >= 0, let likelihood = likelihood(of: place, settings) else { return }
    publisher.json.object("likelihood")
    publisher.json.members(of: likelihood)
    publisher.json.closeObject()
    publisher.json.member("receivers", Int64(likelihood.receivers))
  }

  /// A visit ends under the identity with which it began, whatever the device is called by then.
  private func name(_ event: Encounter.Event, _ slot: Int, _ encounter: Encounter, _ devices: borrowing Devices) -> Identity {
    guard case .leave = event else { return devices[slot].identity }
    let place = encounters.find(trigger: Int(encounter.trigger), from: devices[slot].encounters)
    return place < 0 ? devices[slot].identity : encounters[successionOf: place].servedAs ?? devices[slot].identity
  }
}

extension Encounter {
  package enum Event: BitwiseCopyable, Equatable {
    case arm, fire
    /// The driver typed the pump's number.
    case manual
    case undecided(Doubt)
    case leave(Departure)
    case anomaly(Anomaly)
  }

  /// Why a device that stands here does not fire.
  package enum Doubt: UInt8, BitwiseCopyable {
    case rival, silentNeighbour, unknownPower, unclearPlace, noBroker, presentAtStart, notAway, taken, fewAdverts
  }

  package enum Departure: UInt8, BitwiseCopyable {
    case away, elsewhere, lost, reload, evicted, authorization
  }

  /// What cannot be if every advert is honest.
  package enum Anomaly: UInt8, BitwiseCopyable {
    case twoPlacesAtOnce
    /// Its advert claims a power that no transmitter has.
    case implausiblePower
  }
}

extension Encounter.Event {
  var visit: Message.VisitEdge {
    switch self {
    case .fire, .manual: .begins
    case .leave: .ends
    case .arm, .undecided, .anomaly: .none
    }
  }

  var name: StaticString {
    switch self {
    case .arm: "arm"
    case .fire: "fire"
    case .undecided: "undecided"
    case .leave: "leave"
    case .manual: "manual"
    case .anomaly: "anomaly"
    }
  }

  var reason: StaticString? {
    switch self {
    case .arm, .fire, .manual: nil
    case .undecided(.rival): "rival"
    case .undecided(.silentNeighbour): "silent neighbour"
    case .undecided(.taken): "served elsewhere"
    case .undecided(.unknownPower): "unknown power"
    case .undecided(.unclearPlace): "unclear place"
    case .undecided(.noBroker): "no broker"
    case .undecided(.presentAtStart): "present at start"
    case .undecided(.notAway): "not been away"
    case .undecided(.fewAdverts): "few adverts"
    case .anomaly(.twoPlacesAtOnce): "two places at once"
    case .anomaly(.implausiblePower): "implausible power"
    case .leave(.away): "away"
    case .leave(.elsewhere): "elsewhere"
    case .leave(.lost): "lost"
    case .leave(.reload): "reload"
    case .leave(.evicted): "evicted"
    case .leave(.authorization): "authorization"
    }
  }
}

extension Publisher {
  /// The basis of the decision: the quick average, not the published one.
  fileprivate mutating func composeEvidence(
    _ encounter: Encounter, _ evidence: TriggerEvidence, _ device: Device, at now: Instant, _ settings: borrowing Settings
  ) {
    let path = PathLoss(settings.calibration)
    let loss = device.power.credited(settings.calibration.measuredPower) - encounter.approach.level
    let reach = Decibels(evidence.reach)
    json.member("average", encounter.approach.level.value, places: 1)
    json.member("distance_m", path.distance(atLoss: loss).value, places: 2)
    json.member("low_m", path.distance(atLoss: loss - reach).value, places: 2)
    json.member("high_m", path.distance(atLoss: loss + reach).value, places: 2)
    json.member("samples", Int64(encounter.approach.samples))
    json.member("window_s", Approach.windowSeconds, places: 1)
    json.member("rate_hz", encounter.approach.rate, places: 1)
    json.member("dwell_s", Float(encounter.dwell(at: now).seconds), places: 1)
    guard let margin = evidence.margin else { return }
    json.member("margin_db", margin, places: 1)
    json.member("runner_up", encounter.approach.level.value - margin, places: 1)
  }

  mutating func composePoint(_ settings: borrowing Settings, radio: Int) {
    guard radio < settings.radios.count, let point = settings.radios[radio].point else { return }
    json.member("x_m", point.x, places: 1)
    json.member("y_m", point.y, places: 1)
  }

  /// Claims lie beside the gateways' topics, so that neighbours need one subscription. An answer without an encounter names no trigger.
  mutating func composeClaim(
    _ trigger: Name, _ group: Name, _ identity: Identity, _ settings: borrowing Settings, at now: Instant
  ) {
    composeSiteMessage(topics.claim(group: group, identity, gateway: settings.gateway.name), at: now)
    markUrgent()
    json.member("gateway", text: settings.gateway.name.bytes)
    json.member("trigger", text: (trigger.isEmpty ? group : trigger).bytes)
    json.member("group", text: group.bytes)
    json.member("id", identity)
    if identity.kind == .eid, let time = clock.unixTime(at: now) { json.member("unix_s", time) }
    let boot = boot
    json.member("boot", text: boot.bytes)
  }
}
