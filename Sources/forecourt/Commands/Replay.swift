import Core
import Host

extension Command {
  static var replay: Command {
    Command(
      name: "replay", summary: "run captures through the gateway at full speed",
      description: [
        "Reads captures (btsnoop, pcap, pcapng) as if a radio heard them now and prints every message that the gateway would publish, one JSON object a line: t_us, microseconds since the first packet; topic, qos, retain, payload. The same captures and configuration give the same lines on every machine.",
        "Several captures are taken for the configuration's radios, in its order; with one radio they are parts of one recording.",
        "With --decoded, one line for each advertising report instead: what its bytes say, and whose they are. Malformed packets are lines of their own.",
        "With --report, a page with every device's levels, the triggers' thresholds, the events and visits, too. Given --config twice, it shows both runs side by side and which fires differ; the messages are those of the first. A file that is there stays, unless --force says otherwise.",
        "Whatever a rehearsal says carries \"simulated\":true: nobody may act on it.",
      ],
      operands: .oneOrMore("CAPTURE"), options: [.configs, .decoded, .report, .force],
      examples: [
        Example(line: "forecourt replay yard.btsnoop", words: "What would have been published."),
        Example(line: "forecourt replay left.btsnoop right.btsnoop --config pumps.toml", words: "Two radios, with another configuration."),
        Example(
          line: "forecourt replay y.pcap --report y.html --config a.toml --config b.toml", words: "What b.toml would change."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .configuration],
      run: { invocation throws(Exit) in try rehearse(invocation) })
  }
}

extension Option {
  fileprivate static var configs: Option {
    Option("config", .text("FILE"), repeatable: true, Option.config.help + " Twice with --report: two, side by side.")
  }
}

private func rehearse(_ invocation: Invocation) throws(Exit) {
  let configurations = invocation.values("config").count
  if let path = invocation.value("report") {
    if configurations > 2 { throw invocation.refused("there are \(configurations) configurations; a report compares two") }
    if invocation.has("decoded") { throw invocation.refused("--report and --decoded exclude one another") }
    return try writeReport(path, invocation)
  }
  if configurations > 1 { throw invocation.refused("--config is given twice, and there is no --report to compare them in") }
  let configuration = try invocation.configuration(.hearing)
  let captures = Captures(opening: invocation.operands)
  if invocation.has("decoded") {
    decode(captures, configuration, invocation)
  } else {
    try rehearse(captures, configuration, invocation)
  }
  for fault in captures.faults { say("forecourt: \(fault.name) \(fault.reason.sentence)") }
  if !captures.faults.isEmpty { throw .unreadable }
}

private func rehearse(_ captures: Captures, _ configuration: consuming Configuration, _ invocation: Invocation) throws(Exit) {
  let radios = max(configuration.core.radios.count, 1)
  guard radios == 1 || invocation.operands.count <= radios else {
    throw invocation.refused("there are \(invocation.operands.count) captures for \(radios) radios")
  }
  var rehearsal = OfflineGateway(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = invocation.next(of: captures, into: &packet) {
    rehearsal.receive(packet, radio: radios == 1 ? 0 : capture)
    rehearsal.print(to: invocation.out)
  }
}

private func decode(_ captures: Captures, _ configuration: consuming Configuration, _ invocation: Invocation) {
  var replay = DecodedReplay(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = invocation.next(of: captures, into: &packet) { replay.receive(packet, from: capture, to: invocation.out) }
}
