import Core
import Host

/// The gateway in figures, at every `telemetry_s`.
struct Census {
  private let radios: [Radio]
  private let started: Instant
  private var interval: Interval
  private(set) var due: Instant
  private var recoveries: [Int]
  private var counted = Instant.zero
  private var reports: UInt64 = 0

  init(_ radios: [Radio], telemetry interval: Interval, started: Instant) {
    self.radios = radios
    self.started = started
    self.interval = interval
    due = started + interval
    counted = started
    recoveries = radios.map { _ in 0 }
  }

  mutating func adopt(_ interval: Interval) {
    due = min(due, Clock.now() + interval)
    self.interval = interval
  }

  mutating func recovered(_ counts: Recoveries, radio: Int) {
    recoveries[radio] = Int(counts.rescans + counts.resets + counts.reopens)
  }

  mutating func taken(at now: Instant, _ gateway: borrowing Gateway, _ courier: CourierFigures?) -> Telemetry {
    var figures = Telemetry()
    let usage = Usage.now()
    figures.uptime = now - started
    figures.counters = gateway.counters
    figures.counters.evictions = gateway.devices.evictions
    figures.counters.encountersRefused = gateway.encountersRefused
    figures.counters.claimsRefused = gateway.claimsRefused
    figures.counters.visitsRefused = gateway.visitsRefused
    figures.counters.fragmentsDropped = gateway.fragmentsDropped
    figures.advertsPerSecond = Float(Double(figures.counters.reports - reports) / max((now - counted).seconds, 0.001))
    (counted, reports, due) = (now, figures.counters.reports, now + interval)
    figures.devices = Int64(gateway.devices.count)
    figures.messagesDropped = Int64(gateway.publisher.dropped)
    for radio in radios { figures.packetsDropped += Int64(radio.packetsDropped) }
    for count in recoveries { figures.radioRecoveries += Int64(count) }
    figures.processorSeconds = Float(usage.processor.seconds)
    figures.memoryBytes = usage.memoryBytes
    if let courier { figures.note(courier) }
    return figures
  }
}

extension Telemetry {
  fileprivate mutating func note(_ courier: CourierFigures) {
    isOnline = courier.isOnline
    connections = Int64(courier.connections.count)
    publications = Int64(courier.published.count)
    publicationsDropped = Int64(courier.droppedOffline.count + courier.droppedBusy.count)
    outboxWaiting = Int64(courier.eventsWaiting.count)
    outboxDelivered = Int64(courier.eventsDelivered.count)
    outboxExpired = Int64(courier.eventsExpired.count)
    outboxLost = Int64(courier.eventsLost.count)
    outboxFailures = Int64(courier.storeFailures.count)
    refusedByBroker = Int64(courier.refused.count)
    requestsDropped = Int64(courier.requestsLimited.count)
    requestsRefused = Int64(courier.requestsRefused.count)
  }
}
