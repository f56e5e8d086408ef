import Core
import Host

/// How the radios are while a person waits for a command: what each lacks, and when waiting is useless.
struct RadioConditions {
  let adapters: [Adapter]
  private(set) var conditions: [Condition]
  /// What each radio lacks and what to do, in a sentence; or whose adapter it has.
  private(set) var advices: [String?]
  private var hasListened = false
  private var known: KnownAdapters?

  /// `known`: what the gateway has saved of them, if it matters which radio hears what.
  init(_ adapters: [Adapter], _ known: KnownAdapters? = nil) {
    (self.adapters, self.known) = (adapters, known)
    conditions = adapters.map { _ in .opening }
    advices = adapters.map { _ in nil }
  }

  func isListening(_ radio: Int) -> Bool { conditions[radio].isListening }

  /// Returns what the radio lacks, or whose adapter it has, if that is news.
  mutating func record(_ report: Radio.Status, radio: Int) -> String? {
    let trouble = report.condition.trouble
    let before = conditions[radio].trouble
    conditions[radio] = report.condition
    if report.profile.isWhole { known?.record(report.profile.address, of: radio, isThere: report.isOpen) }
    let misplacement = trouble == nil ? known?.misplacement(of: radio) : nil
    let isNews = trouble != before || misplacement != nil && advices[radio] == nil
    advices[radio] = trouble.map { advice($0, adapters[radio], code: report.code) } ?? misplacement.flatMap { known?.words($0, of: radio) }
    hasListened = hasListened || report.condition.isListening
    return isNews ? advices[radio].map { "forecourt: " + $0 } : nil
  }

  /// The same, printed over a progress bar.
  mutating func print(_ report: Radio.Status, radio: Int, over bar: ProgressBar) {
    guard let news = record(report, radio: radio) else { return }
    bar.clear()
    say(news)
  }

  /// Nothing more will come: no radio can be opened, or all recordings have ended.
  var isOver: Bool {
    conditions.allSatisfy { condition in
      guard let trouble = condition.trouble else { return condition == .ended }
      return trouble.isOfRecording || !hasListened && !trouble.isOfController
    }
  }

  /// How the command ends when nothing more will come; nil: go on, or all recordings have ended well.
  var end: Exit? {
    guard isOver else { return nil }
    let ends = conditions.compactMap { $0.trouble?.exit }
    return ends.contains(.forbidden) ? .forbidden : ends.last
  }
}

extension Configuration {
  /// Which adapter each radio had when the gateway ran last; nil: it makes no difference.
  var knownAdapters: KnownAdapters? {
    guard core.tellsRadiosApart else { return nil }
    let file = SideFiles.path(AdapterFile.name, beside: String(host.outbox.path))
    return KnownAdapters(core, host.adapters, (try? AdapterFile.read(file)) ?? [])
  }
}

/// What scan, capture, identify and calibrate have in common: a person waits, and no deadlines of Core need a tick.
protocol AttendedListener: Listener, ~Copyable {}

extension AttendedListener where Self: ~Copyable {
  mutating func tick(at moment: Instant) {}
  var hasWork: Bool { false }
}

extension Radios {
  /// For a command that a person waits for; the memory is the radios' own.
  init(attendedBy invocation: Invocation, _ configuration: borrowing Configuration, duties: Duties = .none) throws(Exit) {
    var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + 4_096)
    try self.init(configuration.core, configuration.host.adapters, isAsked: true, invocation, duties: duties, in: &arena)
  }
}
