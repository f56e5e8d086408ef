import Core
import Glibc
import Testing

@testable import Host
import struct Host.Thread

@Suite("the core thread's loop") struct CoreLoopTests {
  /// Keeps what it was asked, and ends after so long.
  private struct Served: Listener, ~Copyable {
    let end: Instant
    var due = Instant.never
    var hasWork = false
    private(set) var turns = 0
    private(set) var told: [String] = []
    private(set) var ticks: [Instant] = []
    /// What happens at the end of the first turn, when nobody rings any more for a loop that is awake.
    var happens: () -> Void = {}
    /// Whether it ends with the first thing that it is told.
    var endsOnceTold = false
    var mostTurns = Int.max

    init(until end: Instant) { self.end = end }

    mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) { told.append("\(radio): \(packet[0])") }
    mutating func reported(_ status: Radio.Status, radio: Int) { told.append("\(radio) is \(status.condition.name)") }
    mutating func asked(_ order: Signals.Order) { told.append("\(order)") }
    /// When the last tick was over; what comes after it is told a later moment.
    private var ticked = Instant.zero
    private(set) var isStale = false
    mutating func tick(at moment: Instant) {
      ticks.append(moment)
      usleep(200)
      ticked = Clock.now()
    }
    /// How long the thread is held up before it sleeps, as by a stop of its machine.
    var delay = Interval.zero
    var nextDeadline: Instant {
      usleep(UInt32(delay.microseconds))
      return min(due, end)
    }
    mutating func overslept(since due: Instant, at moment: Instant) {
      told.append(moment - due > .seconds(5) ? "overslept" : "on time")
    }
    mutating func turned(at moment: Instant) -> Bool {
      turns += 1
      isStale = isStale || moment < ticked
      if turns == 1 { happens() }
      return moment < end && turns < mostTurns && !(endsOnceTold && !told.isEmpty)
    }
  }

  private struct Outcome: Sendable {
    var turns = 0
    var told: [String] = []
    var isLate = false
    var took = Interval.zero
  }

  private final class Box: @unchecked Sendable { var outcome = Outcome() }

  /// On a thread of its own, because it blocks signals. What `prepare` does waits before it starts.
  private func run(
    for span: Interval, due: Interval? = nil, hasWork: Bool = false, mostTurns: Int = .max, delay: Interval = .zero,
    after prepare: ([Radio]) -> Void = { _ in }, once happens: (@Sendable ([Radio]) -> Void)? = nil
  ) -> Outcome {
    var arena = Arena.taken(bytes: 2 * Radio.bytes + 4_096)
    let bell = Doorbell()
    let radios = (0..<2).map { _ in Radio(name: Name("test"), listener: bell, echoes: false, in: &arena) }
    prepare(radios)
    let box = Box()
    let thread = Thread("core") {
      let begun = Clock.now()
      let end = begun + span
      var served = Served(until: end)
      (served.hasWork, served.mostTurns, served.delay) = (hasWork, mostTurns, delay)
      served.due = due.map { begun + $0 } ?? .never
      served.endsOnceTold = happens != nil
      if let happens { served.happens = { happens(radios) } }
      var loop = CoreLoop(served, bell, radios, Signals())
      loop.run()
      let ticks = loop.listener.ticks
      let isLate = ticks.last.map { $0 < end - .milliseconds(60) } ?? true
      box.outcome = Outcome(
        turns: loop.listener.turns, told: loop.listener.told, isLate: isLate || ticks != ticks.sorted() || loop.listener.isStale,
        took: Clock.now() - begun)
    }
    thread.join()
    return box.outcome
  }

  @Test("it sleeps until something is due, and has no rest while there is work") func sleeps() {
    let idle = run(for: .milliseconds(60))
    #expect(idle.turns <= 6 && !idle.isLate, "\(idle)")
    let busy = run(for: .seconds(20), hasWork: true, mostTurns: 20)
    #expect(busy.turns == 20 && busy.took < .seconds(10), "\(busy)")
  }

  @Test("it says so when it did not run for more than five seconds", arguments: [3.0, 5.5]) func overslept(delay: Double) {
    let outcome = run(for: .seconds(60), due: .milliseconds(10), mostTurns: 2, delay: .seconds(delay))
    #expect(outcome.told == (delay > 5 ? ["overslept"] : []))
  }

  @Test("radios' states go first; then packets in the order of their stamps, of two at one moment the first radio's") func order() {
    func fill(_ radios: [Radio]) {
      for (radio, byte, at) in [(0, 1, 5), (0, 4, 30), (1, 2, 5), (1, 3, 20), (0, 5, 30), (1, 6, 40)] as [(Int, UInt8, Int64)] {
        var packet = Packet()
        packet.at = Instant(microseconds: at)
        packet.bytes.append(byte: byte)
        _ = radios[radio].packets.push(packet)
      }
      var status = Radio.Status()
      for condition in [.starting, .scanning] as [Condition] {
        status.condition = condition
        _ = radios[1].statuses.push(status)
      }
    }
    let outcome = run(for: .milliseconds(5), after: fill)
    #expect(outcome.told == ["1 is starting", "1 is scanning", "0: 1", "1: 2", "1: 3", "0: 4", "0: 5", "1: 6"])
  }
  @Test("what comes while it is awake, and what rings while it sleeps, does not wait until something is due") func wakes() {
    let packet: @Sendable ([Radio]) -> Void = { radios in
      var packet = Packet()
      packet.bytes.append(byte: 7)
      _ = radios[1].packets.push(packet)
    }
    let status: @Sendable ([Radio]) -> Void = { _ = $0[1].statuses.push(Radio.Status()) }
    let ring: @Sendable ([Radio]) -> Void = { radios in
      _ = Thread("ringer") {
        usleep(30_000)
        packet(radios)
        radios[1].listener.ring()
      }
    }
    let signal: @Sendable ([Radio]) -> Void = { _ in raise(SIGHUP) }
    for (happens, told) in [(packet, "1: 7"), (status, "1 is opening"), (ring, "1: 7"), (signal, "reload")] {
      for hasWork in [false, true] {
        let outcome = run(for: .seconds(20), hasWork: hasWork, once: happens)
        #expect(outcome.told == [told] && outcome.took < .seconds(10), "\(outcome)")
      }
    }
  }
}
