import Core
import Host

extension Command {
  static var run: Command {
    Command(
      name: "run", summary: "be the gateway",
      description: [
        "Listens through the configured radios and publishes what they hear until it is told to stop. systemd starts this.",
        "SIGHUP reads the configuration anew: a wrong one is refused, with every error, and the old one stays in force. SIGTERM ends: what is owed to the broker is delivered first, within two seconds; and whatever hangs, within five.",
        "With --print messages go to standard output, one JSON object a line as replay prints them, and no broker is needed.",
      ],
      options: [.config, .radio, Option("print", .none, "Print the messages instead of publishing them.")],
      examples: [
        Example(line: "forecourt run", words: "As systemd does it."),
        Example(line: "forecourt run --print --radio tcp:127.0.0.1:9001", words: "What an emulated controller hears, on the terminal."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try serve(invocation) })
  }
}

private func serve(_ invocation: Invocation) throws(Exit) {
  // Before any thread begins: signals are the main thread's.
  let signals = Signals(endingWithin: .seconds(4.5))
  var configuration = try invocation.configuration(invocation.has("print") ? .hearing : .whole)
  configuration.core.peer.ownID = try invocation.ownID(configuration.core.peer, in: configuration.host)
  let started = Clock.now()
  let boot = SystemRandom.boot()
  var arena = Arena.taken(bytes: Daemon.bytes(configuration.core))
  let radios = try Radios(
    configuration.core, configuration.host.adapters, isAsked: false, invocation,
    duties: .configured, in: &arena)
  // The radios' threads have what they need. This one and those of the courier parse what strangers send.
  guard Privileges.keepOnly([]) else {
    radios.stop()
    say(
      "forecourt: the system does not let this program give its capabilities away, and with them it listens to nobody: allow capset "
        + "(the unit's SystemCallFilter=), or run it without capabilities")
    throw .forbidden
  }
  let sink = MessageSink(configuration, boot, started: started, radios.bell, invocation, in: &arena)
  let diskThread = DiskThread(waking: radios.bell)
  let desk = diskThread.start()
  let service = try Daemon(configuration, boot, started: started, radios.all, radios.adapters, sink, diskThread, invocation, in: &arena)
  var loop = CoreLoop(service, radios.bell, radios.all, signals)
  loop.run()
  let end = loop.listener.end
  radios.stop()
  sink.close()
  diskThread.stop()
  desk.join()
  if end != .done { throw end }
}
