import Core
import Host

/// Collects the counters of all parts into one `telemetry` message, every `telemetry_s`.
struct TelemetryCollector {
  private let radios: [Radio]
  private let started: Instant
  private var interval: Interval
  private(set) var due: Instant
  private var recoveries: [Int64]
  private var faults: [Int64]
  private var noise: [Int64]
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

  mutating func reload(_ configuration: borrowing Configuration) {
    interval = configuration.core.publish.telemetry
    due = min(due, Clock.now() + interval)
  }

  mutating func record(_ counts: Recoveries, radio: Int) {
    recoveries[radio] = Int64(counts.cures)
    faults[radio] = Int64(counts.hardwareErrors) + Int64(counts.malformed) + Int64(counts.unanswered)
  }

  /// One for each radio whose line brought much else than packets since the last call.
  mutating func noiseWarnings() -> [String] {
    var warnings: [String] = []
    for index in radios.indices {
      let fresh = radios[index].bytesDiscarded - noise[index]
      noise[index] = radios[index].bytesDiscarded
      guard fresh >= Self.muchNoise else { continue }
      warnings.append(
        "radio \(String(radios[index].name)): \(fresh) bytes belonged to no packet and were dropped: check the cable, the speed and the flow control"
      )
    }
    return warnings
  }

  /// Any line loses a packet now and then.
  private static let muchNoise = 1_024

  mutating func collect(at now: Instant, _ gateway: borrowing Gateway, _ courier: CourierCounters?) -> Telemetry {
    var telemetry = Telemetry()
    let usage = Usage.now()
    telemetry.uptime = now - started
    telemetry.counters = gateway.counters
    telemetry.counters.evictions = gateway.devices.evictions
    telemetry.counters.encountersRefused = gateway.encountersRefused
    telemetry.counters.claimsRefused = gateway.refusals.claims
    telemetry.wordsReplayed = Int64(clamping: gateway.refusals.replayed)
    telemetry.counters.visitsRefused = gateway.visitsRefused
    telemetry.counters.fragmentsDropped = gateway.fragmentsDropped
    telemetry.advertsPerSecond = Float(Double(telemetry.counters.reports - reports) / max((now - counted).seconds, 0.001))
    (counted, reports, due) = (now, telemetry.counters.reports, now + interval)
    telemetry.devices = Int64(gateway.devices.count)
    telemetry.messagesDropped = Int64(gateway.publisher.dropped)
    for radio in radios { telemetry.packetsDropped += radio.packetsDropped }
    for count in recoveries { telemetry.radioRecoveries += count }
    for count in faults { telemetry.radioFaults += count }
    for radio in radios { telemetry.bytesDiscarded += radio.bytesDiscarded }
    telemetry.processorSeconds = Float(usage.processor.seconds)
    telemetry.memoryBytes = usage.memoryBytes
    if let courier { telemetry.add(courier) }
    telemetry.outboxLost += Int64(gateway.publisher.eventsDropped + gateway.publisher.eventsLeftOut)
    return telemetry
  }
}

extension Telemetry {
  fileprivate mutating func add(_ courier: CourierCounters) {
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
