// Every `fire` and `enter` that the run before left open goes on or gets its end. README.md, Topics.

extension Gateway {
  /// A radio is in trouble, or hears again.
  package mutating func radio(_ radio: Int, isDeaf: Bool, at moment: Instant) { triggers.radio(radio, isDeaf: isDeaf, at: moment) }

  /// A visit that the run before left open. The same visit twice counts once.
  @export(interface) package mutating func restore(_ visit: Unfinished, at moment: Instant) {
    tick(at: moment)
    guard let (kind, name) = visit.place else { return }
    guard let identity = try? Identity(written: visit.id.bytes) else { return end(visit) }
    var entry = Leftovers.Entry()
    (entry.identity, entry.since) = (identity, visit.since)
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
      guard regions.leftovers.add(entry) else { return end(visit) }
      regions.leftoverChanged(entry, isNew: true, at: now)
    }
  }

  /// A radio starts within this time, and then hears a device that stands there several times.
  private static var patience: Interval { .seconds(15) }

  /// The outbox holds nothing more of the run before, or cannot be read: from now on triggers publish their states, and whoever is heard at
  /// once was here before.
  @export(interface) package mutating func caughtUp(at moment: Instant) {
    tick(at: moment)
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
    let isBehind = triggers.stale != 0 || regions.stale != 0
    return min(min(triggers.leftovers.next, regions.leftovers.next), isBehind ? now + .milliseconds(250) : .never)
  }

  /// Ends the visits whose devices have not come back, and publishes the states that had to wait.
  @export(interface) package mutating func expireLeftovers(at moment: Instant) {
    guard triggers.leftovers.next <= moment || regions.leftovers.next <= moment || triggers.stale != 0 || regions.stale != 0 else { return }
    tick(at: moment)
    while let entry = triggers.leftovers.takeExpired(by: now) { endTrigger(entry) }
    while let entry = regions.leftovers.takeExpired(by: now) { endRegion(entry) }
    publishStaleStates()
  }

  /// Of what the new settings lack.
  mutating func clearStates(missingIn next: borrowing Settings) {
    for index in settings.regions.indices where next.region(named: settings.regions[index].name) == nil {
      publisher.clear(publisher.topics.region(settings.regions[index].name), at: now)
    }
    for index in settings.triggers.indices where triggers.publishesStates && next.trigger(named: settings.triggers[index].name) == nil {
      publisher.clear(publisher.topics.triggerState(settings.triggers[index].name), isUrgent: true, at: now)
    }
  }

  mutating func publishStaleStates() {
    regions.publishStaleStates(settings, at: now, &publisher)
    triggers.publishStaleStates(at: now, devices, settings, &publisher)
  }

  /// Before regions and triggers are renumbered. What the run before left open elsewhere stays open.
  mutating func endLeftovers(exceptIn regionsStaying: Renumbering, _ triggersStaying: Renumbering) {
    while let entry = triggers.leftovers.take(unless: triggersStaying) { endTrigger(entry) }
    while let entry = regions.leftovers.take(unless: regionsStaying) { endRegion(entry) }
  }

  private mutating func endTrigger(_ entry: Leftovers.Entry) {
    var visit = Unfinished(topic: publisher.topics.trigger(settings.triggers[Int(entry.place)].name), id: Text(), since: entry.since)
    visit.id.append(entry.identity)
    end(visit)
    triggers.publishState(of: Int(entry.place), at: now, devices, settings, &publisher)
  }

  private mutating func endRegion(_ entry: Leftovers.Entry) {
    var visit = Unfinished(topic: publisher.topics.regionEvent(settings.regions[Int(entry.place)].name), id: Text(), since: entry.since)
    visit.id.append(entry.identity)
    end(visit)
    regions.leftoverChanged(entry, isNew: false, at: now)
  }

  /// The end goes to the topic where the visit began, whatever the configuration says now.
  private mutating func end(_ visit: Unfinished) {
    guard let (kind, name) = visit.place else { return }
    publisher.compose(.event, visit.topic, at: now)
    publisher.mark(.ends)
    switch kind {
    case .region:
      publisher.json.member("event", "exit")
      publisher.json.member("reason", "restart")
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
      publisher.json.member("reason", "restart")
      publisher.json.closeObject()
    }
    publisher.publish()
    // Nobody else takes back what the run before has said of it.
    if let identity = try? Identity(written: visit.id.bytes) {
      if triggers.membership.isConnected {
        proximity.publishAgain(identity, at: now, devices, settings, &publisher)
      } else {
        _ = unsaid.append(identity)
      }
    }
    // What no longer exists must not keep a retained state.
    switch kind {
    case .region: if settings.region(named: name) == nil { publisher.clear(publisher.topics.region(name), at: now) }
    case .trigger: if settings.trigger(named: name) == nil { publisher.clear(publisher.topics.triggerState(name), isUrgent: true, at: now) }
    }
  }

  /// It may have begun under an id that this version does not know any more.
  private mutating func composeDevice(_ id: Text<128>) {
    publisher.json.member("id", text: id.bytes)
    if let identity = try? Identity(written: id.bytes) { publisher.json.member(nameOf: identity, settings) }
  }
}
