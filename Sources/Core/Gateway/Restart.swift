// Every `fire` and `enter` that the run before left open goes on or gets its end. README.md, Topics.

extension Gateway {
  /// A radio stops listening for a moment, for a connection attempt, or goes on.
  package mutating func radio(_ radio: Int, isPaused: Bool, at moment: Instant) { triggers.radio(radio, isPaused: isPaused, at: moment) }

  /// A radio is in trouble or off, or hears again.
  package mutating func radio(_ radio: Int, isDeaf: Bool, at moment: Instant) { triggers.radio(radio, isDeaf: isDeaf, at: moment) }

  /// A visit that the run before left open. The same visit twice counts once.
  @_optimize(size)
  @export(interface) package mutating func restore(_ visit: Unfinished, at moment: Instant) {
    tick(at: moment)
    guard let (kind, name) = visit.place else { return }
    guard let identity = try? Identity(written: visit.id.bytes) else { return end(visit) }
    var entry = Leftovers.Entry()
    (entry.identity, entry.since, entry.vouchedLevel) = (identity, visit.since, visit.vouchedLevel)
    switch kind {
    case .trigger:
      guard let trigger = settings.trigger(named: name), publisher.topics.trigger(name) == visit.topic else { return end(visit) }
      entry.place = UInt8(trigger)
      entry.due = now + Self.patience
      if let slot = devices.find(identity), triggers.continuesVisit(trigger, slot, entry, devices, settings) {
        return triggers.publishState(of: trigger, at: now, devices, settings, &publisher)
      }
      guard triggers.leftovers.add(entry) else { return end(visit) }
      triggers.publishState(of: trigger, at: now, devices, settings, &publisher)
    case .region:
      guard let region = settings.region(named: name), publisher.topics.regionEvent(name) == visit.topic else { return end(visit) }
      entry.place = UInt8(region)
      entry.due = now + max(settings.regions[region].silence(after: nil), Self.patience)
      if let slot = devices.find(identity), regions.visits.find(region: region, from: devices[slot].visits) >= 0 { return }
      // New settings may look for others: then nothing would bring it back.
      guard settings.mayMatch(identity, by: settings.regions[region].match), regions.leftovers.add(entry) else { return end(visit) }
      regions.leftoverChanged(entry, isNew: true, at: now)
    }
  }

  /// A fire of the run before, or from before a reload took its trigger out and another brought it back: it may still rest. Or the end of its
  /// visit, with which the rest begins anew.
  @export(interface) package mutating func recall(_ fire: Unfinished, at moment: Instant) {
    tick(at: moment)
    // The outbox is this board's, whatever it was called then.
    guard case (.trigger, let name)? = fire.place, let identity = try? Identity(written: fire.id.bytes) else { return }
    let isOfRunBefore = fire.isOfOtherStart || fire.since < publisher.clock.started
    if let trigger = settings.trigger(named: name) {
      guard isOfRunBefore || fire.since < triggers.brought[trigger] else { return }
    } else {
      guard isOfRunBefore, !triggers.publishesStates || triggers.isForgetful else { return }
    }
    rest(identity, at: name, since: fire.since)
  }

  /// A trigger that the settings lack may have another name now: then all rest that may look for the device.
  @inline(never) @_optimize(size)
  private mutating func rest(_ identity: Identity, at name: Name, since moment: Instant) {
    let named = settings.trigger(named: name)
    for trigger in settings.triggers.indices {
      guard named.map({ $0 == trigger }) ?? settings.mayMatch(identity, by: settings.triggers[trigger].match) else { continue }
      triggers.recall(RecentFires.Fire(of: identity, at: trigger, moment), devices, settings, at: now)
    }
  }

  /// A radio starts within this time, and then hears a device that stands there several times.
  private static var patience: Interval { .seconds(15) }

