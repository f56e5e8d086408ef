import Core
import Host

/// When the followed device was in one region, or what kept it out.
struct RegionRecord {
  let name: String
  private let minimum: Decibels
  /// `entered at 5.224 s`, `exited at 31.000 s (silence)`.
  private var passages: [String] = []
  private var isInside = false
  private(set) var enters = 0
  /// Its strongest average.
  private(set) var best = (at: Instant.zero, level: Decibels(-200))

  init(_ settings: RegionSettings) { (name, minimum) = (String(settings.name), settings.minimum) }

  mutating func record(_ word: TriggerEvent, at moment: Instant) {
    isInside = same(word.event, "enter")
    if isInside { enters += 1 }
    passages.append(joined(isInside ? "entered at " : "exited at ", fixed(moment.microsecondsAsSeconds, 3), " s", word.why))
  }

  mutating func observe(_ level: Decibels, at moment: Instant) {
    if best.level < level { best = (moment, level) }
  }

  // MARK: The end

  var words: String {
    var text = listed(passages, with: "and") + (isInside ? "; still inside at the end" : "")
    if passages.isEmpty {
      text = "no enter was published under this id"
      if best.level < minimum {
        text = joined(
          "never entered. Its average got furthest at ", fixed(best.at.microsecondsAsSeconds, 3), " s: ", fixed(best.level.value, 1),
          " dBm, minimum_dbm is ", fixed(minimum.value, 1))
      }
    }
    return joined("Region ", name, ": ", text, ".")
  }
}
