import Core
import Host

/// What a plan made of the followed device at one trigger: where it stood likeliest, and for how long.
struct LikelihoodRecord {
  private(set) var now: Likelihood?
  private var told: Likelihood?
  private(set) var times: [(name: Name, seconds: Double)] = []
  private(set) var receivers = 0

  /// A judgement counts until the next one; this is how long without one.
  static let memory = 4.0
  /// A share that changes by so much is worth a line.
  private static let step: Float = 0.1

  /// With each sample: what was last made of it.
  mutating func observe(_ likelihood: Likelihood?) {
    guard likelihood?.at != now?.at else { return }
    if let now, let likelihood { count(min((likelihood.at - now.at).seconds, Self.memory), for: now.likeliest) }
    now = likelihood
    receivers = max(receivers, likelihood?.receivers ?? 0)
  }

  private mutating func count(_ seconds: Double, for name: Name) {
    if let index = times.firstIndex(where: { $0.name == name }) {
      times[index].seconds += seconds
    } else {
      times.append((name, seconds))
    }
  }

  /// What is worth a line: likelier than all else is another place, or, if not brief, a share has changed.
  mutating func takeChange(isBrief: Bool) -> Likelihood? {
    guard let now, now.at != told?.at else { return nil }
    let isAnother = now.likeliest != told?.likeliest
    guard isBrief ? isAnother && now.isClear : isAnother || now.isFar(from: told, by: Self.step) else { return nil }
    told = now
    return now
  }

  /// The longest first: `here 24.1 s, right 3.0 s`.
  var words: String { largestFirst(times.map { ($0.name, Float($0.seconds)) }) { fixed($0, 1) + " s" } }
}

extension Likelihood {
  /// The likeliest first: `here 93 %, right 5 %, elsewhere 2 %`.
  var words: String {
    var parts = [(Name("here"), here), (Name("elsewhere"), elsewhere)]
    if !rivalName.isEmpty { parts.append((rivalName, rival)) }
    return largestFirst(parts) { fixed($0 * 100, 0) + " %" }
  }

  /// More likely than all else together, with some room: two that are about alike would take turns.
  fileprivate var isClear: Bool { max(here, rival, elsewhere) > 0.6 }

  fileprivate func isFar(from other: Likelihood?, by step: Float) -> Bool {
    guard let other, other.rivalName == rivalName else { return true }
    return max((here - other.here).magnitude, (rival - other.rival).magnitude) >= step
  }
}

/// A sort would be larger than all else here.
private func largestFirst(_ parts: [(name: Name, value: Float)], _ write: (Float) -> String) -> String {
  var (left, words) = (parts, "")
  while !left.isEmpty {
    var first = 0
    for index in left.indices where left[index].value > left[first].value { first = index }
    let part = left.remove(at: first)
    words += joined(words.utf8.isEmpty ? "" : ", ", String(part.name), " ", write(part.value))
  }
  return words
}
