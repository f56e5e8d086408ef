import Core
import Host

/// Saves beside the outbox what Home Assistant was told of, and which states the broker retains. Whoever left while no gateway ran would be at
/// home there for ever: the outbox knows only who was served, or inside a region. So once the next run has listened long enough to hear who is
/// still here, it says once how near each of them is, or that it has gone, and withdraws what its settings do not ask for; states of which
/// they know nothing it clears at once. A rehearsal announces nothing, and saves nothing.
struct AnnouncedStore {
  private let isKept: Bool
  /// Announced by the run before, and not yet spoken of.
  private var former: [Announced] = []
  private var formerStates: [RetainedState] = []
  private let due: Instant
  private var isDue = false
  /// nil: nothing yet where the file lies now.
  private var saved: [UInt8]? = []
  private var saveDue = Instant.zero
  private var saving: Saving

  /// A radio starts within this time; after that whoever is silent for `stale_s` has gone, as at any other time.
  private static let patience = Interval.seconds(15)
  /// Flash wears, and newcomers come together.
  private static let pause = Interval.seconds(10)

  init(beside outbox: String, isKept: Bool, stale: Interval, started: Instant, _ log: Log) {
    saving = Saving(.announced, AnnouncedFile.name, beside: outbox)
    self.isKept = isKept
    due = started + Self.patience + stale
    guard isKept else { return }
    do throws(FileRefusal) { former = try AnnouncedFile.read(saving.path) } catch {
      log.say(.warning, "\(saving.path) \(error.sentence); who left meanwhile stays at home in Home Assistant until it is heard again")
    }
    saved = AnnouncedFile.text(former)
    for case .state(let state) in former { formerStates.append(state) }
    former.removeAll { if case .state = $0 { true } else { false } }
  }

  mutating func reload(_ configuration: borrowing Configuration) {
    if saving.reload(configuration) { (saved, saveDue) = (nil, .zero) }
  }

  /// Without a connection they wait for it.
  var nextDeadline: Instant { former.isEmpty || isDue ? .never : due }

  /// Once a turn.
  mutating func turned(
    _ gateway: inout Gateway, _ homeAssistant: inout HomeAssistant, isOnline: Bool, isOver: Bool, at now: Instant, _ diskThread: DiskThread,
    _ log: Log
  ) {
    guard isKept else { return }
    if isOnline {
      for state in formerStates { gateway.clearUnlessConfigured(state, at: now) }
      formerStates = []
    }
    isDue = isDue || now >= due
    if isDue, isOnline, !former.isEmpty {
      homeAssistant.withdraw(former, gateway.devices, gateway.settings)
      for case .device(let identity) in former where gateway.settings.interest(in: identity).isMatched {
        gateway.publishProximity(of: identity, at: now)
      }
      former = []
    }
    let told = homeAssistant.dueToTell(at: now)
    if isOnline { for identity in told { gateway.publishProximity(of: identity, at: now) } }
    guard isOver || now >= saveDue else { return }
    saveDue = now + Self.pause
    var all = homeAssistant.announced + Self.states(gateway.settings)
    for one in former + formerStates.map({ .state($0) }) where !all.contains(one) { all.append(one) }
    let text = AnnouncedFile.text(all)
    guard saving.isDue(text != saved, isOver: isOver, at: now, diskThread) else { return }
    saved = text
    saving.write(text, at: now, diskThread, log)
  }

  private static func states(_ settings: borrowing Settings) -> [Announced] {
    var all: [Announced] = []
    for index in settings.regions.indices { all.append(.state(RetainedState(of: .region, settings.regions[index].name))) }
    for index in settings.triggers.indices { all.append(.state(RetainedState(of: .trigger, settings.triggers[index].name))) }
    return all
  }
}
