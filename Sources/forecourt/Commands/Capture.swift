import Core
import Host

/// `forecourt capture`: records packets into a file for each radio.
extension Command {
  static var capture: Command {
    Command(
      name: "capture", summary: "record what the radios hear",
      description: [
        "Brings the radios up as the gateway would and writes everything they hear, and every command sent to them, to OUT.btsnoop, a btsnoop capture whatever its name, which btmon, Wireshark and forecourt replay can read. Several radios get a file each: OUT.NAME.btsnoop.",
        "Ends after --seconds or on Ctrl-C, and keeps what was heard until then, also when the disk is full. While it runs the file is called OUT.btsnoop.part. An existing file is replaced only with --force.",
      ],
      operands: .one("OUT.btsnoop"), options: [.config, .liveRadio, .seconds, .force],
      examples: [
        Example(line: "forecourt capture yard.btsnoop --seconds 60", words: "A minute of the yard."),
        Example(line: "forecourt capture uart.btsnoop --radio h4:/dev/ttyACM0@1000000", words: "From a controller on a serial line."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runCapture(invocation) })
  }
}

extension Option {
  static var seconds: Option { Option("seconds", .number("N", 1...86_400), "End after so many seconds.") }
}

private func runCapture(_ invocation: Invocation) throws(Exit) {
  let signals = Signals()
  let configuration = try invocation.configuration(.hearing)
  for adapter in configuration.host.adapters where adapter.isRehearsal {
    throw invocation.refused("\(adapter.written) is no radio: there is nothing to record")
  }
  var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + configuration.core.radios.count * (Recorder.bytes + 64) + 4_096)
  let recording = try Recording(configuration.core, invocation, in: &arena)
  let radios = try Radios(configuration.core, configuration.host.adapters, echoes: true, isAsked: true, invocation, in: &arena)
  let listener = CaptureListener(recording, RadioConditions(radios.adapters, configuration.knownAdapters), invocation)
  var loop = CoreLoop(listener, radios.bell, radios.all, signals)
  loop.run()
  let end = loop.listener.conditions.end
  invocation.out.bar.clear()
  radios.stop()
  try recording.close()
  if let end { throw end }
}

/// A file and its recorder for each radio.
private final class Recording: Sendable {
  let recorders: [Recorder]
  private let threads: [Thread]
  private let files: [String]

  init(_ settings: borrowing Settings, _ invocation: Invocation, in arena: inout Arena) throws(Exit) {
    var recorders: [Recorder] = []
    var threads: [Thread] = []
    var files: [String] = []
    try invocation.mustNameFile(invocation.operands[0])
    for index in settings.radios.indices {
      var file = invocation.operands[0]
      if settings.radios.count > 1 { file = file.naming(String(settings.radios[index].name)) }
      try invocation.mayWrite(file, reading: invocation.values("config"))
      recorders.append(Recorder(in: &arena))
      files.append(file)
    }
    // None is started unless every file may be written.
    for index in files.indices {
      threads.append(recorders[index].start(writing: files[index], .asked(force: invocation.has("force"))))
    }
    (self.recorders, self.threads, self.files) = (recorders, threads, files)
  }

  func close() throws(Exit) {
    var isWhole = true
    for index in recorders.indices {
      recorders[index].stop()
      threads[index].join()
      if let refusal = recorders[index].refusal {
        let kept = recorders[index].kept.map { "; \(counted($0.packets, "packet")) from before (\($0.bytes) bytes) are kept in \($0.path)" }
        say("forecourt: \(files[index]) \(refusal.sentence)\(kept ?? "")")
        isWhole = false
        continue
      }
      guard recorders[index].packetsRecorded > 0 else {
        say("\(files[index]): nothing was heard, so no file was written")
        continue
      }
      let dropped = recorders[index].packetsDropped
      let loss = dropped > 0 ? ", \(dropped) more were lost to a slow disk" : ""
      say("\(files[index]): \(recorders[index].packetsRecorded) packets\(loss)")
    }
    if !isWhole { throw .failed }
  }
}

/// Records every packet until the time is over.
private struct CaptureListener: AttendedListener, ~Copyable {
  private let recording: Recording
  private let span: TimeSpan
  private let bar: ProgressBar
  private var packet = Packet()
  private(set) var conditions: RadioConditions
  private var isOver = false

  init(_ recording: Recording, _ conditions: RadioConditions, _ invocation: Invocation) {
    (self.recording, self.conditions, bar) = (recording, conditions, invocation.out.bar)
    span = TimeSpan(seconds: invocation.number("seconds"))
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    recording.recorders[radio].record(packet)
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    let wasListening = conditions.isListening(radio)
    conditions.print(report, radio: radio, over: bar)
    guard conditions.isListening(radio), !wasListening else { return }
    bar.clear()
    say("forecourt: \(conditions.adapters[radio].written): listening")
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  var nextDeadline: Instant { min(span.end, bar.wakes) }

  mutating func turned(at moment: Instant) -> Bool {
    for recorder in recording.recorders {
      recorder.wake()
      if recorder.refusal != nil { isOver = true }
    }
    bar.show(span.part(at: moment))
    return !isOver && conditions.end == nil && moment < span.end
  }
}
