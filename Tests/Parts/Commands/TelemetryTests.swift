import Core
import Foundation
import Testing

@testable import Host
@testable import forecourt

@Suite("the telemetry") struct TelemetryTests {
  private func figures(_ telemetry: Telemetry) throws -> [String: Double] {
    let message = Message.telemetry(telemetry, topics: Topics(Settings()), simulated: false, at: .zero)
    let object = try JSONSerialization.jsonObject(with: Data(String(message.payload).utf8)) as? [String: Any]
    return try #require(object).compactMapValues { ($0 as? NSNumber)?.doubleValue }
  }

  private func configuration(_ toml: String) throws -> Configuration {
    let text = "[gateway]\npurpose = \"told\"\n" + toml + "\n"
    return try Configuration(reading: ConfigurationText(name: "config.toml", text: Array(text.utf8)))
  }

  @Test("every figure has its name: what the courier counts, what radios report, what the machine has heard") func names() throws {
    let courier = CourierCounters()
    courier.connections.add(3)
    courier.published.add(5)
    courier.droppedOffline.add(7)
    courier.droppedBusy.add(11)
    courier.eventsWaiting.add(13)
    courier.eventsDelivered.add(17)
    courier.eventsExpired.add(19)
    courier.eventsLost.add(23)
    courier.storeFailures.add(29)
    courier.refused.add(31)
    courier.statesUnkept.add(37)
    courier.repliesDropped.add(41)
    courier.oversized.add(43)
    courier.requestsLimited.add(47)
    courier.requestsRefused.add(53)
    courier.forged.add(59)
    courier.strangers.add(61)
    var arena = Arena.taken(bytes: 2 * Radio.bytes)
    let radios = (0..<2).map { _ in Radio(name: Name("hci0"), listener: Doorbell(), echoes: false, in: &arena) }
    var collector = TelemetryCollector(radios, telemetry: .seconds(60), started: .zero + .seconds(100))
    #expect(collector.due == .zero + .seconds(160))
    for (radio, factor) in [(0, UInt32(1)), (1, 100)] {
      var counts = Recoveries()
      (counts.cures, counts.hardwareErrors, counts.malformed, counts.unanswered) = (2 * factor, 3 * factor, 5 * factor, 7 * factor)
      collector.record(counts, radio: radio)
    }
    var offline = OfflineGateway(
      try configuration("devices = 64\n[privacy]\nunknown = \"publish\""), epoch: nil, started: .zero + .seconds(100))
    for number in 0..<70 as Range<UInt8> {
      var packet = Packet()
      packet.at = .zero + .seconds(101)
      let report: [UInt8] = [4, 0x3E, 12, 2, 1, 3, 1, number, 0, 0, 0, 0, 0xC0, 0, number == 9 ? 127 : 0xC4]
      for byte in number == 8 ? Array(report.dropLast(3)) : report { packet.bytes.append(byte: byte) }
      offline.receive(packet, radio: 0)
    }
    // Two more than each radio's ring holds.
    for radio in radios { for _ in 0..<(Limits.packetsQueued + 2) { radio.deliver(Packet()) } }
    let told = try figures(collector.collect(at: .zero + .seconds(110), offline.gateway, courier))
    let wanted: [String: Double] = [
      "uptime_s": 10, "adverts_hz": 6.9, "packets": 70, "reports": 69, "malformed_truncated": 1, "malformed_impossible": 0,
      "malformed_unknown_packet": 0, "levels_discarded": 1, "implausible_powers": 0, "dropped_fragments": 0, "clock_steps_back": 0,
      "dropped_packets": 4, "dropped_messages": 37 + 41 + 43, "dropped_requests": 47, "dropped_publications": 7 + 11, "devices": 64,
      "evictions": 4, "refused_encounters": 0, "refused_claims": 0, "refused_visits": 0, "online": 0, "connections": 3, "publications": 5,
      "outbox_waiting": 13, "outbox_delivered": 17, "outbox_expired": 19, "outbox_lost": 23, "outbox_failures": 29,
      "refused_by_broker": 31, "refused_requests": 53, "words_forged": 59, "words_replayed": 0, "words_of_strangers": 61,
      "radio_recoveries": 202, "radio_faults": 15 * 101, "radio_bytes_discarded": 0,
    ]
    for (name, figure) in wanted { #expect(told[name] == figure, "\(name): \(told[name] ?? .nan)") }
    #expect(Set(told.keys).subtracting(wanted.keys) == ["v", "cpu_s", "memory_bytes"])
    #expect(told["cpu_s"] ?? 0 > 0 && told["memory_bytes"] ?? 0 > 1e6)
    #expect(collector.due == .zero + .seconds(170))
    let next = try figures(collector.collect(at: .zero + .seconds(115), offline.gateway, nil))
    #expect(next["adverts_hz"] == 0 && next["reports"] == 69 && next["uptime_s"] == 15 && next["connections"] == 0)
  }

  @Test("a line that babbles for months ends nobody: counters of 32 bits are added in 64") func full() throws {
    var arena = Arena.taken(bytes: Radio.bytes)
    var collector = TelemetryCollector(
      [Radio(name: Name("hci0"), listener: Doorbell(), echoes: false, in: &arena)], telemetry: .seconds(60), started: .zero)
    var counts = Recoveries()
    (counts.cures, counts.hardwareErrors, counts.malformed, counts.unanswered) = (.max, .max, .max, .max)
    collector.record(counts, radio: 0)
    let offline = OfflineGateway(try configuration("devices = 64"), epoch: nil, started: .zero)
    let told = try figures(collector.collect(at: .zero + .seconds(1), offline.gateway, nil))
    #expect(told["radio_recoveries"] == 4_294_967_295 && told["radio_faults"] == 3 * 4_294_967_295)
  }

  @Test("who has done nothing has counted nothing, and no figure is negative") func nothing() throws {
    var telemetry = Telemetry()
    #expect(try figures(telemetry).filter { $0.value != 0 } == ["v": 1])
    (telemetry.packetsDropped, telemetry.messagesDropped, telemetry.bytesDiscarded) = (-1, -1, -1)
    #expect(try figures(telemetry).filter { $0.value != 0 } == ["v": 1])
  }

  @Test("a shorter interval counts from now, a longer one from the next time") func interval() throws {
    var collector = TelemetryCollector([], telemetry: .seconds(3_600), started: Clock.now())
    collector.reload(try configuration("[publish]\ntelemetry_s = 15"))
    #expect((.seconds(14) ... .seconds(15)).contains(collector.due - Clock.now()))
    collector.reload(try configuration("[publish]\ntelemetry_s = 50"))
    #expect(collector.due - Clock.now() <= .seconds(15))
  }

  @Test("much noise on a radio's line is said once, and again when as much has come anew") func noise() {
    var arena = Arena.taken(bytes: 2 * Radio.bytes)
    let radios = (0..<2).map { _ in Radio(name: Name("hci0"), listener: Doorbell(), echoes: false, in: &arena) }
    var collector = TelemetryCollector(radios, telemetry: .seconds(60), started: .zero)
    for (bytes, warned) in [(1_023, nil), (2_047, "1024"), (2_048, nil), (3_071, nil), (5_000, "1929")] as [(UInt64, String?)] {
      radios[1].discarded(bytes)
      let warnings = collector.noiseWarnings()
      #expect(warnings.count == (warned == nil ? 0 : 1), "\(bytes): \(warnings)")
      if let warned { #expect(warnings.first?.hasPrefix("radio hci0: \(warned) bytes belonged to no packet") == true, "\(warnings)") }
    }
  }
}