  /// The outbox holds nothing more of the run before, or has not said so in time: from now on triggers publish their states, and whoever is
  /// heard at once was here before.
  @export(interface) package mutating func caughtUp(isKnown: Bool = true, at moment: Instant) {
    tick(at: moment)
    triggers.isForgetful = !isKnown
    guard !triggers.publishesStates else { return }
    triggers.publishesStates = true
    triggers.started = now
    if !regions.publishesStates {
      regions.publishesStates = true
      regions.publishAllStates(settings, at: now, publisher: &publisher)
    }
    for trigger in settings.triggers.indices { triggers.publishState(of: trigger, at: now, devices, settings, &publisher) }
  }

  /// For subscribers that have missed how near it is, or that it has gone.
  @export(interface) package mutating func publishProximity(of identity: Identity, at moment: Instant) {
    tick(at: moment)
    proximity.publishAgain(identity, at: now, devices, settings, &publisher)
  }

  /// When `expireLeftovers` has something to do.
  package var leftoversDue: Instant {
    min(min(triggers.leftovers.next, regions.leftovers.next), isBehind ? now + .milliseconds(250) : .never)
  }

  /// States still wait for their pace or for room.
  var isBehind: Bool { triggers.stale | regions.stale != 0 || !uncleared.isEmpty }

  /// Ends the visits whose devices have not come back, and publishes the states that had to wait.
  @_optimize(size)
  @export(interface) package mutating func expireLeftovers(at moment: Instant) {
    guard triggers.leftovers.next <= moment || regions.leftovers.next <= moment || isBehind else { return }
    tick(at: moment)
    postponeLeftovers()
    while let entry = triggers.leftovers.takeExpired(by: now) { endTrigger(entry) }
    while let entry = regions.leftovers.takeExpired(by: now) { endRegion(entry) }
    publishStaleStates()
  }

  /// Nobody knows who has gone before a radio has listened for as long as it takes to hear who is there.
  @inline(never) @_optimize(size)
  private mutating func postponeLeftovers() {
    guard settings.gateway.authorization == .always else { return }
    for index in 0..<triggers.leftovers.count where triggers.leftovers[index].mayEnd(by: now) {
      let trigger = settings.triggers[Int(triggers.leftovers[index].place)]
      if trigger.group.isEmpty, isLate { continue }
      triggers.leftovers.postpone(index, until: triggers.listensSince(trigger.radio, of: settings.radios.count, at: now) + Self.patience)
    }
    for index in 0..<regions.leftovers.count where regions.leftovers[index].mayEnd(by: now) && !isLate {
      let silence = max(settings.regions[Int(regions.leftovers[index].place)].silence(after: nil), Self.patience)
      regions.leftovers.postpone(index, until: triggers.listensSince(nil, of: settings.radios.count, at: now) + silence)
    }
  }

  /// So long after the start a radio that is still deaf ends visits as it does at any time; but no group's, which would be served elsewhere.
  private var isLate: Bool { now - triggers.started >= Limits.longestSilence }

  /// Of what the new settings lack.
  @inline(never) @_optimize(size)
  mutating func clearStates(missingIn next: borrowing Settings) {
    for index in settings.regions.indices where next.region(named: settings.regions[index].name) == nil {
      clear(RetainedState(of: .region, settings.regions[index].name))
    }
    for index in settings.triggers.indices where triggers.publishesStates && next.trigger(named: settings.triggers[index].name) == nil {
      clear(RetainedState(of: .trigger, settings.triggers[index].name))
    }
  }

  mutating func publishStaleStates() {
    clearAgain()
    regions.publishStaleStates(settings, at: now, &publisher)
    triggers.publishStaleStates(at: now, devices, settings, &publisher)
  }

  /// The run before may have had what the settings lack.
  package mutating func clearUnlessConfigured(_ state: RetainedState, at moment: Instant) {
    tick(at: moment)
    if !exists(state) { clear(state) }
  }

  /// What no longer exists must not keep a retained state: without room in the ring it is cleared later.
  private mutating func clear(_ state: RetainedState) {
    if publishClear(state) { return }
    for index in uncleared.indices where uncleared[index] == state { return }
    _ = uncleared.append(state)
  }

