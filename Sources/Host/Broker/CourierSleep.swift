import CLinux
import Core
import Synchronization

// When the courier wakes.

extension Courier {
  func sleep(since now: Instant) -> Ready {
    bell.willSleep()
    counters.isBusy(since: .zero)
    defer {
      bell.didWake()
      counters.wakeUps.add()
    }
    let isToStop = if case .no = ending { isStopping.load(ordering: .acquiring) } else { false }
    let isIdle = !isToStop && inlets.settings.count == 0 && !inlets.messages.contains { $0.count > 0 } && !dialer.hasOutcome
    let isGathering = isPatientWithBroker && now < gathering.end
    let awaited = isTalking ? Awaited(client.descriptor, toRead: !isGathering, toWrite: client.wantsToWrite) : nil
    let due = isIdle ? min(nextDue, isGathering ? gathering.end : .never) : now
    var ready = wait(bell.descriptor, awaited, forAtMost: due == .never ? nil : due - Clock.now())
    if isGathering, Clock.now() >= gathering.end { ready.toRead = true }
    return ready
  }

  /// Whether what the broker says may wait: not while we end, nor while events wait for room in flight.
  private var isPatientWithBroker: Bool {
    guard case .up = line, case .no = ending else { return false }
    return client.inFlight.room > client.inFlight.most / 2
  }

  private var nextDue: Instant {
    var due = min(store.nextDue, keepaliveDue)
    // The core thread does not say when its ring has room.
    let isSending = !isUnfinishedSent && store.unfinished != nil || !store.recentFires.isEmpty
    if intake.holdsStatuses || isSending { due = min(due, Clock.now() + .milliseconds(50)) }
    switch line {
    case .down(let until), .greeting(let until): due = min(due, until)
    case .dialing: break
    case .up:
      due = min(due, min(overdue ?? .never, min(min(trials.due, deafUntil), retained.nextRetry(after: Clock.now()))))
      due = min(due, acquittalDue)
    }
    switch ending {
    case .delivering(let until), .sayingGoodbye(let until): due = min(due, until)
    case .no, .ended: break
    }
    return due
  }
}
