/// The gateway in figures, for `BASE/telemetry` and for Prometheus. Counters start with the process.
package struct Telemetry: BitwiseCopyable, Sendable {
  package var uptime = Interval.zero
  package var advertsPerSecond: Float = 0
  package var counters = Counters()
  package var devices: Int64 = 0
  /// Refused by full rings.
  package var packetsDropped: Int64 = 0
  package var messagesDropped: Int64 = 0
  package var requestsDropped: Int64 = 0
  /// QoS 0, while the broker was away or the network took no more.
  package var publicationsDropped: Int64 = 0
  package var publications: Int64 = 0
  package var isOnline = false
  package var connections: Int64 = 0
  package var outboxWaiting: Int64 = 0
  package var outboxDelivered: Int64 = 0
  package var outboxExpired: Int64 = 0
  package var outboxLost: Int64 = 0
  package var outboxFailures: Int64 = 0
  package var refusedByBroker: Int64 = 0
  package var requestsRefused: Int64 = 0
  /// Messages in a neighbour's name: unsigned or wrongly signed, received before, or from a gateway that the roster does not list.
  package var wordsForged: Int64 = 0
  package var wordsReplayed: Int64 = 0
  package var wordsOfStrangers: Int64 = 0
  /// Radio troubles that ended; faults of controllers; bytes that belonged to no packet.
  package var radioRecoveries: Int64 = 0
  package var radioFaults: Int64 = 0
  package var bytesDiscarded: Int64 = 0
  package var processorSeconds: Float = 0
  package var memoryBytes: Int64 = 0

  package init() {}

  /// One list for both readers, so that names, units and order agree.
  package func read(_ counter: (StaticString, UInt64) -> Void, _ gauge: (StaticString, Float, _ places: Int) -> Void) {
    gauge("uptime_s", Float(uptime.seconds), 0)
    gauge("adverts_hz", advertsPerSecond, 1)
    counter("packets", counters.packets)
    counter("reports", counters.reports)
    counter("malformed_truncated", counters[.truncated])
    counter("malformed_impossible", counters[.impossible])
    counter("malformed_unknown_packet", counters[.unknownPacket])
    counter("levels_discarded", counters.levelsDiscarded)
    counter("implausible_powers", counters.implausiblePowers)
    counter("dropped_fragments", counters.fragmentsDropped)
    counter("clock_steps_back", counters.clockStepsBack)
    counter("dropped_packets", UInt64(max(packetsDropped, 0)))
    counter("dropped_messages", UInt64(max(messagesDropped, 0)))
    counter("dropped_requests", UInt64(max(requestsDropped, 0)))
    counter("dropped_publications", UInt64(max(publicationsDropped, 0)))
    gauge("devices", Float(devices), 0)
    counter("evictions", counters.evictions)
    counter("refused_encounters", counters.encountersRefused)
    counter("refused_claims", counters.claimsRefused)
    counter("refused_visits", counters.visitsRefused)
    gauge("online", isOnline ? 1 : 0, 0)
    counter("connections", UInt64(max(connections, 0)))
    counter("publications", UInt64(max(publications, 0)))
    gauge("outbox_waiting", Float(outboxWaiting), 0)
    counter("outbox_delivered", UInt64(max(outboxDelivered, 0)))
    counter("outbox_expired", UInt64(max(outboxExpired, 0)))
    counter("outbox_lost", UInt64(max(outboxLost, 0)))
    counter("outbox_failures", UInt64(max(outboxFailures, 0)))
    counter("refused_by_broker", UInt64(max(refusedByBroker, 0)))
    counter("refused_requests", UInt64(max(requestsRefused, 0)))
    counter("words_forged", UInt64(max(wordsForged, 0)))
    counter("words_replayed", UInt64(max(wordsReplayed, 0)))
    counter("words_of_strangers", UInt64(max(wordsOfStrangers, 0)))
    counter("radio_recoveries", UInt64(max(radioRecoveries, 0)))
    counter("radio_faults", UInt64(max(radioFaults, 0)))
    counter("radio_bytes_discarded", UInt64(max(bytesDiscarded, 0)))
    gauge("cpu_s", processorSeconds, 2)
    counter("memory_bytes", UInt64(max(memoryBytes, 0)))
  }
}

extension Message {
  @_optimize(size)
  package static func telemetry(_ telemetry: Telemetry, topics: Topics, simulated: Bool, at now: Instant) -> Message {
    var message = Message()
    message.at = now
    message.topic = topics.telemetry
    var payload = Payload()
    payload.openObject()
    payload.member("v", 1)
    telemetry.read({ name, count in payload.member(name, Int64(clamping: count)) }, { payload.member($0, $1, places: $2) })
    payload.close(simulated: simulated)
    message.payload = payload
    return message
  }
}
