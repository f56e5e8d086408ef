import Simulation

/// A rule that decides who stands where, run for a whole site at once: it hears what all gateways hear, without delay or loss.
/// Ours alone has to make do with gateways that talk over a broker.
protocol Contestant {
  static var title: String { get }
  init(_ site: Site)
  /// Phones that fire because of this one packet are appended to `fires`.
  mutating func observe(_ sample: Sample, _ fires: inout [Fire])
  /// Ten times a second.
  mutating func tick(at time: Double, _ fires: inout [Fire])
}

extension Contestant {
  mutating func tick(at time: Double, _ fires: inout [Fire]) {}

  static func run(_ samples: [Sample], _ site: Site) -> [Fire] {
    var contestant = Self(site)
    var fires: [Fire] = []
    var tick = 0.0
    for sample in samples {
      while tick <= sample.time {
        contestant.tick(at: tick, &fires)
        tick += 0.1
      }
      contestant.observe(sample, &fires)
    }
    return fires
  }
}

struct Site {
  var gateways: Int
  var phones: Int
  /// The level at 1 m that the phone is believed to have, by phone.
  var powers: [Double]
  var fireDistance = 1.5
  /// dB for every tenfold of the distance.
  var perDecade = 22.0
}

struct Sample {
  var gateway: Int
  var phone: Int
  var time: Double
  var level: Double
}

struct Fire {
  var gateway: Int
  var phone: Int
  var time: Double
}
