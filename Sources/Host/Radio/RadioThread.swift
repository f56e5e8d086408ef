import CLinux
package import Core

/// A radio's thread: it sleeps in one place, takes everything that waits, stamps it, hands it on, and keeps its controller listening.
package struct RadioThread: ~Copyable {
  private let radio: Radio
  private let adapter: Adapter
  private let settings: RadioSettings
  private let isShared: Bool
  private var controller: Controller
  private var peers: Peers
  private var line: HCITransport?
  private var transfer = Transfer()
  /// Somebody else's packet whose turn has not come.
  private var held: Packet?
  private var packet = Packet()
  private var report = Radio.Status()
  private var mustReport = true
  /// What the system said last.
  private var code: CInt = 0
  /// The remedy for a shared adapter: it is switched off before it is opened again.
  private var mustCycle = false

  /// Starts the thread of a radio that is neither a capture nor a simulation.
  @export(interface) package static func start(_ radio: Radio, _ adapter: Adapter, _ settings: RadioSettings, _ duties: PeerDuties = .none)
    -> Thread
  {
    Thread("radio") {
      // Only what it takes to open the adapter again. Where that is refused the main thread ends the program.
      _ = Privileges.keepOnly(adapter.privileges)
      var thread = RadioThread(radio, adapter, settings, duties)
      thread.run()
    }
  }

  private init(_ radio: Radio, _ adapter: Adapter, _ settings: RadioSettings, _ duties: PeerDuties) {
    self.radio = radio
    // A thread's stack is short, and tables are long.
    var arena = Arena.taken(bytes: Peers.bytes)
    peers = Peers(duties, in: &arena)
    self.adapter = adapter
    self.settings = settings
    if case .hci(_, .raw) = adapter { isShared = true } else { isShared = false }
    controller = Controller(settings, isShared: isShared, spare: SystemRandom.word())
  }

  private mutating func run() {
    while !radio.isStopping {
      if !radio.isPermitted { rest() }
      let now = Clock.now()
      obey(controller.tick(at: now), at: now)
      forward(at: now)
      converse(at: now)
      tell(controller.condition, at: now)
      if sleeps() { receive() }
    }
    farewell()
  }

  /// Off, until it may listen again; then it begins anew.
  private mutating func rest() {
    farewell()
    close()
    held = nil
    controller = Controller(settings, isShared: isShared, spare: SystemRandom.word())
    peers.lost()
    mustReport = true
    while !radio.isPermitted && !radio.isStopping {
      tell(.off, at: Clock.now())
      while radio.outgoing.pop() != nil {}
      radio.bell.settle()
      // Whoever changed it before the bell was set has not rung; a full ring of reports is tried again.
      if !radio.isPermitted && !radio.isStopping { wait(radio.bell.descriptor, nil, forAtMost: mustReport ? .milliseconds(10) : nil) }
      radio.bell.rise()
    }
  }

  /// A controller that goes on scanning for nobody costs power; one that goes on sending, or stays connected, is worse.
  private mutating func farewell() {
    guard let last = controller.farewell else { return }
    let packet = !peers.duties.isEmpty && !isShared ? RadioCommand(.reset).packet : last.packet
    send(packet.bytes, at: Clock.now())
  }

  /// Until something arrives or falls due; true when the line has something.
  private mutating func sleeps() -> Bool {
    radio.bell.settle()
    defer { radio.bell.rise() }
    if radio.isStopping || (held == nil && radio.outgoing.count > 0) || radio.hints.count > 0 { return false }
    let deadline = min(min(controller.nextDeadline, transfer.deadline), peers.nextDeadline)
    let now = Clock.now()
    let limit = deadline == .never ? nil : max(deadline - now, .zero)
    let ready = wait(radio.bell.descriptor, awaited, forAtMost: limit)
    if !ready.toRead {
      transfer.foundNothing(at: now)
      radio.discarded(transfer.discarded)
    }
    if ready.toWrite { attempt { (transfer, line) throws(HCITransport.Refusal) in try transfer.flush(line) } }
    return ready.toRead
  }

  private var awaited: Awaited? {
    switch line {
    case .none: nil
    case .some(let open): Awaited(open.descriptor, toWrite: transfer.hasUnsent)
    }
  }

  // MARK: In

  private mutating func receive() {
    let now = Clock.now()
    attempt { (transfer, line) throws(HCITransport.Refusal) in try transfer.fill(from: line, at: now) }
    while transfer.next() {
      // What is said on a connection is no advert; only a recording wants it.
      if transfer.packet[0] != PacketType.acl.rawValue || radio.isEchoing {
        packet.at = transfer.stamp
        packet.bytes = Text(transfer.packet)
        radio.deliver(packet)
      }
      obey(controller.receive(transfer.packet, at: now), at: now)
      peers.receive(transfer.packet, at: now)
    }
    radio.discarded(transfer.discarded)
    radio.listener.ring()
  }

  // MARK: Out

  private mutating func obey(_ action: Controller.Action, at now: Instant) {
    switch action {
    case .none: break
    case .send(let command): send(command.packet.bytes, at: now)
    case .open: open()
    case .close:
      mustCycle = isShared
      close()
    }
  }

  private mutating func send(_ bytes: RawSpan, at now: Instant) {
    attempt { (transfer, line) throws(HCITransport.Refusal) in try transfer.send(bytes, over: line) }
    guard radio.isEchoing else { return }
    deliver(bytes, at: now)
    radio.listener.ring()
  }

  private mutating func deliver(_ bytes: RawSpan, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    radio.deliver(packet)
  }

  /// Whom to ask, what to answer, what to send; and what became known of it.
  private mutating func converse(at now: Instant) {
    while let known = radio.hints.pop() { peers.markKnown(known.address, at: now - known.age) }
    peers.tick(controller.profile, at: now)
    controller.isOccupied = peers.isOccupied
    if peers.takeStuck() { obey(controller.stuck(at: now), at: now) }
    turns: while let next = peers.next(at: now) {
      switch controller.offer(next.bytes, at: now) {
      case .pass:
        peers.sent(at: now)
        send(next.bytes, at: now)
      case .first(let command):
        send(command.packet.bytes, at: now)
        break turns
      case .later: break turns
      case .refuse: peers.turnedAway()
      }
    }
    while let news = peers.nextNews() {
      let bytes = news.packet
      deliver(bytes.bytes, at: now)
      radio.listener.ring()
    }
  }

  /// Others' packets, each when its turn has come.
  private mutating func forward(at now: Instant) {
    while let next = held ?? radio.outgoing.pop() {
      held = nil
      switch controller.offer(next.bytes.bytes, at: now) {
      case .pass: send(next.bytes.bytes, at: now)
      case .first(let command):
        held = next
        return send(command.packet.bytes, at: now)
      case .later:
        held = next
        return
      case .refuse: break
      }
    }
  }

  // MARK: The line

  private mutating func open() {
    close()
    do throws(HCITransport.Refusal) {
      line = try HCITransport.open(adapter, cycle: mustCycle, bell: radio.bell.descriptor)
      (mustCycle, code) = (false, 0)
      let now = Clock.now()
      obey(controller.opened(at: now), at: now)
    } catch {
      lost(error)
    }
  }

  private mutating func close() {
    line = nil
    transfer.restart()
  }

  private mutating func lost(_ refusal: HCITransport.Refusal) {
    close()
    code = refusal.code
    controller.lost(refusal.trouble, at: Clock.now())
  }

  /// Does something with the line, if there is one; a line that refuses is lost.
  private mutating func attempt(_ body: (inout Transfer, borrowing HCITransport) throws(HCITransport.Refusal) -> Void) {
    guard let open = line.take() else { return }
    do throws(HCITransport.Refusal) {
      try body(&transfer, open)
      line = consume open
    } catch {
      lost(error)
    }
  }

  // MARK: What is told

  private mutating func tell(_ condition: Condition, at now: Instant) {
    let (new, old) = (controller.profile, report.profile)
    if condition != report.condition || new.generation != old.generation || new.isWhole != old.isWhole { mustReport = true }
    // Figures alone are told now and then.
    if controller.recoveries != report.recoveries, now - report.at >= .seconds(1) { mustReport = true }
    guard mustReport else { return }
    report.at = now
    report.condition = condition
    report.profile = new
    report.recoveries = controller.recoveries
    report.code = code
    // A full ring is told at the next turn.
    mustReport = radio.reports.push(report) != nil
    radio.listener.ring()
  }
}
