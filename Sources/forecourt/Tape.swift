import Core
import Host

/// The command `capture`: all that the radios hear for a while, in files that the gateway names, beside the outbox.
/// The next recording takes the place of the last, so that no number of commands fills the disk.
struct Tape {
  private let ticket: Ticket
  private let radios: [Radio]
  private let recorders: [Recorder]
  private var threads: [Thread] = []
  private var files: [String] = []
  private(set) var due: Instant
  private var isEnding = false
  private var packet = Packet()

  /// All files together: a minute of a busy forecourt, and no more than a small card can spare.
  private static let most = 16_000_000
  /// What a recording leaves to the outbox, whose log takes two megabytes at times.
  private static let room: Int64 = 8_388_608
  private static let glance = Interval.milliseconds(20)

  /// Takes the recorders' memory from the system; done once, when it is first asked for.
  static func recorders(_ count: Int) -> [Recorder] {
    var arena = Arena.taken(bytes: count * (Recorder.bytes + 64))
    return (0..<count).map { _ in Recorder(in: &arena) }
  }

  init(
    _ radios: [Radio], _ recorders: [Recorder], beside outbox: String, during span: Interval, _ ticket: Ticket, at now: Instant
  ) throws(FileRefusal) {
    (self.radios, self.recorders, self.ticket) = (radios, recorders, ticket)
    due = now + span
    for index in radios.indices {
      let name = radios.count == 1 ? "capture.btsnoop" : "capture.\(String(radios[index].name)).btsnoop"
      do {
        threads.append(try recorders[index].start(writing: outbox.folder + name, atMost: Self.most / radios.count, leaving: Self.room))
      } catch {
        finish()
        throw error
      }
      files.append(outbox.folder + name)
    }
    for radio in radios { radio.echo(true) }
  }

  mutating func record(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    guard !isEnding else { return }
    packet.at = moment
    packet.bytes = Text(bytes)
    recorders[radio].record(packet)
  }

  /// Once a turn; true when the files are whole.
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
    finish()
    return true
  }

  /// Waits for the disk.
  mutating func finish() {
    for radio in radios { radio.echo(false) }
    for index in threads.indices {
      recorders[index].stop()
      threads[index].join()
    }
    threads = []
    // Half a recording helps nobody, and the room is wanted.
    for index in files.indices where recorders[index].failure != 0 { Files.remove(Path(files[index])) }
  }

  func reply(from topics: Topics) -> Message {
    for index in files.indices where recorders[index].failure != 0 {
      let words = systemWords(recorders[index].failure)
      let sentence = words + ": the recording was deleted, the outbox needs the room: " + files[index]
      return .reply(to: ticket, from: topics, error: Sentence(sentence))
    }
    return .reply(to: ticket, from: topics) { payload in
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
