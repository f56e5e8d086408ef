import Core
import Host

/// What all receivers made of the followed device at one trigger: where it stood likeliest, and for how long.
struct LikelihoodRecord {
  private(set) var now: Likelihood?
  private var told: Likelihood?
  private(set) var places: [String] = []
  /// For how long each of them was the likeliest.
  private(set) var seconds: [Double] = []
  private(set) var receivers = 0

  /// A judgement counts until the next one, and so long without one.
  static let memory = 4.0
  /// A share that changes by so much is worth a line.
  private static let step: Float = 0.1

  /// With each sample: what was last made of it.
  mutating func observe(_ likelihood: Likelihood?) {
    guard likelihood?.at != now?.at else { return }
    if let now, let likelihood { count(min((likelihood.at - now.at).seconds, Self.memory), for: String(now.likeliest)) }
    now = likelihood
    receivers = max(receivers, likelihood?.receivers ?? 0)
  }

  private mutating func count(_ time: Double, for place: String) {
    if let index = places.firstIndex(where: { same($0, place) }) {
      seconds[index] += time
    } else {
      places.append(place)
      seconds.append(time)
    }
  }

  /// What is worth a line: another place is the likeliest, or, if not brief, a share has changed.
  @inline(never)
  mutating func takeChange(isBrief: Bool) -> String? {
    guard let now, now.at != told?.at else { return nil }
    // If brief, more likely than all else together, with some room: two that are about alike would take turns.
    let isClear = max(now.here, now.rival, now.elsewhere) > 0.6
    if let told, told.likeliest == now.likeliest {
      let change = max((now.here - told.here).magnitude, (now.rival - told.rival).magnitude)
      guard !isBrief, change >= Self.step else { return nil }
    } else if isBrief, !isClear {
      return nil
    }
    told = now
    return largestFirst(
      ["here", String(now.rivalName), "elsewhere"], [Double(now.here) * 100, Double(now.rival) * 100, Double(now.elsewhere) * 100], 0, " %")
  }

  /// The longest first: `here 24.1 s, right 3.0 s`.
  var words: String { largestFirst(places, seconds, 1, " s") }
}

/// `here 93 %, right 5 %, elsewhere 2 %`. A sort would be larger than all else here.
@inline(never)
private func largestFirst(_ places: [String], _ values: [Double], _ decimals: Int, _ unit: String) -> String {
  var (left, words) = (values, "")
  for _ in places {
    var first = 0
    for index in left.indices where left[index] > left[first] { first = index }
    if !places[first].utf8.isEmpty {
      words += joined(words.utf8.isEmpty ? "" : ", ", places[first], " ", fixed(values[first], decimals), unit)
    }
    left[first] = -1
  }
  return words
}
