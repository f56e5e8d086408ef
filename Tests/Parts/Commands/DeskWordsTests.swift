import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("each thing has its own words") struct DeskWordsTests {
  @Test("stages, verdicts and powers") func measured() {
    let stages: [(Encounter.Stage, String)] = [
      (.absent, "absent"), (.armed, "armed"), (.dwelling(since: .zero), "dwelling"), (.claiming(since: .zero, dwelling: .zero), "claiming"),
      (.fired(at: .zero), "fired"),
      (.leaving(since: .zero, fired: .zero), "leaving"),
    ]
    for (stage, word) in stages { #expect(stage.word == word) }
    let verdicts: [(Average.Verdict, String)] = [(.started, "first"), (.taken, "taken"), (.held, "gated"), (.shifted, "moved")]
    for (verdict, word) in verdicts { #expect("\(verdict.word)" == word) }
    let level = Decibels(-59.5)
    for (power, words) in [
      (.assumed(level), "unknown (-59.5 dBm at 1 m is assumed: calibrate it)"),
      (.transmitted(level), "guessed from what its advert says of its transmitter (-59.5 dBm at 1 m)"),
      (.learnt(level, transmitted: 0), "learnt from visits (-59.5 dBm at 1 m)"),
      (.advertised(level), "what its advert says (-59.5 dBm at 1 m)"),
      (.calibrated(level), "calibrated (-59.5 dBm at 1 m)"),
    ] as [(MeasuredPower, String)] { #expect(power.words == words) }
  }

  @Test("of a device at several triggers each is named, in the configuration's order") func followed() throws {
    var machine = try Machine(["pump-1", "pump-2", "pump-3"].map { "[[trigger]]\nname = \"\($0)\"\nmatch = \"*\"\n" }.joined())
    for step in 0..<30 { machine.hear(1, at: 1 + Double(step) / 10, level: -60) }
    let found = machine.gateway.devices.find(try Machine.identity("address:c0:00:00:00:00:01"))
    let slot = try #require(found)
    let states = machine.gateway.triggerStates(of: slot)
    #expect(states.map(\.name) == ["pump-1", "pump-2", "pump-3"] && states.allSatisfy { $0.stage != .absent }, "\(states)")
  }

  @Test("a selector that lasts says whom it means") func selectors() throws {
    func words(_ id: String, stays: Bool? = nil) throws -> [String] {
      LastingSelector.all(for: try Machine.identity(id), addressStays: stays).map(\.words)
    }
    #expect(try words("irk:anna") == ["this one: its key knows it by every address"])
    #expect(try words("eid:van") == ["this beacon: its key knows every id that it shows"])
    #expect(try words("peer:BC00BD17") == ["this installation of your app", "everybody with your app"])
    #expect(
      try words("ibeacon:\(Machine.uuid):7:1") == [
        "this beacon, and every copy of it", "all beacons with its UUID and major number", "all beacons with its UUID",
      ])
    #expect(try words("altbeacon:000102030405060708090a0b0c0d0e0f10111213") == ["this beacon, and every copy of it"])
    #expect(
      try words("eddystone:00112233445566778899:aabbccddeeff") == ["this beacon, and every copy of it", "all beacons with its namespace"])
    let address = "c0:11:22:33:44:55"
    #expect(
      try words("name:a@\(address)", stays: true) == [
        "this device: its address stays the same", "whatever has this name: anybody may take it",
      ])
    #expect(try words("service:180f@\(address)") == ["everybody whose device offers this service"])
  }

  @Test("what the log says of connections and transmissions, and how loud") func peers() throws {
    var settings = Settings()
    var beacon = TransmitSettings()
    (beacon.kind, beacon.txPower) = (.iBeacon, 4)
    _ = settings.transmissions.append(beacon)
    let (radio, address) = (Name("hci0"), Address(word: 0x1_4A00_C17E_5502))
    func said(_ news: PeerNews) -> String? { news.words(radio, settings).map { "\($0.level): \($0.sentence)" } }
    let place = "radio hci0: 4a:00:c1:7e:55:02"
    #expect(said(.identified(KnownPeer(address: address, id: 0xBC00_BD17))) == "debug: \(place) is peer:BC00BD17")
    #expect(said(.stranger(address)) == "debug: \(place) has no installation id")
    for (failure, words) in [
      (.unreachable, "it was heard, but no connection came about"), (.refused, "the controller refuses to connect"),
      (.silent, "it connected, but does not answer"), (.garbled, "it answers nonsense"),
      (.hungUp, "it hung up before it had answered"), (.flooded, "it floods the connection"),
      (.interrupted, "the radio had to start again"), (.wantsPairing, "it wants to be paired, which a gateway does not do"),
    ] as [(PeerFailure, String)] { #expect(said(.failed(address, failure)) == "debug: \(place): \(words)") }
    #expect(said(.offers(address, ServiceGroup(first: 1, last: 2, uuid: ServiceUUID()))) == nil && said(.level(address, -60)) == nil)
    let name = "ibeacon (transmit 1)"
    #expect(said(.sends(transmission: 0, power: 4)) == "info: radio hci0: sends \(name) at 4 dBm")
    #expect(said(.sends(transmission: 0, power: 3)) == "warning: radio hci0: sends \(name) at 3 dBm; tx_power_dbm = 4 was asked for")
    #expect(said(.sends(transmission: 0, power: nil)) == "warning: radio hci0: sends \(name); tx_power_dbm = 4 was asked for")
    #expect(said(.sends(transmission: PeerNews.ownServices, power: nil)) == "info: radio hci0: sends its own services")
    #expect(
      said(.withheld(transmission: 0, status: 17, isPower: true))
        == "error: radio hci0: does not send \(name): tx_power_dbm = 4 cannot be set here (status 17)")
    #expect(
      said(.withheld(transmission: PeerNews.ownServices, status: 7, isPower: false))
        == "error: radio hci0: does not send its own services: the controller refuses it (status 7)")
    #expect(ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6).written == "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6")
  }

  @Test("a neighbour that is not heard, or does not hear us, by name and with what to do") func neighbours() {
    let words = [Unheard.ourselves, .neighbour(Name("island-2")), .oneWay(Name("island-2"))].map { String($0.sentence) }
    #expect(
      words[0].hasPrefix("our own claims do not come back: no trigger in a group fires here; ") && words[0].hasSuffix("check tells more"))
    #expect(words[1].hasPrefix("neighbour island-2 is not heard: ") && words[1].hasSuffix("or take it off [site] gateways"))
    #expect(words[2].hasPrefix("neighbour island-2 does not hear us: ") && words[2].hasSuffix("see its log, and the broker's access list"))
  }

  @Test("numbers and columns") func numbers() {
    for (value, places, text) in [
      (0, 0, "0"), (1.25, 1, "1.3"), (-1.25, 1, "-1.3"), (0.05, 1, "0.1"), (-0.04, 1, "0.0"), (999.9999, 3, "1000.000"), (2.5, 0, "3"),
      (-2.5, 0, "-3"), (0.001, 6, "0.001000"), (.nan, 1, "–"), (.infinity, 1, "–"), (1e12, 0, "–"), (999_999_999_999, 0, "999999999999"),
    ] as [(Double, Int, String)] { #expect(fixed(value, places) == text, "\(value)") }
    for (distance, text) in [(0.42, "0.42"), (0.996, "1.00"), (1, "1.0"), (9.94, "9.9"), (10, "10"), (9_999, "9999"), (10_000, "far")]
      as [(Float, String)]
    {
      #expect(metres(Meters(distance)) == text)
    }
    #expect("Größe".columns == 5 && "Größe".padded(to: 7) == "Größe  " && "Größe".right(in: 7) == "  Größe" && "abc".padded(to: 2) == "abc")
    for (text, width, cut) in [
      ("Größe", 5, "Größe"), ("Größe", 4, "Grö…"), ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""), ("abc", 9, "abc"),
    ] {
      #expect(text.cut(to: width) == cut, "\(text) \(width)")
    }
    #expect(
      "0123456789".shortened(to: 9) == "0123…6789" && "0123456789".shortened(to: 5) == "01…89" && "0123456789".shortened(to: 4) == "012…")
    #expect(counted(0, "sample") == "0 samples" && counted(1, "sample") == "1 sample" && counted(2, "approach", "es") == "2 approaches")
    #expect(contains("abc", "bc") && contains("abc", "abc") && contains("abc", "") && !contains("abc", "cb") && !contains("ab", "abc"))
    #expect("yard.btsnoop".naming("left") == "yard.left.btsnoop" && "/a.b/yard".naming("left") == "/a.b/yard.left")
  }

  @Test("a name from the air is shown without what could steer a terminal or take two columns") func shown() throws {
    for (name, shown) in [
      ("Bus 7", "Bus 7"), ("a\u{1B}[2J", "a?[2J"), ("a\u{7F}b", "a?b"), ("a\u{80}\u{A0}¡b", "a??¡b"), ("a\u{AD}b", "a?b"),
      ("Größe\u{2FF}", "Größe\u{2FF}"),
      ("a\u{300}", "a?"), ("\u{202E}x", "?x"), ("漢", "?"), ("~ ", "~ "),
    ] {
      #expect(try Machine.identity("name:\(name)@c0:00:00:00:00:01").shown == "name:\(shown)@c0:00:00:00:00:01", "\(name)")
    }
  }
}
