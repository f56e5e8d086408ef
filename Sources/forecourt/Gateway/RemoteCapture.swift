import Core
import Host

/// The command `capture`: records for a while what the radios hear, in files beside the outbox that the gateway names itself.
/// Each recording replaces the last, so that no number of commands fills the disk.
struct RemoteCapture {
  private let ticket: Ticket
  private let radios: [Radio]
  private let recorders: [Recorder]
  private var threads: [Thread] = []
  private var files: [String] = []
  private(set) var due: Instant
  private var isEnding = false
  private var packet = Packet()

  /// Of all files together: a minute of a busy forecourt, and no more than a small card can spare.
  private static let mostBytes = 16_000_000
  private static let glance = Interval.milliseconds(20)

  /// Takes the recorders' memory from the system: once, at the first recording.
  static func recorders(_ count: Int) -> [Recorder] {
    var arena = Arena.taken(bytes: count * (Recorder.bytes + 64))
    return (0..<count).map { _ in Recorder(in: &arena) }
  }

  init(
    _ radios: [Radio], _ recorders: [Recorder], beside outbox: String, during span: Interval, _ ticket: Ticket, at now: Instant
  ) {
    (self.radios, self.recorders, self.ticket) = (radios, recorders, ticket)
    due = now + span
    for index in radios.indices {
      let name = radios.count == 1 ? "capture.btsnoop" : "capture.\(String(radios[index].name)).btsnoop"
      let path = SideFiles.path(name, beside: outbox)
      threads.append(recorders[index].start(writing: path, .own, atMost: Int64(Self.mostBytes / radios.count)))
      files.append(path)
    }
    for radio in radios { radio.echo(true) }
  }

  mutating func record(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    guard !isEnding else { return }
    packet.at = moment
    packet.bytes = Text(bytes)
    recorders[radio].record(packet)
  }

  /// Once a turn; true when the files are complete.
  mutating func turned(at now: Instant) -> Bool {
    for index in files.indices {
      recorders[index].wake()
      if recorders[index].isOver { isEnding = true }
    }
    if now >= due { isEnding = true }
    guard isEnding else { return false }
    due = now + Self.glance
    for index in threads.indices { recorders[index].stop() }
    for index in threads.indices where !recorders[index].isOver { return false }
    close()
    return true
  }

  /// At the end of the process: waits for the disk, but no longer than a second.
  mutating func finish() {
    // Whatever the disk does by then is the answer.
    isEnding = true
    for index in threads.indices { recorders[index].stop() }
    let limit = Clock.now() + .seconds(1)
    while Clock.now() < limit, !recorders.allSatisfy({ $0.isOver }) { wait(-1, nil, forAtMost: Self.glance) }
    close()
  }

  private mutating func close() {
    for radio in radios { radio.echo(false) }
    for index in threads.indices where recorders[index].isOver { threads[index].join() }
    threads = []
  }

  func reply(_ settings: borrowing Settings) -> Message {
    for index in files.indices {
      if let refusal = recorders[index].refusal {
        return .reply(to: ticket, settings, error: Sentence("\(files[index]) \(refusal.sentence)"))
      }
      if !recorders[index].isOver { return .reply(to: ticket, settings, error: Sentence("\(files[index]): the disk does not answer")) }
    }
    return .reply(to: ticket, settings) { payload in
      payload.array("files")
      for file in files { payload.element(text: Text<255>(file).bytes, upTo: 800 / files.count) }
      payload.closeArray()
      var (packets, dropped) = (0, 0)
      for index in files.indices {
        packets += recorders[index].packetsRecorded
        dropped += recorders[index].packetsDropped
      }
      payload.member("packets", Int64(packets))
      payload.member("dropped", Int64(dropped))
    }
  }
}
