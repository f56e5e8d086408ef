import Core
import Host

/// Saves beside the outbox which controller each radio has. After a restart that has swapped the kernel's numbers, the radios concerned hear
/// nothing until a person has looked: each would fire for whoever stands at the other's pump. A rehearsal neither reads nor saves it.
struct AdapterStore {
  private let isKept: Bool
  private let adapters: [Adapter]
  private let names: [Name]
  private var known: KnownAdapters
  private var tellsRadiosApart: Bool
  private var isChanged = false
  private var saving: Saving

  init(beside outbox: String, isKept: Bool, _ settings: borrowing Settings, _ adapters: [Adapter], _ log: Log) {
    saving = Saving(.adapters, AdapterFile.name, beside: outbox)
    self.isKept = isKept
    self.adapters = adapters
    names = settings.radioNames
    tellsRadiosApart = settings.tellsRadiosApart
    var entries: [KnownAdapters.Entry] = []
    if isKept {
      do throws(FileRefusal) { entries = try AdapterFile.read(saving.path) } catch {
        log.say(.warning, "\(saving.path) \(error.sentence); which radio had which adapter in the last run is unknown")
      }
    }
    known = KnownAdapters(settings, adapters, entries)
  }

  mutating func reload(_ configuration: borrowing Configuration) {
    tellsRadiosApart = configuration.core.tellsRadiosApart
    if saving.reload(configuration) { isChanged = true }
  }

  /// What a radio's thread says of its controller.
  mutating func record(_ report: Radio.Status, of radio: Int, _ log: Log) {
    guard isKept else { return }
    if !report.isOpen {
      known.record(nil, of: radio, isThere: false)
    } else if report.profile.isWhole {
      known.record(report.profile.address, of: radio)
    }
    guard let replaced = known.settle(isAnyOrderRight: !tellsRadiosApart) else { return }
    isChanged = true
    guard tellsRadiosApart else { return }
    for (radio, before) in replaced {
      let now = known.address(of: radio).map { $0.written } ?? ""
      log.say(
        .warning,
        "radio \(String(names[radio])): \(adapters[radio].written) is another adapter than before (\(now) instead of "
          + "\(before.written)): taken for its replacement; measure it anew if its antenna differs")
    }
  }

  /// Why nothing that a radio hears counts; nil: it does.
  func misplacement(of radio: Int) -> KnownAdapters.Misplacement? { tellsRadiosApart && isKept ? known.misplacement(of: radio) : nil }

  /// Once a turn: tells the radios, and saves what changed. Returns the radios' words for `status` when they are news.
  mutating func turned(
    _ radios: [Radio], isOver: Bool, at now: Instant, _ diskThread: DiskThread, _ log: Log
  ) -> [Sentence?]? {
    var isNews = false
    var words: [Sentence?] = []
    for index in radios.indices {
      let misplacement = misplacement(of: index)
      words.append(misplacement.map { reason($0, of: index) })
      guard radios[index].isMisplaced != (misplacement != nil) else { continue }
      radios[index].misplace(misplacement != nil)
      isNews = true
      if let misplacement { log.say(.error, warning(misplacement, of: index)) }
    }
    if saving.isDue(isChanged, isOver: isOver, at: now, diskThread) {
      isChanged = false
      saving.write(AdapterFile.text(known.entries), at: now, diskThread, log)
    }
    return isNews ? words : nil
  }

  /// For `status`, which has room for 160 bytes.
  private func reason(_ misplacement: KnownAdapters.Misplacement, of radio: Int) -> Sentence {
    let (name, other) = (String(names[radio]), String(names[misplacement.other]))
    let (has, had) = if case .hasThatOf = misplacement { (name, other) } else { (other, name) }
    return Sentence("radio \(has) has the adapter of radio \(had): nothing fires at either; name adapters by address; the log tells more")
  }

  private func warning(_ misplacement: KnownAdapters.Misplacement, of radio: Int) -> String {
    let (name, other) = (String(names[radio]), String(names[misplacement.other]))
    let has = known.address(of: radio)?.written ?? ""
    let had = known.before(radio)?.written
    var words = "radio \(name): \(adapters[radio].written) has the address \(has)"
    switch misplacement {
    case .hasThatOf: words += ", which radio \(other) had before: a restart has given the adapters each other's numbers"
    case .lostItsOwnTo: words += ", and its own adapter is at radio \(other) now"
    }
    words += ". Nothing fires at radio \(name). "
    if let had { words += "Write adapter = \"\(had)\" for it, which no restart changes; " }
    return words + "or, if somebody has exchanged the adapters on purpose, remove \(saving.path); then restart the gateway"
  }
}
