import Core
import Host

/// `forecourt replay`: runs captures through an offline gateway.
extension Command {
  static var replay: Command {
    Command(
      name: "replay", summary: "run captures through the gateway at full speed",
      description: [
        "Reads captures (btsnoop, pcap, pcapng) as if a radio heard them now and prints every message that the gateway would publish, one JSON object a line: t_us (microseconds since the first packet), topic, qos, retain and payload. The same captures and configuration give the same lines on every machine.",
        "Several captures belong to the configuration's radios, in its order; with one radio they are parts of one recording.",
        "With --decoded, prints one line for each advertising report instead: what its bytes say, and whose they are. Malformed packets get lines of their own.",
        "With --report, also writes a page with every device's levels, the triggers' thresholds, the events and the visits. With --config given twice, the page shows both runs side by side and which fires differ; the messages are the first run's. An existing file is replaced only with --force.",
        "Every message carries \"simulated\":true: subscribers must not act on it.",
      ],
      operands: .oneOrMore("CAPTURE"), options: [.configs, .decoded, .report, .force],
      examples: [
        Example(line: "forecourt replay yard.btsnoop", words: "What the gateway would have published."),
        Example(line: "forecourt replay left.btsnoop right.btsnoop --config pumps.toml", words: "Two radios, with another configuration."),
        Example(
          line: "forecourt replay y.pcap --report y.html --config a.toml --config b.toml", words: "What b.toml would change."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runReplay(invocation) })
  }
}

extension Option {
  fileprivate static var configs: Option {
    Option("config", .text("FILE"), repeatable: true, Option.config.help + " Given twice with --report, both are compared.")
  }
}

private func runReplay(_ invocation: Invocation) throws(Exit) {
  let configurations = invocation.values("config").count
  if let path = invocation.value("report") {
    if configurations > 2 { throw invocation.refused("there are \(configurations) configurations; a report compares two") }
    if invocation.has("decoded") { throw invocation.refused("--report and --decoded exclude each other") }
    return try writeReport(path, invocation)
  }
  if configurations > 1 { throw invocation.refused("--config is given twice: add --report to compare the two") }
  let configuration = try invocation.configuration(.hearing)
  let captures = Captures(opening: invocation.operands)
  if invocation.has("decoded") {
    decode(captures, configuration, invocation)
  } else {
    try replay(captures, configuration, invocation)
  }
  try invocation.close(captures)
}

private func replay(_ captures: Captures, _ configuration: consuming Configuration, _ invocation: Invocation) throws(Exit) {
  let radios = max(configuration.core.radios.count, 1)
  try invocation.mustSuit(invocation.operands, configuration.core)
  invocation.sayUncaptured(invocation.operands, configuration.core)
  invocation.sayIfOff(configuration, named: invocation.value("config"))
  var offline = OfflineGateway(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = invocation.next(of: captures, into: &packet) {
    offline.receive(packet, radio: radios == 1 ? 0 : capture)
    offline.print(to: invocation.out)
  }
}

private func decode(_ captures: Captures, _ configuration: consuming Configuration, _ invocation: Invocation) {
  var replay = DecodedReplay(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = invocation.next(of: captures, into: &packet) { replay.receive(packet, from: capture, to: invocation.out) }
}
