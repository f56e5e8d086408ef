import Core
import Host

/// The gateway in figures, at every `telemetry_s`.
struct TelemetryCollector {
  private let radios: [Radio]
  private let started: Instant
  private var interval: Interval
  private(set) var due: Instant
  private var recoveries: [Int]
  private var faults: [Int]
  private var noise: [Int]
  private var counted = Instant.zero
  private var reports: UInt64 = 0

  init(_ radios: [Radio], telemetry interval: Interval, started: Instant) {
    self.radios = radios
    self.started = started
    self.interval = interval
    due = started + interval
    counted = started
    recoveries = radios.map { _ in 0 }
    faults = recoveries
    noise = recoveries
  }

  mutating func adopt(_ interval: Interval) {
    due = min(due, Clock.now() + interval)
    self.interval = interval
  }

  mutating func recovered(_ counts: Recoveries, radio: Int) {
    recoveries[radio] = Int(counts.cures)
    faults[radio] = Int(counts.hardwareErrors + counts.malformed + counts.unanswered)
  }

  /// What to say of lines that bring more than packets, since this was asked last.
  mutating func complaints() -> [String] {
    var complaints: [String] = []
    for index in radios.indices {
      let fresh = radios[index].bytesDiscarded - noise[index]
      noise[index] = radios[index].bytesDiscarded
      guard fresh >= Self.muchNoise else { continue }
      complaints.append(
        "radio \(String(radios[index].name)): \(fresh) bytes belonged to no packet and were left out: see to its cable, speed and flow control"
      )
    }
    return complaints
  }

  /// Any line loses a packet now and then.
  private static let muchNoise = 1_024

  mutating func taken(at now: Instant, _ gateway: borrowing Gateway, _ courier: CourierCounters?) -> Telemetry {
    var figures = Telemetry()
    let usage = Usage.now()
    figures.uptime = now - started
    figures.counters = gateway.counters
    figures.counters.evictions = gateway.devices.evictions
    figures.counters.encountersRefused = gateway.encountersRefused
    figures.counters.claimsRefused = gateway.refusals.claims
    figures.wordsReplayed = Int64(clamping: gateway.refusals.replayed)
    figures.counters.visitsRefused = gateway.visitsRefused
    figures.counters.fragmentsDropped = gateway.fragmentsDropped
    figures.advertsPerSecond = Float(Double(figures.counters.reports - reports) / max((now - counted).seconds, 0.001))
    (counted, reports, due) = (now, figures.counters.reports, now + interval)
    figures.devices = Int64(gateway.devices.count)
    figures.messagesDropped = Int64(gateway.publisher.dropped)
    for radio in radios { figures.packetsDropped += Int64(radio.packetsDropped) }
    for count in recoveries { figures.radioRecoveries += Int64(count) }
    for count in faults { figures.radioFaults += Int64(count) }
    for radio in radios { figures.bytesDiscarded += Int64(radio.bytesDiscarded) }
    figures.processorSeconds = Float(usage.processor.seconds)
    figures.memoryBytes = usage.memoryBytes
    if let courier { figures.note(courier) }
    figures.outboxLost += Int64(gateway.publisher.eventsDropped + gateway.publisher.eventsLeftOut)
    return figures
  }
}

extension Telemetry {
  fileprivate mutating func note(_ courier: CourierCounters) {
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
    messagesDropped += Int64(courier.statesUnkept.count + courier.repliesDropped.count + courier.oversized.count)
    requestsDropped = Int64(courier.requestsLimited.count)
    requestsRefused = Int64(courier.requestsRefused.count)
    wordsForged = Int64(courier.forged.count)
    wordsOfStrangers = Int64(courier.strangers.count)
  }
}
