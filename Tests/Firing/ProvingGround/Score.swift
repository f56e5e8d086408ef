import Simulation

/// How often what happened, summed over many trials.
struct Score {
  var visits = 0
  var served = 0
  /// Stood for ten seconds and more, and nothing.
  var missed = 0
  /// At the pump where the phone then stopped, but a second and more before it was within the radius, or after.
  var untimely = 0
  var wrongPump = 0
  var passing = 0
  var fromStreet = 0
  /// More than one fire for one visit.
  var doubles = 0
  /// Was said to have left its pump, and stood there.
  var leftEarly = 0
  var undecided = 0
  var latencies: [Double] = []

  static func + (a: Score, b: Score) -> Score {
    var sum = a
    sum.visits += b.visits
    sum.served += b.served
    sum.missed += b.missed
    sum.untimely += b.untimely
    sum.wrongPump += b.wrongPump
    sum.passing += b.passing
    sum.fromStreet += b.fromStreet
    sum.doubles += b.doubles
    sum.leftEarly += b.leftEarly
    sum.undecided += b.undecided
    sum.latencies += b.latencies
    return sum
  }

  var cells: [String] {
    [visits, served, missed, untimely, wrongPump, passing, fromStreet, doubles, leftEarly, undecided].map(String.init)
      + [latencies.percentile(0.5), latencies.percentile(0.95)]
  }
}

extension [Double] {
  /// In tenths; a dash when there is none.
  func percentile(_ part: Double) -> String {
    guard !isEmpty else { return "-" }
    return "\((sorted()[Swift.min(Int(part * Double(count)), count - 1)] * 10).rounded() / 10)"
  }
}

extension Score {
  private static let grace = 3.0
  private static let street = 14.0

  init(_ fires: [Fire], _ trial: Trial, leaves: [Fire] = [], undecided: Int = 0) {
    self.undecided = undecided
    for leave in leaves {
      let stands = trial.visits.contains {
        $0.traveller == trial.scenario.phones[leave.phone].bearer && $0.pump == trial.pump(of: leave.gateway) && $0.stood <= leave.time
          && leave.time < $0.moved
      }
      if stands { leftEarly += 1 }
    }
    var spoken = Array(repeating: 0, count: trial.visits.count)
    let gateways = trial.scenario.gateways
    for phone in trial.scenario.phones.indices {
      let bearer = trial.scenario.phones[phone].bearer
      spoken = Array(repeating: 0, count: trial.visits.count)
      var first: [Int: Double] = [:]
      for fire in fires where fire.phone == phone {
        let place = trial.place(of: phone, at: fire.time)
        let here = trial.visits.firstIndex {
          $0.traveller == bearer && fire.time >= $0.entered - Self.grace && fire.time <= $0.left + Self.grace
            && (fire.time >= $0.entered || trial.scenario.pumps[$0.pump].place.distance(to: place) <= 3)
        }
        if let here {
          spoken[here] += 1
          if trial.pump(of: fire.gateway) == trial.visits[here].pump {
            if first[here] == nil { first[here] = fire.time }
          } else {
            wrongPump += 1
          }
        } else if gateways.allSatisfy({ $0.place.distance(to: place) >= Self.street }) {
          fromStreet += 1
        } else if trial.visits.contains(where: { $0.traveller == bearer && $0.pump == trial.pump(of: fire.gateway) }) {
          untimely += 1
        } else {
          passing += 1
        }
      }
      for index in trial.visits.indices where trial.visits[index].traveller == bearer {
        let visit = trial.visits[index]
        // A dead gateway owes nothing.
        if gateways[trial.gateway(of: visit.pump)].silentFrom <= visit.entered { continue }
        visits += 1
        doubles += max(0, spoken[index] - 1)
        if let time = first[index] {
          served += 1
          latencies.append(max(0, time - visit.stood))
        }
        if visit.moved - visit.stood >= 10 {
          if first[index] == nil { missed += 1 }
        }
      }
    }
  }
}

extension Trial {
  /// A pump's gateway has its name.
  func gateway(of pump: Int) -> Int { scenario.gateways.firstIndex { $0.name == scenario.pumps[pump].name } ?? 0 }
  func pump(of gateway: Int) -> Int? { scenario.pumps.firstIndex { $0.name == scenario.gateways[gateway].name } }
}
