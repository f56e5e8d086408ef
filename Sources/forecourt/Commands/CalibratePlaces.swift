import Core
import Host

/// Where the device is during a measurement, as --place says it: `METRES[..METRES][@FROM-TO]`, or `RADIO=METRES,RADIO=METRES` where
/// there are several radios.
struct CalibrationPlace {
  /// From one distance to another; equal when the device stays.
  struct Way {
    let from: Double
    let to: Double
  }

  let written: String
  /// For each radio; nil for one that does not count there.
  let ways: [Way?]
  /// In seconds of the recording.
  let window: (from: Double, to: Double)?

  /// Throws a sentence that says why it is no place.
  init(_ text: String, _ radios: [String]) throws(PlaceRefusal) {
    let parts = split(text, at: "@")
    guard parts.count <= 2, let distances = parts.first else { throw PlaceRefusal(sentence: "there is more than one @") }
    written = distances
    window = try parts.count == 2 ? Self.window(parts[1]) : nil
    var ways = [Way?](repeating: nil, count: radios.count)
    for word in split(distances, at: ",") {
      let sides = split(word, at: "=")
      guard sides.count == 2 else {
        guard radios.count == 1, sides.count == 1 else {
          throw PlaceRefusal(sentence: "with several radios each distance names its own: \(radios[0])=1,\(radios[1])=4.5")
        }
        try Self.give(sides[0], to: &ways[0])
        continue
      }
      guard let radio = radios.firstIndex(where: { same($0, sides[0]) }) else {
        throw PlaceRefusal(sentence: "\"\(sides[0])\" is no radio of the configuration: \(listed(radios, with: "or"))")
      }
      try Self.give(sides[1], to: &ways[radio])
    }
    self.ways = ways
  }

  private static func give(_ text: String, to way: inout Way?) throws(PlaceRefusal) {
    guard way == nil else { throw PlaceRefusal(sentence: "a distance is given twice; decimals take a point, 1.5") }
    way = try self.way(text)
  }

  private static func way(_ text: String) throws(PlaceRefusal) -> Way {
    let ends = split(text, at: "..")
    guard ends.count <= 2, let from = decimalNumber(ends[0]), let to = decimalNumber(ends[ends.count - 1]),
      0.1...200 ~= from, 0.1...200 ~= to
    else { throw PlaceRefusal(sentence: "\"\(text)\" is no distance: write metres from 0.1 to 200, or 1..15 for a walk") }
    return Way(from: from, to: to)
  }

  private static func window(_ text: String) throws(PlaceRefusal) -> (Double, Double) {
    let ends = split(text, at: "-")
    guard ends.count == 2, let from = decimalNumber(ends[0]), let to = decimalNumber(ends[1]), from < to else {
      throw PlaceRefusal(sentence: "\"\(text)\" is no span of the recording: write seconds like 10-40")
    }
    return (from, to)
  }

  var isWalked: Bool { ways.contains { $0.map { $0.from != $0.to } ?? false } }

  func measurements(_ place: Int, from begin: Instant, to end: Instant) -> [Measurement] {
    var all: [Measurement] = []
    for radio in ways.indices {
      guard let way = ways[radio] else { continue }
      all.append(Measurement(radio: radio, place: place, from: way.from, to: way.to, begin: begin, end: end))
    }
    return all
  }
}

struct PlaceRefusal: Error {
  let sentence: String
}

/// The parts of a text between separators.
func split(_ text: String, at separator: StaticString) -> [String] {
  let bytes = Array(text.utf8)
  let mark = Array("\(separator)".utf8)
  var parts: [String] = []
  var start = 0
  var index = 0
  while index + mark.count <= bytes.count {
    if bytes[index..<(index + mark.count)].elementsEqual(mark) {
      parts.append(String(decoding: bytes[start..<index], as: UTF8.self))
      index += mark.count
      start = index
    } else {
      index += 1
    }
  }
  return parts + [String(decoding: bytes[start...], as: UTF8.self)]
}

/// `12` or `1.25`; nil for anything else.
func decimalNumber(_ text: String) -> Double? {
  let parts = split(text, at: ".")
  guard parts.count <= 2, let whole = decimal(parts[0]) else { return nil }
  guard parts.count == 2 else { return Double(whole) }
  guard parts[1].utf8.count <= 6, let fraction = decimal(parts[1]) else { return nil }
  var scale = 1.0
  for _ in parts[1].utf8 { scale *= 10 }
  return Double(whole) + Double(fraction) / scale
}
