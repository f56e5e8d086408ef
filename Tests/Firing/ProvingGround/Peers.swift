import Foundation

// What other software does, each as its own description says. They decide "the phone is at this gateway"; a fire is the moment
// when that begins while the distance is within fire_m.

extension Site {
  /// Log-distance with the exponent that all of them may be given.
  fileprivate func distance(_ level: Double, of phone: Int) -> Double { pow(10, (powers[phone] - level) / perDecade) }
}

/// Who is nearest right now; a visit ends when another is nearer or the distance has left 4 m.
private struct Presence {
  private var place: [Int?]

  init(_ site: Site) { place = Array(repeating: nil, count: site.phones) }

  mutating func move(_ phone: Int, at gateway: Int?, distance: Double, _ site: Site, _ time: Double, _ fires: inout [Fire]) {
    if let here = place[phone], here == gateway, distance < 4 { return }
    place[phone] = nil
    guard let gateway, distance <= site.fireDistance else { return }
    place[phone] = gateway
    fires.append(Fire(gateway: gateway, phone: phone, time: time))
  }
}

/// android-beacon-library: mean of 20 s without the tenth at either end, looked at every 1.1 s; the nearest gateway wins.
struct AltBeacon: Contestant {
  static let title = "AltBeacon"
  private let site: Site
  private var samples: [[(time: Double, level: Double)]]
  private var presence: Presence
  private var due = 0.0

  init(_ site: Site) {
    self.site = site
    samples = Array(repeating: [], count: site.gateways * site.phones)
    presence = Presence(site)
  }

  mutating func observe(_ sample: Sample, _ fires: inout [Fire]) {
    samples[sample.phone * site.gateways + sample.gateway].append((sample.time, sample.level))
  }

  mutating func tick(at time: Double, _ fires: inout [Fire]) {
    guard time >= due else { return }
    due = time + 1.1
    for phone in 0..<site.phones {
      var best: (gateway: Int, distance: Double)?
      for gateway in 0..<site.gateways {
        let place = phone * site.gateways + gateway
        samples[place].removeAll { $0.time < time - 20 }
        guard !samples[place].isEmpty else { continue }
        let sorted = samples[place].map(\.level).sorted()
        let cut = sorted.count / 10
        let kept = sorted[cut..<(sorted.count - cut)]
        let metres = site.distance(kept.reduce(0, +) / Double(kept.count), of: phone)
        if metres < best?.distance ?? .infinity { best = (gateway, metres) }
      }
      presence.move(phone, at: best?.gateway, distance: best?.distance ?? .infinity, site, time, &fires)
    }
  }
}

/// ESPresense: distances of the last 15 s, trimmed at both ends, averaged; the node with the smallest distance has the device.
struct ESPresense: Contestant {
  static let title = "ESPresense"
  private let site: Site
  private var samples: [[(time: Double, distance: Double)]]
  private var presence: Presence
  private var due = 0.0

  init(_ site: Site) {
    self.site = site
    samples = Array(repeating: [], count: site.gateways * site.phones)
    presence = Presence(site)
  }

  mutating func observe(_ sample: Sample, _ fires: inout [Fire]) {
    samples[sample.phone * site.gateways + sample.gateway].append((sample.time, site.distance(sample.level, of: sample.phone)))
  }

  mutating func tick(at time: Double, _ fires: inout [Fire]) {
    guard time >= due else { return }
    due = time + 1
    for phone in 0..<site.phones {
      var best: (gateway: Int, distance: Double)?
      for gateway in 0..<site.gateways {
        let place = phone * site.gateways + gateway
        samples[place].removeAll { $0.time < time - 15 }
        guard !samples[place].isEmpty else { continue }
        let sorted = samples[place].map(\.distance).sorted()
        let cut = sorted.count / 5
        let kept = sorted[cut..<(sorted.count - cut)]
        let metres = kept.reduce(0, +) / Double(kept.count)
        if metres < best?.distance ?? .infinity { best = (gateway, metres) }
      }
      presence.move(phone, at: best?.gateway, distance: best?.distance ?? .infinity, site, time, &fires)
    }
  }
}

/// Bermuda: a running mean of 20 distances that believes approaches at once and retreats at 3 m/s at most; an area is taken over
/// by a challenger that is 30 % nearer, or 15 % for some seconds.
struct Bermuda: Contestant {
  static let title = "Bermuda"
  private let site: Site
  private var history: [[Double]]
  private var latest: [(distance: Double, time: Double)]
  private var area: [Int?]
  private var challenged: [Double?]
  private var presence: Presence
  private var due = 0.0

  init(_ site: Site) {
    self.site = site
    history = Array(repeating: [], count: site.gateways * site.phones)
    latest = Array(repeating: (.infinity, -100), count: site.gateways * site.phones)
    area = Array(repeating: nil, count: site.phones)
    challenged = Array(repeating: nil, count: site.phones)
    presence = Presence(site)
  }

  mutating func observe(_ sample: Sample, _ fires: inout [Fire]) {
    let place = sample.phone * site.gateways + sample.gateway
    var metres = site.distance(sample.level, of: sample.phone)
    let before = latest[place]
    if before.time > sample.time - 30, metres > before.distance + 3 * (sample.time - before.time) {
      metres = before.distance + 3 * (sample.time - before.time)
    }
    history[place].append(metres)
    if history[place].count > 20 { history[place].removeFirst() }
    let mean = history[place].reduce(0, +) / Double(history[place].count)
    latest[place] = (min(mean, metres), sample.time)
  }

  mutating func tick(at time: Double, _ fires: inout [Fire]) {
    guard time >= due else { return }
    due = time + 1
    for phone in 0..<site.phones {
      func metres(_ gateway: Int) -> Double {
        let known = latest[phone * site.gateways + gateway]
        return known.time < time - 30 ? .infinity : known.distance
      }
      guard let best = (0..<site.gateways).min(by: { metres($0) < metres($1) }), metres(best) < .infinity else { continue }
      if let here = area[phone], here != best {
        let gain = (metres(here) - metres(best)) / ((metres(here) + metres(best)) / 2)
        if gain > 0.15 { challenged[phone] = challenged[phone] ?? time } else { challenged[phone] = nil }
        if gain > 0.3 || time - (challenged[phone] ?? time) >= 5 {
          area[phone] = best
          challenged[phone] = nil
        }
      } else {
        area[phone] = best
      }
      presence.move(phone, at: area[phone], distance: area[phone].map(metres) ?? .infinity, site, time, &fires)
    }
  }
}

/// Crownstone's tap-to-toggle bucket, drawn out to a visit: each packet over the threshold adds one, two drain away each second,
/// five overflow and fire, then a minute of rest. Every gateway for itself.
struct Crownstone: Contestant {
  static let title = "Crownstone"
  private let site: Site
  private var bucket: [(level: Double, time: Double, rests: Double)]

  init(_ site: Site) {
    self.site = site
    bucket = Array(repeating: (0, 0, -1), count: site.gateways * site.phones)
  }

  mutating func observe(_ sample: Sample, _ fires: inout [Fire]) {
    let place = sample.phone * site.gateways + sample.gateway
    bucket[place].level = max(0, bucket[place].level - 2 * (sample.time - bucket[place].time))
    bucket[place].time = sample.time
    guard site.distance(sample.level, of: sample.phone) <= site.fireDistance else { return }
    bucket[place].level += 1
    guard bucket[place].level >= 5, sample.time >= bucket[place].rests else { return }
    bucket[place].level = 0
    bucket[place].rests = sample.time + 60
    fires.append(Fire(gateway: sample.gateway, phone: sample.phone, time: sample.time))
  }
}
