import Core
import Host
import Simulation

/// Walks that others measured, replayed as adverts with the recorded level and time: who was detected within 2 m, and who fired beyond 6 m.
struct Walks {
  private enum Layout: String {
    case alone = "each receiver alone"
    case site = "the receivers of a walk are one site"
    /// With `at_m`.
    case plan = "the receivers of a walk are one site on a plan"
    /// By stands of the same beacon beside the same receivers, which no walk has seen.
    case calibrated = "one site on a plan, calibrated by philotuxo_static"
  }
  private static let sets: [(path: String, layout: Layout)] = [
    ("walks/philotuxo_trk.csv.gz", .alone), ("walks/philotuxo_trk.csv.gz", .site), ("walks/philotuxo_trk.csv.gz", .plan),
    ("walks/philotuxo_trk.csv.gz", .calibrated),
    ("walks/kolak_robot.csv.gz", .alone), ("walks/kolak_robot.csv.gz", .site), ("walks/kolak_robot.csv.gz", .plan),
    ("static/philotuxo_static.csv.gz", .alone),
  ]
  private static let columns = [
    "stays", "fired", "missed", "stood", "fired", "twice", "between", "beyond", "far_min", "undecided", "p50_s", "p95_s",
  ]

  func print() {
    for (index, (path, layout)) in Self.sets.enumerated() {
      if index > 0 { Swift.print() }
      var set = RecordedSet("Tests/Firing/Recordings/" + path, isSite: layout != .alone)
      if layout == .calibrated { set.calibrate(by: "Tests/Firing/Recordings/static/philotuxo_static.csv.gz") }
      let power = (set.fit.power * 10).rounded() / 10
      let exponent = (set.fit.exponent * 100).rounded() / 100
      Swift.print("\(set.name), \(layout.rawValue): \(power) dBm at 1 m, n = \(exponent)")
      Swift.print(Table.row("", Self.columns))
      var scores = Array(repeating: WalkScore(), count: Table.rules.count)
      for recording in set.recordings {
        let site = Site(
          gateways: recording.receivers.count, phones: 1, powers: [set.fit.power], fireDistance: Track.near,
          perDecade: 10 * set.fit.exponent)
        let (fires, undecided) = ours(recording, set, isPlaced: layout == .plan || layout == .calibrated)
        scores[0].add(fires, recording, undecided: undecided)
        let samples = recording.samples(by: set.fit)
        scores[1].add(AltBeacon.run(samples, site), recording)
        scores[2].add(ESPresense.run(samples, site), recording)
        scores[3].add(Bermuda.run(samples, site), recording)
        scores[4].add(Crownstone.run(samples, site), recording)
      }
      for (rule, score) in zip(Table.rules, scores) { Swift.print(Table.row(rule, score.cells)) }
    }
  }

  /// The whole gateways, with iBeacon adverts whose power was measured: it is the set's own fit.
  private func ours(_ recording: Recording, _ set: RecordedSet, isPlaced: Bool) -> (fires: [Fire], undecided: Int) {
    var scenario = Scenario()
    let places = isPlaced ? recording.places : []
    scenario.gateways = recording.receivers.indices.map { index in
      var mast = Station()
      if isPlaced { mast.place = places[index] }
      mast.name = Name("r")
      for byte in String(index).utf8 { mast.name.append(byte: byte) }
      return mast
    }
    let gateways = Gateways(scenario, seed: 1, isPlaced: isPlaced, cipher: Table.cipher) {
      let name = $0.gateway.name
      let receiver = scenario.gateways.firstIndex { $0.name == name }!
      if isPlaced { $0.radios[0].receiveOffset = Decibels(Float(recording.offset(of: receiver, by: set.fit))) }
      $0.triggers[0].fire = Meters(Float(Track.near))
      $0.calibration.pathLossExponent = Float(set.fit.exponent)
      var everybody = DeviceCalibration()
      everybody.match = Slice(start: 0, count: 1)
      everybody.measuredPower = Decibels(Float(set.fit.power))
      _ = $0.calibration.devices.append(everybody)
    }
    for sample in recording.samples { gateways.receive(Self.packet(sample), gateway: sample.gateway) }
    gateways.end(at: recording.end + 30)
    let events = gateways.takeEvents()
    let fires = events.filter { $0.name == "fire" }.map { Fire(gateway: $0.gateway, phone: 0, time: $0.time) }
    return (fires, events.count { $0.name == "undecided" })
  }

  /// An iBeacon's legacy advert.
  private static func packet(_ sample: Sample) -> Packet {
    var bytes: [UInt8] = [4, 0x3E, 0x2A, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 30]
    bytes += [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15]
    for byte in 1...20 as ClosedRange<UInt8> { bytes.append(byte) }
    bytes.append(UInt8(bitPattern: -59))
    var packet = Packet()
    packet.at = Instant(microseconds: Int64(sample.time * 1e6))
    for byte in bytes { packet.bytes.append(byte: byte) }
    packet.bytes.append(byte: UInt8(bitPattern: Int8(max(min(sample.level, 20), -127))))
    return packet
  }
}

/// How often what happened, judged by where the transmitter was.
private struct WalkScore {
  private var stays = 0
  private var fired = 0
  /// The stays of ten seconds and more. In the others somebody only passes.
  private var stood = 0
  private var firedForStanding = 0
  /// More than one fire for one stay.
  private var doubles = 0
  /// Neither within 2 m, nor in the three seconds before or after, nor beyond 6 m.
  private var between = 0
  private var beyond = 0
  private var farSeconds = 0.0
  private var undecided = 0
  private var latencies: [Double] = []

  private static let grace = 3.0
  private static let far = 6.0
  private static let standing = 10.0

  mutating func add(_ fires: [Fire], _ recording: Recording, undecided: Int = 0) {
    self.undecided += undecided
    for (receiver, track) in recording.truth.enumerated() {
      let stays = track.stays
      var times = Array(repeating: [Double](), count: stays.count)
      for fire in fires where fire.gateway == receiver {
        if let stay = stays.firstIndex(where: { fire.time >= $0.entered - Self.grace && fire.time <= $0.left + Self.grace }) {
          times[stay].append(fire.time)
        } else if track.distance(at: fire.time) > Self.far {
          beyond += 1
        } else {
          between += 1
        }
      }
      self.stays += stays.count
      fired += times.count { !$0.isEmpty }
      stood += stays.count { $0.left - $0.entered >= Self.standing }
      firedForStanding += zip(stays, times).count { $0.left - $0.entered >= Self.standing && !$1.isEmpty }
      for (stay, times) in zip(stays, times) where !times.isEmpty {
        doubles += times.count - 1
        latencies.append(max(0, times[0] - stay.entered))
      }
      farSeconds += track.seconds(beyond: Self.far)
    }
  }

  var cells: [String] {
    let counts: [Int] = [
      stays, fired, stays - fired, stood, firedForStanding, doubles, between, beyond, Int((farSeconds / 60).rounded()), undecided,
    ]
    return counts.map { String($0) } + [latencies.percentile(0.5), latencies.percentile(0.95)]
  }
}
