import Core
import Host

/// `forecourt run`: starts the radios, the threads and the daemon.
extension Command {
  static var run: Command {
    Command(
      name: "run", summary: "run the gateway",
      description: [
        "Listens through the configured radios and publishes what they hear until it is told to stop. systemd runs this.",
        "SIGHUP reads the configuration anew. If it is wrong, every error is logged, the old one stays in force, and the status is degraded. SIGTERM stops: waiting messages get two seconds to reach the broker; after five seconds the process ends in any case.",
        "With --print, messages go to standard output, one JSON object a line as replay prints them, and no broker is needed.",
      ],
      options: [.config, .radio, Option("print", .none, "Print the messages instead of publishing them.")],
      examples: [
        Example(line: "forecourt run", words: "As systemd does it."),
        Example(line: "forecourt run --print --radio tcp:127.0.0.1:9001", words: "On the terminal, what an emulated controller hears."),
      ],
      exits: [.done, .failed, .usage, .unreadable, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runDaemon(invocation) })
  }
}

private func runDaemon(_ invocation: Invocation) throws(Exit) {
  // Before any thread starts: the main thread handles signals.
  let signals = Signals(endingWithin: .seconds(4.5))
  var configuration = try invocation.configuration(invocation.has("print") ? .hearing : .whole)
  if configuration.core.gateway.authorization == .denied {
    say("forecourt: authorization is \"denied\": the radios stay off. Set purpose and match, then make it \"always\"")
  }
  configuration.core.peer.ownID = try invocation.ownID(configuration.core.peer, in: configuration.host)
  let started = Clock.now()
  let boot = SystemRandom.boot()
  var arena = Arena.taken(bytes: Daemon.bytes(configuration.core))
  let radios = try Radios(
    configuration.core, configuration.host.adapters, isAsked: false, invocation,
    duties: .configured, in: &arena)
  // The radios' threads have their sockets. This thread and the courier's parse what strangers send, without capabilities.
  guard Privileges.keepOnly([]) else {
    radios.stop()
    say(
      "forecourt: this program cannot drop its capabilities, and does not listen while it has them: allow capset "
        + "(the unit's SystemCallFilter=), or run it without capabilities")
    throw .forbidden
  }
  // Before the courier makes an outbox where there was none.
  if !invocation.has("print"), !configuration.core.gateway.simulated {
    do throws(FileRefusal) { try SideFiles.adopt(beside: configuration.host.outbox.path) } catch {
      say("forecourt: what is kept beside the outbox \(error.sentence); it begins anew")
    }
  }
  let sink = MessageSink(configuration, boot, started: started, radios.bell, invocation, in: &arena)
  let diskThread = DiskThread(waking: radios.bell)
  let thread = diskThread.start()
  let daemon = try Daemon(configuration, boot, started: started, radios.all, radios.adapters, sink, diskThread, invocation, in: &arena)
  var loop = CoreLoop(daemon, radios.bell, radios.all, signals)
  releaseStack()
  loop.run()
  let end = loop.listener.end
  radios.stop()
  sink.close()
  diskThread.stop()
  thread.join()
  loop.listener.metrics.close()
  if end != .done { throw end }
}
