import Core
import Host
import Simulation

/// `forecourt simulate`: plays a scenario into captures or an offline gateway.
extension Command {
  static var simulate: Command {
    Command(
      name: "simulate", summary: "play a scenario of people, cars and phones as gateways would hear it",
      description: [
        "Reads a scenario (Tests/Firing/Scenarios/README.md describes the format) and plays it once. The same scenario and seed give the same packets on every machine.",
        "With --out, writes what each gateway hears as a btsnoop capture: FILE for a single gateway, else FILE with the gateway's name before its ending: site.pump-1.btsnoop, as capture names them. With --truth, writes as JSON lines where everybody was, twice a second, and every visit.",
        "Without --out, prints as replay does what a gateway with this configuration would publish in the place of the first one; every message carries \"simulated\":true. Existing files are replaced only with --force.",
      ],
      operands: .one("SCENARIO"),
      options: [
        .config, Option("seed", .number("N", 0...1_000_000_000), "Seed of the run, 1 unless given; another seed gives another run."),
        Option("out", .text("FILE"), "Write captures (btsnoop, whatever the ending of FILE) instead of running the gateway."),
        Option("truth", .text("FILE"), "Write where everybody was, and the visits."), .force,
      ],
      examples: [
        Example(line: "forecourt simulate Tests/Firing/Scenarios/first-visit.toml", words: "What a gateway would publish."),
        Example(
          line: "forecourt simulate site.toml --out site.btsnoop --truth site.jsonl",
          words: "Captures to replay, and what really happened."),
      ],
      exits: [.done, .failed, .usage, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runSimulate(invocation) })
  }
}

private func runSimulate(_ invocation: Invocation) throws(Exit) {
  let scenario = try invocation.scenario(invocation.operands[0])
  let seed = UInt64(invocation.number("seed") ?? 1)
  let (out, truth) = (invocation.value("out"), invocation.value("truth"))
  let captures = out.map { scenario.paths($0) } ?? []
  // Refuse whatever can be refused before writing anything.
  if let out { try invocation.mustNameFile(out) }
  for (index, path) in (captures + (truth.map { [$0] } ?? [])).enumerated() {
    let earlier = captures.prefix(index).flatMap { [$0, $0 + ".part"] }
    try invocation.mayWrite(path, reading: invocation.operands + invocation.values("config") + earlier)
  }
  var world = World(scenario, seed: seed, cipher: aes128())
  guard out == nil else {
    if let truth { try writeTruth(World(scenario, seed: seed, cipher: aes128()), truth, invocation) }
    return try writeCaptures(&world, captures, invocation)
  }
  let configuration = try invocation.configuration(.hearing)
  invocation.sayIfOff(configuration, named: invocation.value("config"))
  var offline = OfflineGateway(configuration, epoch: nil)
  if let truth { try writeTruth(World(scenario, seed: seed, cipher: aes128()), truth, invocation) }
  var packet = Packet()
  while let gateway = world.next(into: &packet), !invocation.out.isClosed {
    // The run begins with the scenario, whatever the gateway's clock shows then.
    packet.at = packet.at - world.scenario.gateways[gateway].ahead
    invocation.out.bar.show(world.part(at: packet.at))
    guard gateway == 0 else { continue }
    offline.receive(packet, radio: 0)
    offline.print(to: invocation.out)
  }
  invocation.out.bar.clear()
}

extension Invocation {
  func scenario(_ path: String) throws(Exit) -> Scenario {
    let source = try source(named: path, .hearing)
    let file = ScenarioFile(source)
    for finding in file.findings { say(finding.line(in: source.name)) }
    guard file.findings.isEmpty else { throw .configuration }
    return file.scenario
  }
}

extension Scenario {
  /// One for each gateway.
  fileprivate func paths(_ path: String) -> [String] { gateways.map { gateways.count == 1 ? path : path.naming(String($0.name)) } }
}

private func writeCaptures(_ world: inout World, _ paths: [String], _ invocation: Invocation) throws(Exit) {
  let bar = invocation.out.bar
  var files: [CaptureFile] = []
  for path in paths {
    // A scenario starts at no particular time: the same run gives the same file.
    do throws(FileRefusal) { files.append(try CaptureFile(creating: path, epoch: 0, invocation.manner)) } catch {
      throw invocation.unwritable(path, error)
    }
  }
  var packet = Packet()
  while let gateway = world.next(into: &packet) {
    files[gateway].append(packet.bytes.bytes, at: packet.at, dropped: 0)
    bar.show(world.part(at: packet.at - world.scenario.gateways[gateway].ahead))
  }
  bar.clear()
  for index in files.indices {
    let failure = files[index].keep()
    guard failure == 0 else { throw invocation.unwritable(paths[index], code: failure) }
  }
}

private func writeTruth(_ run: consuming World, _ path: String, _ invocation: Invocation) throws(Exit) {
  let bar = invocation.out.bar
  var world = run
  let file: NewFile
  do throws(FileRefusal) { file = try NewFile(creating: path, invocation.manner) } catch { throw invocation.unwritable(path, error) }
  var line = TruthLine()
  var time = 0.0
  while time <= world.scenario.seconds {
    for phone in 0..<world.witnessed {
      world.compose(phone: phone, at: time, into: &line)
      file.line(line)
    }
    bar.show(time / world.scenario.seconds)
    time += 0.5
  }
  for visit in world.visits {
    world.compose(visit, into: &line)
    file.line(line)
  }
  bar.clear()
  let failure = file.keep()
  guard failure == 0 else { throw invocation.unwritable(path, code: failure) }
}

extension World {
  fileprivate func part(at moment: Instant) -> Double { (moment - .zero).seconds / scenario.seconds }
}
