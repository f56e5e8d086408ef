import Core
import Host

/// Writes the file, examines it, and waits for the first fire.
extension Setup {
  // MARK: The file

  /// Asks first, so that nobody answers in vain.
  func mayWrite() throws(Exit) {
    if FileSystem.isFolder(Path(file)) { throw invocation.refused("\(file) is a folder") }
    do throws(FileRefusal) { try FileSystem.mustTakeFile(file) } catch { throw invocation.unwritable(file, error) }
    guard FileSystem.exists(Path(file)), !invocation.has("force") else { return }
    guard isAsking else { throw invocation.refused("\(file) exists: --force replaces it, and keeps it as \(file).old") }
    let isOff = keepsRadiosOff
    sayFilled("\(file) exists\(isOff ? "; it keeps the radios off, as shipped" : "").")
    guard let agreed = prompt.agrees(to: "Replace it, at the end, and keep it as \(file).old?", otherwise: isOff), agreed else {
      throw .failed
    }
  }

  private var keepsRadiosOff: Bool {
    guard let source = try? ConfigurationText(reading: file, scope: .hearing) else { return false }
    do throws(Configuration.Refusal) {
      let configuration = try Configuration(reading: source)
      return configuration.core.gateway.authorization == .denied
    } catch { return false }
  }

  func write() throws(Exit) {
    do throws(FileRefusal) {
      if FileSystem.exists(Path(file)) {
        let old = try File(reading: file, atMost: Limits.configurationBytes)
        // It may hold keys that nobody else could read.
        try NewFile.write(old.bytes, to: file + ".old", mode: old.mode)
      }
      // First what the other file names. The folder's group, the gateway's, may read it.
      if let login = answers.login {
        try NewFile.write(Array((login.password + "\n").utf8), to: file.folder + SetupAnswers.Login.file, mode: 0o640)
      }
      try NewFile.write(Array(answers.text.utf8), to: file, mode: 0o644)
    } catch {
      throw invocation.unwritable(file, error)
    }
    say("\(file) is written.")
  }

  /// What `check` says, and how it ends; nil: nothing is wrong.
  func examine() -> Exit? {
    do throws(Exit) {
      try Command.check.run(try Invocation(.check, ["--config", file], invocation.out))
      return nil
    } catch { return error }
  }

  // MARK: The first fire

  func watch() throws(Exit) {
    let seconds = invocation.number("seconds") ?? (isAsking ? 300 : 0)
    guard seconds > 0 else { return }
    let configuration = try configuration()
    let radios = try Radios(attendedBy: invocation, configuration)
    let offline = OfflineGateway(configuration, epoch: Clock.epoch(), started: Clock.now())
    say("")
    sayFilled(
      "Now take it ten steps away, wait twenty seconds, and come to \(answers.inForce(.trigger)): nearer than "
        + "\(answers.inForce(.distance)) m. Ctrl-C ends the waiting.")
    let listener = FireListener(offline, RadioConditions(radios.adapters), invocation.out, TimeSpan(seconds: seconds))
    var loop = CoreLoop(listener, radios.bell, radios.all, prompt.signals)
    loop.run()
    invocation.out.bar.clear()
    let (end, hasFired) = (loop.listener.end, loop.listener.hasFired)
    radios.stop()
    if let end { throw end }
    if hasFired { return say("It works.") }
    sayFilled("No fire yet. `forecourt scan` shows what is heard, and how near; `forecourt explain` says why it did not fire.")
  }

  func offerStart(_ isReady: Bool) {
    var start = Shell.written("systemctl enable --now forecourt")
    // It would go on with the file of before.
    if Examined.gatewayRuns { start += " && " + Shell.written("systemctl restart forecourt") }
    say("")
    if isAsking, isReady, same(file, ConfigurationText.systemPlace), FileSystem.isFolder(Path("/run/systemd/system")) {
      let agreed = prompt.agrees(to: "Start the gateway now and at every boot (\(start))?", otherwise: true)
      if agreed == true, Shell.run(start) { return sayNext([]) }
      if agreed != nil { service.leave() }
    }
    sayNext(same(file, ConfigurationText.systemPlace) ? [start] : ["forecourt run --config " + file])
  }

  private func sayNext(_ lines: [String]) {
    let broker = answers.broker
    let port = broker?.port.map { " -p " + $0 } ?? ""
    let login = answers.login.map { " -u " + $0.name + " -P PASSWORD" } ?? ""
    say("Next:")
    for line in lines { say("  " + line) }
    say("  mosquitto_sub -h \(broker?.host ?? "")\(port)\(login) -v -t 'forecourt/#'")
  }
}

/// The gateway's service, which somebody let `setup` stop.
final class StoppedService {
  private var isStopped = false

  /// `command`: what was run.
  func record(_ command: String) { isStopped = isStopped || same(command, Examined.stopping) }

  /// The person knows how it is started, and has decided.
  func leave() { isStopped = false }

  /// Starts it if it was stopped, and nobody has started it since; what to say then, last of all.
  func startedAgain(runs: Bool = Examined.gatewayRuns, _ run: (String) -> Bool = { Shell.run($0) }) -> String? {
    guard isStopped, !runs else { return nil }
    let start = Shell.written("systemctl start forecourt")
    return run(start) ? "forecourt.service is started again." : "forecourt.service is stopped; start it again: " + start
  }
}

/// Says what the trigger makes of whoever comes, until it fires.
struct FireListener: AttendedListener, ~Copyable {
  private var offline: OfflineGateway
  private var conditions: RadioConditions
  private let out: Output
  private let span: TimeSpan
  private(set) var hasFired = false
  private(set) var end: Exit?
  private var isOver = false

  init(_ offline: consuming OfflineGateway, _ conditions: RadioConditions, _ out: Output, _ span: TimeSpan) {
    self.offline = offline
    self.conditions = conditions
    self.out = out
    self.span = span
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    offline.receive(bytes, radio: radio, at: moment)
  }

  mutating func tick(at moment: Instant) { offline.tick(at: moment) }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    conditions.print(report, radio: radio, over: out.bar)
    end = end ?? conditions.end
    isOver = isOver || report.condition == .ended
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  var nextDeadline: Instant { min(min(span.end, offline.gateway.nextDeadline), out.bar.wakes) }

  mutating func turned(at moment: Instant) -> Bool {
    var lines: [String] = []
    while offline.take({ message in if let line = Self.line(message) { lines.append(line) } }) {}
    for line in lines {
      out.bar.clear()
      say(line)
      hasFired = hasFired || line.rest(after: "  fire") != nil
    }
    out.bar.show(span.part(at: moment), atOnce: true)
    return !hasFired && !isOver && end == nil && moment < span.end
  }

  /// `  fire  {"v":1,…}` of a trigger's event.
  static func line(_ message: borrowing Message) -> String? {
    let payload = String(message.payload)
    for event in ["arm", "fire", "undecided", "leave"] where contains(payload, "\"event\":\"\(event)\",\"trigger\"") {
      return "  \(event.padded(to: 9))  \(payload)"
    }
    return nil
  }
}
