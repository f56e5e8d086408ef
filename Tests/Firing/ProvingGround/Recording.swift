import Core
import Foundation
import Simulation

/// What receivers heard of one transmitter while somebody measured where it was.
struct Recording {
  var name: String
  /// A receiver each.
  private(set) var truth: [Track] = []
  private(set) var receivers: [String] = []
  private var surveys: [Survey] = []
  private(set) var samples: [Sample] = []

  /// Nobody stands at a pump when its gateway starts: the recordings begin so much later.
  private static let start = 10.0

  init(_ name: String) { self.name = name }

  var end: Double { samples.last?.time ?? 0 }
  var places: [Point] { surveys.map(\.place) }

  func offset(of receiver: Int, by fit: RecordedSet.Fit) -> Double { fit.offsets[receivers[receiver].receiver] ?? 0 }

  /// Less what is known of the receivers, for rules that know nothing of them.
  func samples(by fit: RecordedSet.Fit) -> [Sample] {
    samples.map {
      var sample = $0
      sample.level -= offset(of: sample.gateway, by: fit)
      return sample
    }
  }

  fileprivate mutating func add(_ line: Line, of receiver: String) {
    let place = receivers.firstIndex(of: receiver) ?? receivers.count
    if place == receivers.count {
      receivers.append(receiver)
      truth.append(Track())
      surveys.append(Survey())
    }
    if let transmitter = line.transmitter { surveys[place].add(transmitter: transmitter.place, distance: transmitter.flat) }
    let time = line.time + Self.start
    samples.append(Sample(gateway: place, phone: 0, time: time, level: line.level))
    truth[place].points.append((time, line.distance))
  }

  fileprivate mutating func sort() {
    samples.sort { ($0.time, $0.gateway) < ($1.time, $1.gateway) }
    for place in truth.indices { truth[place].points.sort { $0.time < $1.time } }
  }
}

/// How far the transmitter was from one receiver, whenever that heard it.
struct Track {
  fileprivate(set) var points: [(time: Double, distance: Double)] = []

  struct Stay {
    var entered: Double
    var left: Double
  }

  static let near = 2.0
  /// A step over the edge and back is no new visit.
  private static let over = 3.0
  private static let shortest = 3.0

  var stays: [Stay] {
    var stays: [Stay] = []
    var isInside = false
    for point in points {
      if point.distance <= Self.near {
        if !isInside { stays.append(Stay(entered: point.time, left: point.time)) }
        isInside = true
        stays[stays.count - 1].left = point.time
      } else if point.distance > Self.over {
        isInside = false
      }
    }
    return stays.filter { $0.left - $0.entered >= Self.shortest }
  }

  func distance(at time: Double) -> Double { points.last { $0.time <= time }?.distance ?? points[0].distance }

  /// Seconds further away than that.
  func seconds(beyond distance: Double) -> Double {
    var seconds = 0.0
    for (point, next) in zip(points, points.dropFirst()) where point.distance > distance { seconds += next.time - point.time }
    return seconds
  }
}

/// One set of Tests/Firing/Recordings, and the fit of its own packets: the power at 1 m and the exponent that somebody would have calibrated.
struct RecordedSet {
  let name: String
  let recordings: [Recording]
  private(set) var fit: Fit

  /// What somebody would have calibrated.
  struct Fit {
    var power: Double
    var exponent: Double
    /// How much more a receiver hears than the others, by its name.
    var offsets: [String: Double] = [:]
  }

  /// `isSite`: the receivers of one walk belong together; otherwise each is alone.
  init(_ path: String, isSite: Bool) {
    name = String(path.split(separator: "/").last!.prefix { $0 != "." })
    let lines = Self.lines(of: path)
    fit = Self.fit(lines)
    var recordings: [Recording] = []
    for line in lines {
      let name = isSite ? String(line.series.prefix { $0 != "/" }) : line.series
      if recordings.last?.name != name, !recordings.contains(where: { $0.name == name }) { recordings.append(Recording(name)) }
      let place = recordings.lastIndex { $0.name == name }!
      recordings[place].add(line, of: line.series)
    }
    for place in recordings.indices { recordings[place].sort() }
    self.recordings = recordings
  }

  /// RSSI 127 is "not available", and nothing above +20 dBm exists.
  private static func lines(of path: String) -> [Line] {
    let unpack = Process()
    unpack.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    unpack.arguments = ["gzip", "-dc", path]
    let pipe = Pipe()
    unpack.standardOutput = pipe
    guard (try? unpack.run()) != nil else { fatalError("gzip cannot be run") }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    unpack.waitUntilExit()
    precondition(unpack.terminationStatus == 0, "\(path) cannot be unpacked")
    return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { Line($0) }
  }

  /// Least squares of the single packets' level on the logarithm of the distance, as Tests/Cost/Average has it.
  private static func fit(_ lines: [Line]) -> Fit {
    var sum = (x: 0.0, y: 0.0, xx: 0.0, xy: 0.0)
    for line in lines {
      let x: Double = Foundation.log10(line.distance)
      sum.x += x
      sum.y += line.level
      sum.xx += x * x
      sum.xy += x * line.level
    }
    let count = Double(lines.count)
    let slope = (sum.xy - sum.x * sum.y / count) / (sum.xx - sum.x * sum.x / count)
    return Fit(power: (sum.y - slope * sum.x) / count, exponent: -slope / 10)
  }

  /// Takes over what `calibrate fixed` would find on another set, whose series are stands at surveyed points: each counts once.
  mutating func calibrate(by path: String) {
    let stands = Dictionary(grouping: Self.lines(of: path), by: \.series).values.map { lines in
      var stand = lines[0]
      stand.level = lines.map(\.level).reduce(0, +) / Double(lines.count)
      return stand
    }
    fit = Self.fit(stands.sorted { $0.series < $1.series })
    for (receiver, stands) in Dictionary(grouping: stands, by: \.series.receiver) {
      let errors = stands.map { $0.level - fit.power + 10 * fit.exponent * Foundation.log10($0.distance) }
      fit.offsets[receiver] = (errors.sorted().reduce(0, +) / Double(errors.count) * 2).rounded() / 2
    }
  }
}

private struct Line {
  var series: String
  var time: Double
  var level: Double
  var distance: Double
  /// Where it was, and how far from the receiver without the height.
  var transmitter: (place: Point, flat: Double)?

  init?(_ text: Substring) {
    let cells = text.split(separator: ",", omittingEmptySubsequences: false)
    guard cells.count >= 8, let time = Double(cells[2]), let level = Double(cells[5]), let distance = Double(cells[6]) else { return nil }
    guard level <= 20, distance > 0 else { return nil }
    (series, self.time, self.level, self.distance) = (String(cells[1]), time, level.rounded(.toNearestOrEven), distance)
    guard let x = Self.value("x", in: cells[7]), let y = Self.value("y", in: cells[7]), let flat = Self.value("horiz", in: cells[7]) else {
      return
    }
    transmitter = (Point(x, y), flat)
  }

  /// `x=11.7|y=4.1|horiz=5.6`
  private static func value(_ name: String, in label: Substring) -> Double? {
    label.split(separator: "|").first { $0.hasPrefix(name + "=") }.flatMap { Double($0.dropFirst(name.count + 1)) }
  }
}

extension String {
  /// Of a series: `straight_01/sensor10`, and of a stand `sensor10_2.77_4.10_1.85`.
  fileprivate var receiver: String { String(split(separator: "/").last!.prefix { $0 != "_" }) }
}
