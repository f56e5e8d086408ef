import CLinux
package import Core

/// A radio's thread: it sleeps in one place, reads all that waits, stamps it, pushes it on, and keeps its controller listening.
package struct RadioThread: ~Copyable {
  private let radio: Radio
  private let adapter: Adapter
  private let settings: RadioSettings
  private let isShared: Bool
  private var controller: Controller
  private var peers: Peers
  private var line: HCITransport?
  private var transfer = HCITransfer()
  private var gathering = Gathering.radio
  /// When this thread last woke, or opened its line.
  private var now = Clock.now()
  private var packet = Packet()
  private var status = Radio.Status()
  private var mustPush = true
  /// The errno of the last failed call.
  private var code: CInt = 0
  /// The remedy for a shared adapter: switch it off before opening it again.
  private var mustCycle = false
  /// What this thread has made of `radio.isMisplaced`.
  private var isMisplaced = false

  /// Starts the thread of a radio that is neither a capture nor a simulation.
  @export(interface) package static func start(_ radio: Radio, _ adapter: Adapter, _ settings: RadioSettings, _ duties: PeerDuties = .none)
    -> Thread
  {
    Thread("radio") {
      // Only what opening the adapter again needs. If the system refuses, the main thread ends the program.
      _ = Privileges.keepOnly(adapter.privileges)
      var thread = RadioThread(radio, adapter, settings, duties)
      thread.run()
    }
  }

  private init(_ radio: Radio, _ adapter: Adapter, _ settings: RadioSettings, _ duties: PeerDuties) {
    self.radio = radio
    // The tables are too long for a thread's stack.
    var arena = Arena.taken(bytes: Peers.bytes)
    peers = Peers(duties, in: &arena)
    self.adapter = adapter
    self.settings = settings
    if case .hci(_, .raw) = adapter { isShared = true } else { isShared = false }
    controller = Controller(settings, isShared: isShared, spare: SystemRandom.word())
  }

  private mutating func run() {
    while !radio.isStopping {
      if !radio.isPermitted { stayOff() }
      if radio.isMisplaced != isMisplaced { changePlace() }
      perform(controller.tick(at: now), at: now)
      drivePeers(at: now)
      pushStatus(condition, at: now)
      if sleeps() { receive() }
    }
    farewell()
  }

  /// Stays off until it may listen again, then starts anew.
  private mutating func stayOff() {
    farewell()
    close()
    controller.released()
    peers.lost()
    mustPush = true
    while !radio.isPermitted && !radio.isStopping {
      pushStatus(.off, at: Clock.now())
      radio.bell.willSleep()
      // A change before `willSleep` has not rung; a full ring of statuses is retried.
      if !radio.isPermitted && !radio.isStopping { wait(radio.bell.descriptor, nil, forAtMost: mustPush ? .milliseconds(10) : nil) }
      radio.bell.didWake()
    }
    now = Clock.now()
  }

  /// The core thread has found out that the adapter is another radio's, or no longer is. What it was asked to send would be sent there.
  private mutating func changePlace() {
    isMisplaced = radio.isMisplaced
    if isMisplaced { perform(controller.startAnew(at: now), at: now) }
  }

  private var condition: Condition {
    isMisplaced && controller.condition.trouble == nil ? .degraded(.misplaced) : controller.condition
  }

  /// A controller that goes on scanning costs power; one that goes on sending, or stays connected, is worse.
  private mutating func farewell() {
    guard let last = controller.farewell else { return }
    let packet = !peers.duties.isEmpty && !isShared ? RadioCommand(.reset).packet : last.packet
    send(packet.bytes, at: Clock.now())
  }

  /// Sleeps until something arrives or is due; true if there may be something to read.
  private mutating func sleeps() -> Bool {
    radio.bell.willSleep()
    defer { radio.bell.didWake() }
    // What changed before `willSleep` has not rung.
    if radio.isStopping || !radio.isPermitted || radio.hints.count > 0 || radio.isMisplaced != isMisplaced { return false }
    let isGathering = isPatient && now < gathering.end
    let deadline = min(min(controller.nextDeadline, transfer.deadline), min(peers.nextDeadline, isGathering ? gathering.end : .never))
    let limit = deadline == .never ? nil : max(deadline - now, .zero)
    let ready = wait(radio.bell.descriptor, awaited(toRead: !isGathering), forAtMost: limit)
    now = Clock.now()
    if !ready.toRead && !isGathering {
      transfer.foundNothing(at: now)
      radio.discarded(transfer.discarded)
    }
    if ready.toWrite { attempt { (transfer, line) throws(HCITransport.Refusal) in try transfer.flush(line) } }
    return ready.toRead || isGathering && now >= gathering.end
  }

  /// Whether packets may wait for each other: not while an answer or a connection is expected, nor in a recording, whose stamps are all
  /// that is left of it.
  private var isPatient: Bool { controller.isAtRest && peers.isAtRest && !radio.isEchoing }

  private var isOpen: Bool {
    switch line {
    case .none: false
    case .some: true
    }
  }

  private func awaited(toRead: Bool) -> Awaited? {
    switch line {
    case .none: nil
    case .some(let open): Awaited(open.descriptor, toRead: toRead, toWrite: transfer.hasUnsent)
    }
  }

  // MARK: In

  private mutating func receive() {
    let now = now
    attempt { (transfer, line) throws(HCITransport.Refusal) in try transfer.fill(from: line, at: now) }
    let isAll = !transfer.isFull
    var count = 0
    while transfer.next() {
      count += 1
      // Data of a connection is no advert, and one that waited while we were stopped no news; only a recording needs them.
      if !isMisplaced, !transfer.isOld && transfer.packet[0] != PacketType.acl.rawValue || radio.isEchoing {
        packet.at = transfer.stamp
        packet.bytes = Text(transfer.packet)
        radio.deliver(packet)
      }
      perform(controller.receive(transfer.packet, at: now), at: now)
      // If the answer has closed the line, the packet is gone with its batch.
      guard isOpen else { break }
      peers.receive(transfer.packet, at: now)
    }
    gathering.observe(count, isAll: isAll, at: now)
    radio.discarded(transfer.discarded)
    if count > 0 { radio.listener.ring() }
  }

  // MARK: Out

  private mutating func perform(_ action: Controller.Action, at now: Instant) {
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
    guard radio.isEchoing, !isMisplaced else { return }
    deliver(bytes, at: now)
    radio.listener.ring()
  }

  private mutating func deliver(_ bytes: RawSpan, at moment: Instant) {
    packet.at = moment
    packet.bytes = Text(bytes)
    radio.deliver(packet)
  }

  /// Sends what `peers` wants to ask, answer and transmit, and pushes what it has learnt.
  private mutating func drivePeers(at now: Instant) {
    while let known = radio.hints.pop() { peers.markKnown(known.address, at: now - known.age) }
    peers.tick(isMisplaced || !isOpen ? Profile() : controller.profile, at: now)
    controller.isOccupied = peers.isOccupied
    if peers.takeStuck() { perform(controller.stuck(at: now), at: now) }
    turns: while let next = peers.next() {
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
    // A phone that it tells of is not asked again for long: it waits until the core thread has made room.
    while !radio.isFull, let news = peers.nextNews() {
      let bytes = news.packet
      deliver(bytes.bytes, at: now)
      radio.listener.ring()
    }
  }

  // MARK: The line

  private mutating func open() {
    close()
    do throws(HCITransport.Refusal) {
      line = try HCITransport.open(adapter, cycle: mustCycle, bell: radio.bell.descriptor)
      (mustCycle, code) = (false, 0)
      now = Clock.now()
      perform(controller.opened(at: now), at: now)
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
    // An attempt to connect may have taken seconds.
    now = Clock.now()
    controller.lost(refusal.trouble, at: now)
    // Whom it was asking is not to blame.
    peers.lost()
  }

  /// Does something with the line, if there is one; if that fails, the line is lost.
  private mutating func attempt(_ body: (inout HCITransfer, borrowing HCITransport) throws(HCITransport.Refusal) -> Void) {
    guard let open = line.take() else { return }
    do throws(HCITransport.Refusal) {
      try body(&transfer, open)
      line = consume open
    } catch {
      lost(error)
    }
  }

  // MARK: Status

  private mutating func pushStatus(_ condition: Condition, at now: Instant) {
    let (new, old) = (controller.profile, status.profile)
    if condition != status.condition || isOpen != status.isOpen || controller.isPaused != status.isPaused { mustPush = true }
    if new.generation != old.generation || new.isWhole != old.isWhole { mustPush = true }
    // Counts alone change the status at most once a second.
    if controller.recoveries != status.recoveries, now - status.at >= .seconds(1) { mustPush = true }
    guard mustPush else { return }
    status.at = now
    status.condition = condition
    status.isPaused = controller.isPaused
    status.isOpen = isOpen
    status.profile = new
    status.recoveries = controller.recoveries
    status.code = code
    // If the ring is full, try again in the next turn.
    mustPush = radio.statuses.push(status) != nil
    radio.listener.ring()
  }
}
