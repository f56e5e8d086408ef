import Core
import Host

/// Saves beside the outbox which neighbours were met, and restores them at the next start: each must be heard again before this gateway
/// fires in their groups. A roster ([site] gateways) overrules it.
///
/// The broker keeps the last `online` of a gateway for ever if its will was lost, as when both died together. So what the broker kept is no
/// sign of life: it neither renews a neighbour nor brings back a run that was forgotten. But as long as the broker believes a gateway
/// online, one that we do not hear may still live, and would fire for a driver of ours. So a sign of life is, besides a hello, a status
/// that comes fresh: every connected gateway publishes its own again every ten minutes. Only who gives neither is forgotten.
struct NeighbourStore {
  private let isKept: Bool
  private var entries: [NeighbourFile.Entry] = []
  private var isChanged = false
  private var due = Instant.zero
  private var saving: Saving
  /// For tests; nil asks the machine.
  var isClockTrusted: Bool?

  /// Stands for all whom no line names any more.
  private static var unreadable: Name { Name("unreadable") }
  private static let pause = Interval.seconds(2)
  /// A neighbour that is always there is written once a day, not every minute; more often where silence is forgotten sooner.
  private static let day: Int64 = 86_400

  init(beside outbox: String, isKept: Bool) {
    saving = Saving(.neighbours, NeighbourFile.name, beside: outbox)
    self.isKept = isKept
  }

  mutating func reload(_ configuration: borrowing Configuration) {
    if saving.reload(configuration) { isChanged = true }
  }

  mutating func restore(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) {
      let (read, strange) = try NeighbourFile.read(saving.path)
      entries = read
      if strange > 0 { waitForUnreadable(strange, log) }
    } catch {
      log.say(.warning, "\(saving.path) \(error.sentence); the neighbours of the last run are unknown until they are heard")
    }
    expire(in: &gateway, log)
    // Who only stated that it is online states it again if the broker still has that.
    for entry in entries where entry.standing == .met { gateway.restore(neighbour: entry.name, entry.groups) }
  }

  /// Whoever a damaged line named may live, and fire for a driver of ours.
  private mutating func waitForUnreadable(_ lines: Int, _ log: Log) {
    var groups = GroupList()
    groups.isEverything = true
    append(NeighbourFile.Entry(Self.unreadable, groups, seen: time))
    log.say(
      .warning,
      saving.path + ": " + counted(lines, "line")
        + " not readable: without [site] gateways nothing fires in a group until a neighbour is heard that no other line names, or the command forget-neighbour names \"unreadable\""
    )
  }

  /// A neighbour's status. False when it is what the broker kept of a run that was forgotten: then nobody need know of it.
  mutating func admit(_ status: Neighbour, _ settings: borrowing Settings) -> Bool {
    guard status.isOnline, status.simulated == settings.gateway.simulated, settings.site.place(of: status.name) == nil else { return true }
    guard let place = entries.firstIndex(where: { $0.name == status.name }) else {
      append(NeighbourFile.Entry(status.name, status.groups, seen: time, boot: status.boot, .stated))
      return true
    }
    let isNewRun = entries[place].boot != status.boot
    guard isNewRun || !status.isRetained else { return entries[place].standing != .forgotten }
    guard isNewRun || entries[place].standing == .forgotten || isOld(entries[place].seen, settings) else { return true }
    if entries[place].standing == .forgotten { entries[place].standing = .stated }
    (entries[place].boot, entries[place].seen, isChanged) = (status.boot, time, true)
    return true
  }

  /// Somebody asked for it. False when no neighbour has that name.
  mutating func forget(_ name: Name, in gateway: inout Gateway, at now: Instant) -> Bool {
    // It may have been heard since the last turn.
    record(&gateway, at: now)
    return forget(name, &gateway)
  }

  @discardableResult private mutating func forget(_ name: Name, _ gateway: inout Gateway) -> Bool {
    guard gateway.forget(name) else { return false }
    for index in entries.indices where entries[index].name == name { (entries[index].standing, isChanged) = (.forgotten, true) }
    return true
  }

  /// Once a turn: records which neighbours are heard, expires the silent ones, saves what changed.
  mutating func turned(_ gateway: inout Gateway, isOver: Bool, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    guard isKept, isOver || now >= due else { return }
    due = now + Self.pause
    record(&gateway, at: now)
    expire(in: &gateway, log)
    guard saving.isDue(isChanged, isOver: isOver, at: now, diskThread) else { return }
    isChanged = false
    saving.write(NeighbourFile.text(entries), at: now, diskThread, log)
  }

  private mutating func record(_ gateway: inout Gateway, at now: Instant) {
    let time = time
    var isNew = false
    for index in gateway.triggers.membership.members.indices where gateway.triggers.membership.members[index].isHeard(at: now) {
      let (name, groups) = (gateway.triggers.membership.members[index].name, gateway.triggers.membership.members[index].groupsKnown)
      let heard = NeighbourFile.Entry(name, groups, seen: time, boot: gateway.triggers.membership.members[index].boot)
      guard let place = entries.firstIndex(where: { $0.name == name }) else {
        append(heard)
        isNew = true
        continue
      }
      let known = entries[place]
      isNew = isNew || known.standing == .stated
      let isSame = known.standing == .met && known.boot == heard.boot && known.groups == groups
      guard !isSame || isOld(known.seen, gateway.settings) else { continue }
      entries[place] = heard
      isChanged = true
    }
    if isNew { forget(Self.unreadable, &gateway) }
    // Until the clock was set nobody could say when; from now on their silence counts.
    guard let time else { return }
    for index in entries.indices where entries[index].seen == nil { (entries[index].seen, isChanged) = (time, true) }
  }

  private mutating func append(_ entry: NeighbourFile.Entry) {
    entries.append(entry)
    NeighbourFile.shorten(&entries)
    isChanged = true
  }

  /// Whether a sign of life that came now is worth writing down.
  private func isOld(_ seen: Int64?, _ settings: borrowing Settings) -> Bool {
    let forgetAfter = settings.site.forgetAfter.microseconds / 1_000_000
    let renewAfter = forgetAfter > 0 ? min(Self.day, forgetAfter / 4) : Self.day
    return time.map { $0 - (seen ?? 0) >= renewAfter } ?? (seen != nil)
  }

  /// Forgets neighbours that were silent for `forget_after_s`; the gateway goes on waiting for the roster's members.
  private mutating func expire(in gateway: inout Gateway, _ log: Log) {
    let now = moment
    for index in entries.indices where entries[index].standing != .forgotten {
      let entry = entries[index]
      guard entry.isSilent(for: gateway.settings.site.forgetAfter, at: now) else { continue }
      if gateway.settings.site.place(of: entry.name) == nil, gateway.forget(entry.name) {
        log.say(.info, "neighbour \(String(entry.name)) was silent for longer than forget_after_s: this gateway no longer waits for it")
      }
      (entries[index].standing, isChanged) = (.forgotten, true)
    }
  }

  private var time: Int64? { moment.trustedWall.map { $0 / 1_000_000 } }

  private var moment: Moment {
    var now = Moment.now()
    now.isTrusted = isClockTrusted
    return now
  }
}