  @inline(never) @_optimize(size)
  private mutating func publishClear(_ state: RetainedState) -> Bool {
    switch state.place {
    case .region: publisher.clear(publisher.topics.region(state.name), at: now)
    case .trigger: publisher.clear(publisher.topics.triggerState(state.name), isUrgent: true, at: now)
    }
  }

  private func exists(_ state: RetainedState) -> Bool {
    switch state.place {
    case .region: settings.region(named: state.name) != nil
    case .trigger: settings.trigger(named: state.name) != nil
    }
  }

  /// What is back in the settings has a state again.
  @_optimize(size)
  private mutating func clearAgain() {
    while !uncleared.isEmpty, exists(uncleared[0]) || publishClear(uncleared[0]) { uncleared.remove(at: 0) }
  }

  /// Before regions and triggers are renumbered. What the run before left open elsewhere stays open.
  @inline(never) @_optimize(size)
  mutating func endLeftovers(in next: borrowing Settings, _ triggersStaying: Renumbering) {
    while let entry = triggers.leftovers.take(unless: triggersStaying) { endTrigger(entry, because: "reload") }
    for index in (0..<regions.leftovers.count).reversed() {
      let entry = regions.leftovers[index]
      let staying = settings.renumberedRegions(in: next, matching: next.interest(in: entry.identity).regions)
      guard staying[Int(entry.place)] == nil, let gone = regions.leftovers.take(entry.identity, at: Int(entry.place)) else { continue }
      if !gone.isOver { endRegion(gone, because: "reload") }
    }
  }

  @inline(never) @_optimize(size)
  private mutating func endTrigger(_ entry: Leftovers.Entry, because reason: StaticString = "restart") {
    var visit = Unfinished(topic: publisher.topics.trigger(settings.triggers[Int(entry.place)].name), id: Text(), since: entry.since)
    visit.id.append(entry.identity)
    end(visit, because: reason)
    triggers.publishState(of: Int(entry.place), at: now, devices, settings, &publisher)
  }

  @inline(never) @_optimize(size)
  private mutating func endRegion(_ entry: Leftovers.Entry, because reason: StaticString = "restart") {
    var visit = Unfinished(topic: publisher.topics.regionEvent(settings.regions[Int(entry.place)].name), id: Text(), since: entry.since)
    visit.id.append(entry.identity)
    end(visit, because: reason)
    regions.leftoverChanged(entry, isNew: false, at: now)
  }

  /// The end goes to the topic where the visit began, whatever the configuration says now.
  @inline(never) @_optimize(size)
  private mutating func end(_ visit: Unfinished, because reason: StaticString = "restart") {
    guard let (kind, name) = visit.place else { return }
    publisher.compose(.event, visit.topic, at: now)
    publisher.mark(.ends)
    switch kind {
    case .region:
      publisher.json.member("event", "exit")
      publisher.json.member("reason", reason)
      publisher.json.member("region", text: name.bytes)
      composeDevice(visit.id)
      publisher.identifyEvent()
    case .trigger:
      publisher.markUrgent()
      publisher.json.member("event", "leave")
      publisher.json.member("trigger", text: name.bytes)
      composeDevice(visit.id)
      publisher.identifyEvent()
      publisher.expire(at: now + (settings.trigger(named: name).map { settings.triggers[$0].expires } ?? .seconds(60)))
      publisher.json.object("evidence")
      publisher.json.member("reason", reason)
      publisher.json.closeObject()
    }
    publisher.publish()
    // Nobody else takes back what the run before has said of it.
    if let identity = try? Identity(written: visit.id.bytes) {
      // As after any visit.
      if kind == .trigger { rest(identity, at: name, since: now) }
      if triggers.membership.isConnected {
        proximity.publishAgain(identity, at: now, devices, settings, &publisher)
      } else {
        _ = unsaid.append(identity)
      }
    }
    clearUnlessConfigured(RetainedState(of: kind, name), at: now)
  }

  /// It may have begun under an id that this version does not know any more.
  private mutating func composeDevice(_ id: Text<128>) {
    publisher.json.member("id", text: id.bytes)
    if let identity = try? Identity(written: id.bytes) { publisher.json.member(nameOf: identity, settings) }
  }
}
