import Core
import Host

/// How the radios are of a command that somebody sits in front of: what they lack, and when waiting is of no use.
struct RadioConditions {
  let adapters: [Adapter]
  private(set) var conditions: [Condition]
  /// What each radio lacks, in a sentence.
  private(set) var advices: [String?]
  private var hasListened = false

  init(_ adapters: [Adapter]) {
    self.adapters = adapters
    conditions = adapters.map { _ in .opening }
    advices = adapters.map { _ in nil }
  }

  func isListening(_ radio: Int) -> Bool { conditions[radio].isListening }

  /// What to say of the radio, when what it lacks is news.
  mutating func reported(_ report: Radio.Status, radio: Int) -> String? {
    let trouble = report.condition.trouble
    let isNews = trouble != conditions[radio].trouble
    conditions[radio] = report.condition
    advices[radio] = trouble.map { advice($0, adapters[radio], code: report.code) }
    hasListened = hasListened || report.condition.isListening
    return isNews ? advices[radio].map { "forecourt: " + $0 } : nil
  }

  /// Whoever sits in front of it need not wait for what cannot be opened, nor for recordings that have ended.
  var isOver: Bool {
    conditions.allSatisfy { condition in
      guard let trouble = condition.trouble else { return condition == .ended }
      return trouble.isOfRecording || !hasListened && !trouble.isOfController
    }
  }

  /// What is to be said of radios of which nothing more will come: nil when they have said all.
  var end: Exit? {
    guard isOver else { return nil }
    let ends = conditions.compactMap { $0.trouble?.exit }
    return ends.contains(.forbidden) ? .forbidden : ends.last
  }
}
