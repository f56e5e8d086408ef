package import Simulation
import CTOML
import Core

/// A scenario's TOML, read into a `Scenario`. Tests/Firing/Scenarios/README.md is its manual.
package struct ScenarioFile {
  package private(set) var scenario = Scenario()
  package private(set) var findings: [Finding] = []

  /// Lists all errors with line and column, as for a configuration.
  @export(interface) package init(_ source: ConfigurationText) {
    let reading = Findings(source)
    if let root = Document.read(reading).root {
      var section = Section(root, "", reading)
      scenario.read(from: &section)
      section.close()
    }
    findings = reading.sorted()
  }
}

extension Scenario {
  fileprivate mutating func read(from section: inout Section) {
    section.read("duration_s", &seconds, 1...86_400)
    section.table("air") { air.read(from: &$0) }
    section.tables("gateway", atMost: 32) { table in
      var station = Station()
      station.read(from: &table)
      gateways.append(station)
    }
    section.tables("pump", atMost: 64) { table in
      var pump = Pump()
      pump.name = table.name()
      table.read("at_m", &pump.place)
      table.read("radius_m", &pump.radius, 0.1...20)
      pumps.append(pump)
    }
    section.table("bystanders") { bystanders.read(from: &$0) }
    section.tables("traveller", atMost: 256) { table in travellers.append(traveller(from: &table)) }
    section.tables("phone", atMost: 256) { table in
      if let phone = phone(from: &table) { phones.append(phone) }
    }
    // What is there, and is none, has its line already.
    let isMissing = section.node["gateway"].map { $0.kind == TOML_ARRAY && $0.count == 0 } ?? true
    if isMissing { section.fault("gateway", "is missing: a scenario needs at least one") }
  }

  private func traveller(from table: inout Section) -> Traveller {
    var traveller = Traveller()
    traveller.name = table.name()
    table.read("from_m", &traveller.start)
    table.read("start_s", &traveller.delay, 0...86_400)
    table.read("start_spread_s", &traveller.delaySpread, 0...600)
    table.read("stray_m", &traveller.stray, 0...10)
    table.read("haste", &traveller.haste, 0...0.9)
    table.read("begins", &traveller.begins, oneOf: [("foot", .foot), ("car", .car), ("open", .open)])
    table.tables("steps", atMost: 64, namedBy: "") { step in
      if let read = self.step(from: &step) { traveller.steps.append(read) }
    }
    return traveller
  }

  /// Exactly one of the verbs, with its parameters.
  private func step(from table: inout Section) -> JourneyStep? {
    let moves: [(String, Conveyance)] = [("walk_m", .foot), ("drive_m", .car), ("ride_m", .open)]
    let stays: [(String, Conveyance)] = [("stand_s", .foot), ("sit_s", .car), ("wait_s", .open)]
    let facing = place(named: "facing", in: &table)
    var speed = 1.0
    table.read("speed_mps", &speed, 0.05...70)
    var pace = JourneyPace.speed(speed)
    if let seconds = table.number("takes_s", 0.1...86_400) { pace = .within(seconds: seconds) }
    var steps: [JourneyStep] = []
    for (key, conveyance) in moves {
      var target = Point.zero
      if table.read(key, &target) { steps.append(.move(to: target, pace: pace, by: conveyance)) }
    }
    for (key, conveyance) in stays {
      let seconds = table.number(key, 0...86_400)
      // A wrong number has its own message.
      if table.node[key] != nil { steps.append(.stay(seconds: seconds ?? 0, facing: facing, in: conveyance)) }
    }
    if steps.count == 1 { return steps[0] }
    table.fault(at: table.node.at, "must have one of walk_m, drive_m, ride_m, stand_s, sit_s and wait_s")
    return nil
  }

  /// The place of the gateway or else the pump of that name.
  private func place(named key: String, in table: inout Section) -> Point? {
    var name = Name()
    table.read(key, &name)
    guard !name.isEmpty else { return nil }
    if let gateway = gateways.first(where: { $0.name == name }) { return gateway.place }
    if let pump = pumps.first(where: { $0.name == name }) { return pump.place }
    table.fault(key, "is no gateway and no pump of this scenario")
    return nil
  }

  private func phone(from table: inout Section) -> Phone? {
    var phone = Phone()
    phone.name = table.name()
    let bearer = table.name("on")
    if let index = travellers.firstIndex(where: { $0.name == bearer }) {
      phone.bearer = index
    } else if !bearer.isEmpty {
      table.fault("on", "is no traveller of this scenario")
    }
    phone.read(from: &table)
    return travellers.isEmpty ? nil : phone
  }
}

extension Air {
  fileprivate mutating func read(from table: inout Section) {
    table.read("path_loss_exponent", &pathLossExponent, 1...6)
    table.read("shadowing_db", &shadowing, 0...20)
    table.read("shadowing_reach_m", &shadowReach, 0.1...100)
    table.read("channel_db", &channelSpread, 0...20)
    table.read("channel_reach_m", &channelReach, 0.01...10)
    table.read("rician_factor", &ricianFactor, 0.01...1_000)
    table.read("fade_reach_m", &fadeReach, 0.001...10)
    table.read("stir_mps", &stir, 0...10)
    table.read("interference", &interference, 0...1)
    table.read("report_error_db", &reportError, 0...10)
    table.read("person_in_line_db", &personInLine, 0...40)
    table.read("car_in_line_db", &carInLine, 0...40)
    table.read("car_shell_db", &carShell, 0...40)
  }
}

extension Station {
  fileprivate mutating func read(from table: inout Section) {
    name = table.name()
    table.read("at_m", &place)
    table.read("height_m", &height, 0...20)
    table.read("gain_db", &gain, -40...40)
    table.read("sensitivity_dbm", &sensitivity, -120...0)
    table.read("interval_ms", milliseconds: &interval, 2.5...10_240)
    window = interval
    table.read("window_ms", milliseconds: &window, 2.5...10_240)
    if window > interval { table.fault("window_ms", "must not be longer than interval_ms") }
    table.read("active", &activeScan)
    table.read("extended", &extended)
    table.read("clock_s", &clock, 0...1e9)
    var silence = Point(silentFrom, silentTo)
    if table.read("silent_s", &silence, 0...86_400) { (silentFrom, silentTo) = (silence.x, silence.y) }
  }
}

extension Bystanders {
  fileprivate mutating func read(from table: inout Section) {
    table.read("count", &count, 0...2_000)
    table.read("corner_m", &corner)
    table.read("opposite_m", &opposite)
    table.read("fastest_mps", &fastest, 0.1...70)
    table.read("standing", &standing, 0...1)
    table.read("shortest_interval_ms", milliseconds: &shortestInterval, 20...60_000)
    table.read("longest_interval_ms", milliseconds: &longestInterval, 20...60_000)
    table.read("power_dbm", &power, -120...20)
    table.read("power_spread_db", &powerSpread, 0...20)
  }
}
