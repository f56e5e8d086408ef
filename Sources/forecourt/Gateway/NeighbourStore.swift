import Core
import Host
import Synchronization

/// Saves beside the outbox which neighbours were met, and restores them at the next start: each must be heard again before this gateway
/// fires in their groups. A roster ([site] gateways) overrules it.
struct NeighbourStore {
  private let path: String
  private let isKept: Bool
  private var entries: [NeighbourFile.Entry] = []
  private var isChanged = false
  private var due = Instant.zero
  /// Of the disk's thread: whether the last writing failed, and when to try again.
  private let saving = Saving()
  private var retryDue = Instant.zero
  /// For tests; nil asks the machine.
  var isClockTrusted: Bool?

  private static let pause = Interval.seconds(2)
  private static let retry = Interval.seconds(60)

  private final class Saving: Sendable { let failed = Atomic<Bool>(false) }
  /// A neighbour that is always there is written once a day, not every minute; more often where silence is forgotten sooner.
  private static let day: Int64 = 86_400

  init(beside outbox: String, isKept: Bool) {
    path = outbox.folder + "neighbours.jsonl"
    self.isKept = isKept
  }

  mutating func restore(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) { entries = try NeighbourFile.read(path) } catch {
      log.say(.warning, "\(path) \(error.sentence); the neighbours of the last run are unknown until they are heard")
    }
    expire(in: &gateway, log)
    for entry in entries { gateway.restore(neighbour: entry.name, entry.groups) }
  }

  mutating func forget(_ name: Name) {
    entries.removeAll { $0.name == name }
    isChanged = true
  }

  /// Once a turn: records which neighbours are heard, expires the silent ones, saves what changed.
  mutating func turned(_ gateway: inout Gateway, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    guard isKept, now >= due else { return }
    due = now + Self.pause
    record(gateway, at: now)
    expire(in: &gateway, log)
    guard isChanged || saving.failed.load(ordering: .acquiring), !diskThread.isBusy(.neighbours) else { return }
    if saving.failed.load(ordering: .acquiring) {
      guard now >= retryDue else { return }
    }
    retryDue = now + Self.retry
    isChanged = false
    saving.failed.store(false, ordering: .releasing)
    let (text, path, saving) = (NeighbourFile.text(entries), path, saving)
    _ = diskThread.submit(.neighbours, at: now) {
      do throws(FileRefusal) { try NewFile.write(text, to: path) } catch {
        saving.failed.store(true, ordering: .releasing)
        log.say(.warning, "\(path) \(error.sentence)")
      }
    }
  }

  private mutating func record(_ gateway: borrowing Gateway, at now: Instant) {
    let time = moment.trustedWall.map { $0 / 1_000_000 }
    for index in gateway.triggers.membership.members.indices where gateway.triggers.membership.members[index].isHeard(at: now) {
      let (name, groups) = (gateway.triggers.membership.members[index].name, gateway.triggers.membership.members[index].groupsKnown)
      guard let place = entries.firstIndex(where: { $0.name == name }) else {
        entries.append(NeighbourFile.Entry(name, groups, seen: time))
        NeighbourFile.shorten(&entries)
        isChanged = true
        continue
      }
      let seen = entries[place].seen
      let forgetAfter = gateway.settings.site.forgetAfter.microseconds / 1_000_000
      let renewAfter = forgetAfter > 0 ? min(Self.day, forgetAfter / 4) : Self.day
      let isOld = time.map { $0 - (seen ?? 0) >= renewAfter } ?? (seen != nil)
      guard isOld || entries[place].groups != groups else { continue }
      entries[place] = NeighbourFile.Entry(name, groups, seen: time)
      isChanged = true
    }
  }

  /// Drops neighbours that were silent for `forget_after_s`; the gateway goes on waiting for the roster's members.
  private mutating func expire(in gateway: inout Gateway, _ log: Log) {
    let now = moment
    for entry in entries where entry.isSilent(for: gateway.settings.site.forgetAfter, at: now) {
      if gateway.settings.site.place(of: entry.name) == nil, gateway.forget(entry.name) {
        log.say(.info, "neighbour \(String(entry.name)) was silent for longer than forget_after_s: this gateway no longer waits for it")
      }
      forget(entry.name)
    }
  }

  private var moment: Moment {
    var now = Moment.now()
    now.isTrusted = isClockTrusted
    return now
  }
}
