import Core
import Host

/// The radios of a configuration, each on a thread of its own.
struct Radios: ~Copyable {
  let bell = Doorbell()
  let all: [Radio]
  let adapters: [Adapter]
  private let threads: [Thread]

  /// Switches them on; a capture or a simulation is told in real time.
  /// `echoes`: what is sent to the controllers comes back, too.
  init(_ settings: borrowing Settings, _ adapters: [Adapter], echoes: Bool = false, in arena: inout Arena) {
    var all: [Radio] = []
    var threads: [Thread] = []
    for index in settings.radios.indices {
      let radio = Radio(name: settings.radios[index].name, listener: bell, echoes: echoes, in: &arena)
      all.append(radio)
      threads.append(Self.start(radio, adapters[index], settings.radios[index]))
    }
    self.all = all
    self.adapters = adapters
    self.threads = threads
  }

  private static func start(_ radio: Radio, _ adapter: Adapter, _ settings: RadioSettings) -> Thread {
    guard case .capture(let file) = adapter else { return RadioThread.start(radio, adapter, settings) }
    return Playback.start(radio, at: .real) {
      let captures = Captures(opening: [file])
      return {
        var packet = Packet()
        if captures.next(into: &packet) != nil { return .packet(packet) }
        return captures.faults.first.map { .failed($0.reason.offset > 0 ? .damagedSource : .noSource) } ?? .over
      }
    }
  }

  static func bytes(_ settings: borrowing Settings) -> Int { settings.radios.count * Radio.bytes }

  consuming func stop() {
    for radio in all { radio.stop() }
    for thread in threads { thread.join() }
  }
}

extension Trouble {
  var exit: Exit { self == .noPermission ? .forbidden : .unavailable }
}
