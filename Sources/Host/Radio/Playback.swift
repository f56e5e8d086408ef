import CLinux
package import Core

/// Plays a rehearsal in place of a radio: a capture or a simulation, as if it happened now.
package struct Playback: ~Copyable {
  /// The next step of a rehearsal.
  package enum Scene {
    case packet(Packet)
    case over
    case failed(Trouble)
  }

  private let radio: Radio
  private var gathering = Gathering.radio
  /// Our time minus the rehearsal's.
  private var shift: Interval?
  /// What was last said of it.
  private var isOn = false

  /// `opening` runs on the radio's thread and returns the function that gives one packet after another. The rehearsal begins at `start` of
  /// its own time, or with its first packet.
  package static func start(
    _ radio: Radio, since start: Instant? = nil, _ opening: @escaping @Sendable () -> () -> Scene
  ) -> Thread {
    Thread("radio") {
      var playback = Playback(radio)
      playback.shift = start.map { Clock.now() - $0 }
      playback.play(opening())
    }
  }

  private init(_ radio: Radio) { self.radio = radio }

  private mutating func play(_ next: () -> Scene) {
    push()
    while !radio.isStopping {
      switch next() {
      case .packet(let packet): perform(packet)
      case .over: return push(.ended)
      case .failed(let trouble): return push(.failed(trouble))
      }
    }
  }

  private mutating func perform(_ packet: Packet) {
    if packet.bytes.count == 0 || packet.bytes[0] == PacketType.command.rawValue { return }
    var packet = packet
    let shift = self.shift ?? Clock.now() - packet.at
    self.shift = shift
    packet.at = packet.at + shift
    sleep(until: max(packet.at, gathering.end))
    gathering.observe(1, at: packet.at)
    while radio.packets.count == radio.packets.capacity && !radio.isStopping { sleep(until: Clock.now() + .milliseconds(1)) }
    if radio.isPermitted != isOn { push() }
    if isOn { radio.deliver(packet) }
  }

  /// The listener is rung before a sleep: once for all packets that came together.
  private func sleep(until moment: Instant) {
    while !radio.isStopping {
      let left = moment - Clock.now()
      if left <= .zero { return }
      radio.listener.ring()
      radio.bell.willSleep()
      if !radio.isStopping { wait(radio.bell.descriptor, nil, forAtMost: left) }
      radio.bell.didWake()
    }
  }

  private mutating func push() {
    isOn = radio.isPermitted
    push(isOn ? .scanning : .off)
  }

  private func push(_ condition: Condition) {
    var status = Radio.Status()
    status.at = Clock.now()
    status.condition = condition
    while radio.statuses.push(status) != nil && !radio.isStopping { sleep(until: Clock.now() + .milliseconds(10)) }
    radio.listener.ring()
  }
}
