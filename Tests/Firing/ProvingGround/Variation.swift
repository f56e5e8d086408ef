import Core
import Simulation

/// What may be otherwise at a site drawn at random.
enum Variation: String, CaseIterable, Sendable {
  case plain
  /// Every phone's power is known; the second without `at_m`.
  case measured
  case unplaced = "no at_m"
  /// All but the visitors have phones that are 13 to 23 dB louder than usual.
  case loud
  /// All but the visitors claim to be 15 dB weaker than they are.
  case liars
  /// Nobody is in the shop: that phone, whose power was measured, too, stands at a pump without a radio, the next one of the row.
  case beyond
  /// The same where no trigger has a group.
  case beyondAlone = "beyond, alone"
  /// Everybody at a pump has company: two phones, one place.
  case pairs
  /// Visitors stay for three minutes instead of half a one.
  case long
  case longMeasured = "long, measured"
  /// The same where nobody else moves: the shadows stay as they are.
  case longStill = "long, still"
  /// The same as "long, measured" with a `group_refractory_s` of five minutes.
  case longOnce = "long, once"
  /// Visitors go on from pump to pump on foot and stand at four of them, as from case to case in a museum.
  case rounds
  case roundsMeasured = "rounds, measured"
  /// The same with a `group_refractory_s` of five seconds.
  case roundsOnce = "rounds, once"
  /// After 35 s one radio hears nothing more; its gateway lives.
  case deaf
  /// One radio has never heard anything, and all but the visitors claim to be weaker.
  case liarsBesideDeaf = "liars, deaf"
  /// One radio has lost its antenna: it hears only who stands beside it.
  case torn = "no antenna"
  /// One gateway hangs 8 m from where its configuration says.
  case moved

  var knowsPower: Bool {
    switch self {
    case .measured, .unplaced, .beyond, .beyondAlone, .longMeasured, .longStill, .longOnce, .roundsMeasured, .roundsOnce: true
    case .plain, .loud, .liars, .pairs, .long, .rounds, .deaf, .liarsBesideDeaf, .torn, .moved: false
    }
  }
  var groupRefractory: Interval { self == .longOnce ? .seconds(300) : self == .roundsOnce ? .seconds(5) : .zero }
  var isPlaced: Bool { self != .unplaced }
  var isGrouped: Bool { self != .beyondAlone }

  func change(_ scenario: inout Scenario, _ random: inout Random) {
    let one = Int(random.fraction() * Double(scenario.gateways.count))
    switch self {
    case .plain: break
    case .measured, .unplaced:
      for index in scenario.phones.indices { scenario.phones[index].power = Double(scenario.phones[index].claimedPower) }
    case .beyond, .beyondAlone:
      Self.measured.change(&scenario, &random)
      standBeyond(in: &scenario, &random)
    case .long: stay(in: &scenario)
    case .longMeasured:
      Self.measured.change(&scenario, &random)
      stay(in: &scenario)
    case .longOnce: Self.longMeasured.change(&scenario, &random)
    case .roundsOnce: Self.roundsMeasured.change(&scenario, &random)
    case .longStill:
      Self.longMeasured.change(&scenario, &random)
      scenario.air.stirsShadows = false
    case .rounds: goOn(in: &scenario, &random)
    case .roundsMeasured:
      Self.measured.change(&scenario, &random)
      goOn(in: &scenario, &random)
    case .loud: changeOthers(&scenario) { $0.power = -63 + random.between(13, 23) }
    case .liars:
      var number: UInt8 = 0
      changeOthers(&scenario) {
        number += 1
        $0.says = .beacon(Self.beacon(number))
        $0.claimedPower = Int8(($0.power - 15).rounded())
      }
    case .pairs:
      for index in scenario.phones.indices where RandomSite.role(of: scenario.phones[index]) == .visitor {
        var second = scenario.phones[index]
        second.name = Name("v\(index + scenario.phones.count)")
        second.says = .named(second.name)
        second.power = RandomSite.power(&random)
        scenario.phones.append(second)
      }
    case .liarsBesideDeaf:
      Self.liars.change(&scenario, &random)
      scenario.gateways[one].silentFrom = 1
    case .deaf: scenario.gateways[one].silentFrom = 35
    case .torn: scenario.gateways[one].gain -= 25
    case .moved: scenario.gateways[one].place = scenario.gateways[one].place + Point(0, one % 2 == 0 ? -8 : 8)
    }
  }

  private func standBeyond(in scenario: inout Scenario, _ random: inout Random) {
    let last = scenario.pumps[scenario.pumps.count - 1].place
    let place = RandomSite.stand(at: last + Point(last.x - scenario.pumps[scenario.pumps.count - 2].place.x, 0), &random)
    for phone in scenario.phones where RandomSite.role(of: phone) == .shop {
      let steps = scenario.travellers[phone.bearer].steps
      scenario.travellers[phone.bearer].steps = [.move(to: place, pace: .speed(1.2), by: .foot)] + steps.dropFirst()
    }
  }

  private func stay(in scenario: inout Scenario) {
    let more = 150.0
    scenario.seconds += more
    for phone in scenario.phones where RandomSite.role(of: phone) == .visitor {
      scenario.travellers[phone.bearer].steps = scenario.travellers[phone.bearer].steps.map {
        guard case .stay(let seconds, let facing, .foot) = $0 else { return $0 }
        return .stay(seconds: seconds + more, facing: facing, in: .foot)
      }
    }
  }

  private func goOn(in scenario: inout Scenario, _ random: inout Random) {
    let (stops, pumps) = (3, scenario.pumps.map(\.place))
    scenario.seconds += Double(stops) * 45
    for phone in scenario.phones where RandomSite.role(of: phone) == .visitor {
      var steps = scenario.travellers[phone.bearer].steps
      guard case .move(let stand, _, _) = steps[2] else { continue }
      let first = pumps.indices.min { pumps[$0].distance(to: stand) < pumps[$1].distance(to: stand) }!
      var more: [JourneyStep] = []
      for stop in 1...stops {
        let place = RandomSite.stand(at: pumps[(first + stop) % pumps.count], &random)
        more += [.move(to: place, pace: .speed(1.2), by: .foot), .stay(seconds: 30, facing: nil, in: .foot)]
      }
      steps.insert(contentsOf: more, at: 4)
      scenario.travellers[phone.bearer].steps = steps
    }
  }

  private static func beacon(_ number: UInt8) -> Identity {
    var identity = Identity(.iBeacon)
    for byte: UInt8 in 1...19 { identity.append(byte) }
    identity.append(number)
    return identity
  }

  private func changeOthers(_ scenario: inout Scenario, _ change: (inout Phone) -> Void) {
    for index in scenario.phones.indices where RandomSite.role(of: scenario.phones[index]) != .visitor { change(&scenario.phones[index]) }
  }
}
