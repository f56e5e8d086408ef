import CLinux
package import Core

/// A rehearsal in a radio's place: a capture or a made-up world, told as if it happened now.
package struct Playback: ~Copyable {
  /// What a rehearsal gives next.
  package enum Scene {
    case packet(Packet)
    case over
    case failed(Trouble)
  }

  package enum Pace: Sendable {
    /// Each packet as long after the first as it was then.
    case real
    /// As fast as the listener takes them.
    case unbound
  }

  private let radio: Radio
  private let pace: Pace
  /// From the rehearsal's time to ours.
  private var shift: Interval?

  /// `opening` runs on the radio's thread; what it returns is asked for one packet after another. The rehearsal begins at `start` of
  /// its own time, or with its first packet.
  package static func start(
    _ radio: Radio, at pace: Pace, since start: Instant? = nil, _ opening: @escaping @Sendable () -> () -> Scene
  ) -> Thread {
    Thread("radio") {
      var playback = Playback(radio: radio, pace: pace)
      playback.shift = start.map { Clock.now() - $0 }
      playback.play(opening())
    }
  }

  private init(radio: Radio, pace: Pace) {
    self.radio = radio
    self.pace = pace
  }

  private mutating func play(_ next: () -> Scene) {
    tell(.scanning)
    while !radio.isStopping {
      switch next() {
      case .packet(let packet): perform(packet)
      case .over: return tell(.ended)
      case .failed(let trouble): return tell(.failed(trouble))
      }
    }
  }

  private mutating func perform(_ packet: Packet) {
    if packet.bytes.count == 0 || packet.bytes[0] == PacketType.command.rawValue { return }
    var packet = packet
    if pace == .real {
      let shift = self.shift ?? Clock.now() - packet.at
      self.shift = shift
      packet.at = packet.at + shift
      rest(until: packet.at)
    }
    while radio.packets.count == radio.packets.capacity && !radio.isStopping { rest(until: Clock.now() + .milliseconds(1)) }
    if radio.isPermitted { radio.deliver(packet) }
    radio.listener.ring()
  }

  private func rest(until moment: Instant) {
    while !radio.isStopping {
      let left = moment - Clock.now()
      if left <= .zero { return }
      radio.bell.settle()
      if !radio.isStopping { wait(radio.bell.descriptor, nil, forAtMost: left) }
      radio.bell.rise()
    }
  }

  private func tell(_ condition: Condition) {
    var report = Radio.Status()
    report.at = Clock.now()
    report.condition = condition
    while radio.reports.push(report) != nil && !radio.isStopping { rest(until: Clock.now() + .milliseconds(10)) }
    radio.listener.ring()
  }
}
