import Core
import Host

/// Saves beside the outbox what Home Assistant was told of, and which states the broker retains. Whoever left while no gateway ran would be at
/// home there for ever: the outbox knows only who was served, or inside a region. So once the next run has listened long enough to hear who is
/// still here, it says once how near each of them is, or that it has gone, and withdraws what its settings do not ask for; states of which
/// they know nothing it clears at once.
///
/// That is not enough: a broker that is killed comes back with what it wrote to its disk last, and what a bridge carries to another broker is
/// lost while its line is down. So what was removed is cleared again over each new connection and every ten minutes, by this run and the
/// next, until it has been often enough. All these topics are our own. A rehearsal announces nothing, and saves nothing.
struct AnnouncedStore {
  private let isKept: Bool
  /// Announced by the run before, and not yet spoken of.
  private var former: [Announced] = []
  private let due: Instant
  private var isDue = false
  /// What was wanted at the last look: what is missing then was removed.
  private var known: [Announced] = []
  private var knownText: [UInt8]?
  private var removed: [Announced] = []
  /// Until all of these are forgotten: what is removed last begins them anew.
  private var roundsLeft = 0
  private var roundDue = Instant.zero
  private var wasOnline = false
  /// nil: nothing yet where the file lies now.
  private var saved: [UInt8]? = []
  private var saveDue = Instant.zero
  private var saving: Saving

  /// A radio starts within this time; after that whoever is silent for `stale_s` has gone, as at any other time.
  private static let patience = Interval.seconds(15)
  /// Flash wears, and newcomers come together.
  private static let pause = Interval.seconds(10)
  private static let rhythm = Interval.seconds(600)
  /// Twenty hours: a gateway that restarts every night must come to an end, too.
  private static let rounds = 120
  /// 64 triggers and 64 regions, each with its entity.
  private static let removedMost = 128

  init(beside outbox: String, isKept: Bool, stale: Interval, started: Instant, _ log: Log) {
    saving = Saving(.announced, AnnouncedFile.name, beside: outbox)
    self.isKept = isKept
    due = started + Self.patience + stale
    guard isKept else { return }
    do throws(FileRefusal) { former = try AnnouncedFile.read(saving.path) } catch {
      log.say(.warning, "\(saving.path) \(error.sentence); who left meanwhile stays at home in Home Assistant until it is heard again")
    }
    saved = AnnouncedFile.text(former)
    for one in former { if case .state = one { known.append(one) } }
    former.removeAll { if case .state = $0 { true } else { false } }
  }

  /// What it removes is written down at once: who stops the gateway then may have no broker.
  mutating func reload(_ configuration: borrowing Configuration) {
    saveDue = .zero
    if saving.reload(configuration) { saved = nil }
  }

  /// Without a connection they wait for it.
  var nextDeadline: Instant {
    min(former.isEmpty || isDue ? .never : due, removed.isEmpty || !wasOnline ? .never : roundDue)
  }

  /// Once a turn.
  mutating func turned(
    _ gateway: inout Gateway, _ homeAssistant: inout HomeAssistant, isOnline: Bool, isOver: Bool, at now: Instant, _ diskThread: DiskThread,
    _ log: Log
  ) {
    let told = homeAssistant.dueToTell(at: now)
    if isOnline { for identity in told { gateway.publishProximity(of: identity, at: now) } }
    guard isKept else { return }
    let isSaving = isOver || now >= saveDue
    if isSaving { look(for: homeAssistant.announced + Self.states(gateway.settings), at: now) }
    isDue = isDue || now >= due
    clearRemoved(&gateway, &homeAssistant, isOnline: isOnline, at: now)
    if isDue, isOnline, !former.isEmpty {
      homeAssistant.withdraw(former, gateway.devices, gateway.settings)
      for one in former where !homeAssistant.announced.contains(one) { remove(one, at: now) }
      for case .device(let identity) in former where gateway.settings.interest(in: identity).isMatched {
        gateway.publishProximity(of: identity, at: now)
      }
      former = []
    }
    guard isSaving else { return }
    saveDue = now + Self.pause
    var all = homeAssistant.announced + Self.states(gateway.settings)
    for one in former where !all.contains(one) { all.append(one) }
    for one in removed where !all.contains(one) { all.append(one) }
    let text = AnnouncedFile.text(all)
    guard saving.isDue(text != saved, isOver: isOver, at: now, diskThread) else { return }
    saved = text
    saving.write(text, at: now, diskThread, log)
  }

  /// What is wanted no longer is removed; what is wanted again is not.
  private mutating func look(for wanted: [Announced], at now: Instant) {
    let text = AnnouncedFile.text(wanted)
    guard text != knownText else { return }
    for one in known where !wanted.contains(one) { remove(one, at: now) }
    removed.removeAll { wanted.contains($0) }
    (known, knownText) = (wanted, text)
  }

  /// It has just been cleared for the first time, or is when the line is there.
  private mutating func remove(_ one: Announced, at now: Instant) {
    if removed.contains(one) { return }
    if removed.isEmpty { roundDue = now + Self.rhythm }
    roundsLeft = Self.rounds
    if removed.count == Self.removedMost { removed.removeFirst() }
    removed.append(one)
  }

  private mutating func clearRemoved(
    _ gateway: inout Gateway, _ homeAssistant: inout HomeAssistant, isOnline: Bool, at now: Instant
  ) {
    let isNewLine = isOnline && !wasOnline
    wasOnline = isOnline
    let isRound = isOnline && now >= roundDue
    guard !removed.isEmpty, isNewLine || isRound else { return }
    for one in removed { if case .state(let state) = one { gateway.clearUnlessConfigured(state, at: now) } }
    // Before that nobody knows who is still here.
    if isDue { homeAssistant.withdraw(removed, gateway.devices, gateway.settings) }
    guard isRound else { return }
    (roundDue, roundsLeft) = (now + Self.rhythm, roundsLeft - 1)
    if roundsLeft <= 0 { removed = [] }
  }

  private static func states(_ settings: borrowing Settings) -> [Announced] {
    var all: [Announced] = []
    for index in settings.regions.indices { all.append(.state(RetainedState(of: .region, settings.regions[index].name))) }
    for index in settings.triggers.indices { all.append(.state(RetainedState(of: .trigger, settings.triggers[index].name))) }
    return all
  }
}
