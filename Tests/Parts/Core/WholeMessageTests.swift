import Testing

@testable import Core

@Suite("Messages, whole") struct WholeMessageTests {
  @Test("Home Assistant is told of each entity: where it finds its state, and what it means") func discovered() {
    var settings = Settings()
    (settings.gateway.site, settings.gateway.name) = ("Tank & Rast", "island-2")
    let discovery = Discovery(settings, version: "1.2.3")
    let anna = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))
    func expect(
      _ message: Message, _ component: String, _ own: String, _ name: String, _ topic: String, class: String = "", _ rest: String
    ) {
      let id = "forecourt_0de60b54f05f6318"
      #expect(String(message.topic) == "homeassistant/\(component)/\(id)_\(own)/config")
      let monitors = component == "binary_sensor" ? " and value_json.authorization=='always'" : ""
      let availability =
        "{{ '' if 'simulated' in value_json else 'online' if value_json.radios|d([])"
        + "|selectattr('state','in','scanning quiet')|list\(monitors) else 'offline' }}"
      #expect(
        String(message.payload) == #"{"~":"forecourt/Tank & Rast/island-2","uniq_id":"\#(id)_\#(own)","name":"\#(name)",\#(`class`)"#
          + #""stat_t":"~/\#(topic)","json_attr_t":"~/\#(topic)",\#(rest)"#
          + #""avty_t":"~/status","avty_tpl":"\#(availability)","dev":{"ids":"\#(id)","#
          + #""name":"Tank & Rast island-2","mdl":"forecourt"},"o":{"name":"forecourt","sw":"1.2.3"}}"#)
    }
    expect(
      discovery.trigger("pump 1"), "binary_sensor", "trigger_7d62751952204880", "pump 1", "trigger/pump 1/state",
      #""val_tpl":"{{ '' if 'simulated' in value_json else 'ON' if value_json.served_count > 0 else 'OFF' }}","#)
    expect(
      discovery.region("shop"), "binary_sensor", "region_46dc5e18e28e2409", "shop", "region/shop", class: #""dev_cla":"occupancy","#,
      #""val_tpl":"{{ '' if 'simulated' in value_json else 'ON' if value_json.state == 'inside' else 'OFF' }}","#)
    let (id, digest) = ("address:c0:00:00:00:00:01", "ab23298dc5541181")
    expect(
      discovery.tracker(anna, named: "anna"), "device_tracker", "tracker_\(digest)", "anna", "proximity/\(id)",
      #""src_type":"bluetooth_le","json_attr_tpl":"{%set v=value_json%}{{(v if 'simulated' in v "#
        + #"else dict(v,in_zones=['zone.home']*(v.zone!='unknown')))|tojson}}","#
        + #""val_tpl":"{{'home' if (this.state=='home' if 'simulated' in value_json else value_json.zone!='unknown') else 'not_home'}}","#)
    expect(
      discovery.distance(anna), "sensor", "distance_\(digest)", id + " distance", "proximity/\(id)",
      #""dev_cla":"distance","unit_of_meas":"m","#
        + #""val_tpl":"{{ '' if 'simulated' in value_json else value_json.distance_m | default(none) }}","#)
    expect(
      discovery.level(anna, named: "anna"), "sensor", "level_\(digest)", "anna level", "proximity/\(id)",
      #""dev_cla":"signal_strength","unit_of_meas":"dBm","#
        + #""val_tpl":"{{ '' if 'simulated' in value_json else value_json.average | default(none) }}","#)
  }

  /// What a tracker's message holds of these: the model, the version, the zone.
  private func held(_ tracker: Message) -> [Bool] {
    let payload = String(tracker.payload)
    #expect(!tracker.payload.overflowed, "\(payload.utf8.count)")
    return [#""mdl":"#, #""sw":"#, "in_zones"].map { payload.contains($0) }
  }

  private func name(_ letter: Character, _ count: Int) -> Name {
    Name(Array(String(repeating: letter, count: count).utf8).span.bytes)
  }

  @Test("names of the greatest length leave room for a device's zone, though not always for the version", arguments: [0, 23])
  func roomy(more: Int) {
    var beacon = Identity(.iBeacon)
    for _ in 0..<20 { beacon.append(0xFF) }
    var (found, long) = (Set<[Bool]>(), Identity(.name))
    for byte in 0..<40 { long.append(byte < 33 ? UInt8(ascii: "n") : 0) }
    for count in 1...32 {
      var settings = Settings()
      if more > 0 { settings.publish.prefix = name("p", 9 + more) }
      (settings.gateway.site, settings.gateway.name) = (name("s", count), name("g", count))
      let discovery = Discovery(settings, version: "1.2.3-456-gabcdef0")
      for identity in [beacon, long] {
        for shown in [Name(), name("n", 32)] { found.insert(held(discovery.tracker(identity, named: shown))) }
      }
    }
    #expect(found == [[true, true, true], [false, false, true]], "\(found)")
  }

  @Test("where names take up more room than they have letters, a device is announced without its zone") func roomless() {
    var settings = Settings()
    (settings.gateway.site, settings.gateway.name) = (name("\"", 32), name("\"", 32))
    var beacon = Identity(.iBeacon)
    for _ in 0..<20 { beacon.append(0xFF) }
    #expect(held(Discovery(settings, version: "1.2.3").tracker(beacon)) == [true, true, false])
  }

  @Test("no two gateways are one device to Home Assistant, whatever their names leave out, and whatever prefix they publish below")
  func told() {
    func told(_ site: Name, _ gateway: Name, below prefix: Name = "forecourt") -> [String] {
      var settings = Settings()
      (settings.publish.prefix, settings.gateway.site, settings.gateway.name) = (prefix, site, gateway)
      let message = Discovery(settings, version: "1").trigger("pump")
      let payload = String(message.payload)
      return [String(message.topic)] + payload.matches(of: /"(?:uniq_id|ids)":"([^"]+)"/).map { String($0.1) }
    }
    #expect(told("yard", "island-2")[2] == "forecourt_yard_island-2", "plain names stay readable")
    let pairs: [(Name, Name)] = [
      ("yard", "pump 1"), ("yard", "pump.1"), ("yard", "pump_1"), ("yard_pump", "1"), ("yard", "泵一"), ("yard", "泵二"), ("yard", "pump-1"),
    ]
    for place in 0..<3 { #expect(Set(pairs.map { told($0.0, $0.1)[place] }).count == pairs.count) }
    #expect(pairs.allSatisfy { told($0.0, $0.1)[0].wholeMatch(of: #/homeassistant/binary_sensor/[A-Za-z0-9_-]+/config/#) != nil })
    // Two installations at one broker, whose people chose the same names.
    let prefixes: [Name] = ["forecourt", "north", "south", "the south"]
    for place in 0..<3 { #expect(Set(prefixes.map { told("yard", "island-2", below: $0)[place] }).count == prefixes.count) }
    let spaced = told("yard", "island-2", below: "the south")[0]
    #expect(spaced.wholeMatch(of: #/homeassistant/binary_sensor/[A-Za-z0-9_-]+/config/#) != nil, "\(spaced)")
  }

  @Test("an event's uptime is exact after a year") func uptime() {
    var rig = Rig { $0.addRegion("yard") }
    rig.gateway.publisher.clock.started = Instant(microseconds: 10_000_000 - 31_536_000_123_000)
    rig.hear(1, at: 10)
    let events = rig.said().filter { $0.topic == "region/yard/event" }.map(\.payload)
    #expect(events.count == 1 && events.allSatisfy { $0.contains(#""uptime_s":31536000.123"#) }, "\(events)")
  }

  @Test("the status says what it knows, and only that") func status() {
    let topics = Topics(Settings())
    func expect(_ message: Message, _ payload: String) {
      #expect(String(message.topic) == "forecourt/site/gateway/status")
      #expect(String(message.payload) == #"{"v":1,\#(payload)}"#)
    }
    var report = StatusReport()
    expect(
      .status(report, topics: topics, at: .zero),
      #""state":"online","reason":null,"version":"","boot":"","authorization":"always","radios":[],"purpose":"""#)
    (report.state, report.reason, report.version, report.boot) = (.degraded, "radio b: gone", "1.2.3", "0123456789abcdef")
    (report.purpose, report.authorization, report.groups, report.simulated) = ("told", .whenInUse, "pumps/doors", true)
    (report.reasonsLeftOut, report.isClockUnsynchronised) = (2, true)
    _ = report.radios.append(StatusReport.RadioState(name: "a", state: "listening"))
    _ = report.radios.append(StatusReport.RadioState(name: "b", state: "failed"))
    var beacon = StatusReport.Transmit(.iBeacon)
    (beacon.state, beacon.power) = (.on, -4)
    _ = report.transmits.append(beacon)
    _ = report.transmits.append(StatusReport.Transmit(nil))
    var site = StatusReport.Site()
    (site.heard, site.missing, site.missingLeftOut) = (2, "island-3", 61)
    report.site = site
    expect(
      .status(report, topics: topics, at: .zero),
      #""state":"degraded","reason":"radio b: gone","reasons_left_out":2,"version":"1.2.3","boot":"0123456789abcdef","authorization":"when-in-use","clock":"unsynchronised","#
        + #""groups":"pumps/doors","site":{"trust":"unauthenticated","heard":2,"missing":"island-3","missing_left_out":61},"#
        + #""radios":[{"name":"a","state":"listening"},{"name":"b","state":"failed"}],"purpose":"told","#
        + #""transmits":[{"kind":"ibeacon","radio":"a","state":"on","tx_power_dbm":-4},"#
        + #"{"kind":"peer","radio":"a","state":"off","tx_power_dbm":null}],"simulated":true"#)
    let last = #""state":"offline","reason":"it ended""#
    expect(.offline("it ended", topics: topics, boot: "0123", simulated: true), last + #","boot":"0123","simulated":true"#)
    expect(.offline("it ended", topics: topics, boot: "", simulated: false), last)
  }
}
