import Core
import Host

extension Command {
  static var capture: Command {
    Command(
      name: "capture", summary: "record what the radios hear",
      description: [
        "Brings the radios up as the gateway would and writes everything they hear, and every command that is sent to them, to OUT.btsnoop, which btmon, Wireshark and forecourt replay read. With several radios there is one file for each: OUT.NAME.btsnoop.",
        "Ends after --seconds, or when it is interrupted; what was heard until then is in the file.",
      ],
      operands: .one("OUT.btsnoop"), options: [.config, .radio, .seconds],
      examples: [
        Example(line: "forecourt capture yard.btsnoop --seconds 60", words: "A minute of the yard."),
        Example(line: "forecourt capture uart.btsnoop --radio h4:/dev/ttyACM0@1000000", words: "From a controller on a serial line."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try record(invocation) })
  }
}

extension Option {
  static var seconds: Option { Option("seconds", .number("N", 1...86_400), "End after so many seconds.") }
}

private func record(_ invocation: Invocation) throws(Exit) {
  let signals = Signals()
  let configuration = try invocation.configuration(.hearing)
  for adapter in configuration.host.adapters where adapter.isRehearsal {
    throw invocation.refused("\(adapter.written) is no radio: there is nothing to record")
  }
  var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + configuration.core.radios.count * (Recorder.bytes + 64) + 4_096)
  let recording = try Recording(configuration.core, invocation, in: &arena)
  let radios = try Radios(configuration.core, configuration.host.adapters, echoes: true, isAsked: true, invocation, in: &arena)
  let listener = CaptureListener(recording, radios.adapters, invocation.number("seconds"))
  var station = Station(listener, radios.bell, radios.all, signals)
  station.run()
  let end = station.listener.end
  radios.stop()
  try recording.close()
  if end != .done { throw end }
}

/// One file and its writer for each radio.
private final class Recording: Sendable {
  let recorders: [Recorder]
  private let threads: [Thread]
  private let files: [String]

  init(_ settings: borrowing Settings, _ invocation: Invocation, in arena: inout Arena) throws(Exit) {
    var recorders: [Recorder] = []
    var threads: [Thread] = []
    var files: [String] = []
    for index in settings.radios.indices {
      var file = invocation.operands[0]
      if settings.radios.count > 1 { file = Self.named(file, String(settings.radios[index].name)) }
      let recorder = Recorder(in: &arena)
      do throws(FileRefusal) {
        threads.append(try recorder.start(writing: file))
      } catch {
        say("forecourt: \(file) \(error.sentence)")
        throw .failed
      }
      recorders.append(recorder)
      files.append(file)
    }
    (self.recorders, self.threads, self.files) = (recorders, threads, files)
  }

  /// OUT.btsnoop and left: OUT.left.btsnoop.
  private static func named(_ file: String, _ radio: String) -> String {
    let ending = ".btsnoop"
    guard file.utf8.count > ending.utf8.count, same(String(file.suffix(ending.utf8.count)), ending) else { return file + "." + radio }
    return String(file.dropLast(ending.utf8.count)) + "." + radio + ending
  }

  func close() throws(Exit) {
    var isWhole = true
    for index in recorders.indices {
      recorders[index].stop()
      threads[index].join()
      if recorders[index].failure != 0 {
        say("forecourt: \(files[index]): \(systemWords(recorders[index].failure))")
        isWhole = false
      }
      let dropped = recorders[index].packetsDropped
      let loss = dropped > 0 ? ", \(dropped) more were lost to a slow disk" : ""
      say("\(files[index]): \(recorders[index].packetsRecorded) packets\(loss)")
    }
    if !isWhole { throw .failed }
  }
}

private struct CaptureListener: Listener, ~Copyable {
  private let recording: Recording
  private let adapters: [Adapter]
  private let until: Instant
  private var packet = Packet()
  private var lastTrouble: [Trouble?]
  private var hasListened: [Bool]
  private(set) var end = Exit.done
  private var isOver = false

  init(_ recording: Recording, _ adapters: [Adapter], _ seconds: Int?) {
    (self.recording, self.adapters) = (recording, adapters)
    until = seconds.map { Clock.now() + .seconds(Double($0)) } ?? .never
    lastTrouble = adapters.map { _ in nil }
    hasListened = adapters.map { _ in false }
  }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    recording.recorders[radio].record(packet)
  }

  mutating func reported(_ report: Radio.Report, radio: Int) {
    let trouble = report.condition.trouble
    if let trouble, trouble != lastTrouble[radio] { say("forecourt: " + advice(trouble, adapters[radio], code: report.code)) }
    if report.condition.isListening, lastTrouble[radio] != nil || !hasListened[radio] {
      say("forecourt: \(adapters[radio].written): listening")
      hasListened[radio] = true
    }
    lastTrouble[radio] = trouble
    // Whoever sits in front of it need not wait for what cannot be opened.
    guard !hasListened.contains(true), !lastTrouble.contains(where: { $0?.isOfController ?? true }) else { return }
    isOver = true
    end = trouble?.exit ?? .unavailable
  }

  mutating func asked(_ request: Signals.Request) { isOver = true }
  mutating func tick(at moment: Instant) {}
  var nextDeadline: Instant { until }
  var hasWork: Bool { false }

  mutating func turned(at moment: Instant) -> Bool {
    for recorder in recording.recorders {
      recorder.wake()
      if recorder.failure != 0 { isOver = true }
    }
    return !isOver && moment < until
  }
}
