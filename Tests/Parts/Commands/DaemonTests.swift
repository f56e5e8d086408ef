import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("the daemon, turn by turn") struct DaemonTests {
  /// Without what differs from run to run.
  private func plain(_ lines: [String], _ rig: borrowing DaemonRig) -> String {
    lines.joined(separator: "\n").replacing(rig.program.folder.path, with: "FOLDER").replacing("\"\(release)\"", with: "VERSION")
      .replacing(#/"\d{4}-\d\d-\d\dT[\d:.]+Z"/#, with: "TIME").replacing(#/"cpu_s":[\d.]+/#, with: "CPU")
      .replacing(#/"memory_bytes":\d+/#, with: "MEMORY").replacing(#/"t_us":-\d+/#, with: "UNDATED")
  }

  private static let yard = """
    gateway.devices = 64
    [publish]
    telemetry_s = 30
    [home_assistant]
    discovery = true
    [[region]]
    name = "yard"
    match = "ibeacon:*"
    [[trigger]]
    name = "pump-1"
    match = "ibeacon:\(Machine.uuid):7:1"
    """

  @Test("what it publishes of a visit, of its state and of itself, and what it answers to commands") func life() throws {
    var rig = try DaemonRig(Self.yard)
    var all: [String] = []
    func turn(_ seconds: Double, _ rig: inout DaemonRig) throws {
      let (goesOn, lines) = try rig.turn(at: seconds)
      #expect(goesOn)
      all += ["# \(seconds)"] + lines
    }
    try turn(0, &rig)
    var report = Radio.Status()
    (report.condition, report.at) = (.scanning, rig.started + .seconds(0.5))
    rig.daemon.reported(report, radio: 0)
    try turn(1, &rig)
    for step in 0..<60 {
      rig.receive(DaemonRig.advert(1), at: 1 + Double(step) / 10)
      if step == 40 { rig.command(.ping) }
      if step == 41 { rig.command(.ranging(.start, region: Name("none"))) }
      if step % 10 == 9 { try turn(1 + Double(step) / 10, &rig) }
    }
    rig.command(.forgetNeighbour(Name("island")))
    rig.command(.authorization(.denied))
    try turn(8, &rig)
    rig.command(.authorization(.always))
    try turn(9, &rig)
    let (due, end) = (rig.daemon.nextDeadline, rig.started + .seconds(30))
    #expect(due <= end)
    try turn(29.9, &rig)
    try turn(30, &rig)
    try turn(31, &rig)
    rig.daemon.asked(.stop)
    let (goesOn, lines) = try rig.turn(at: 32)
    let exit = rig.daemon.end
    #expect(!goesOn && exit == .done)
    try Said("daemon-life").expect(plain(all + ["# stop"] + lines, rig))
  }

  @Test("a recording by command has every packet with its moment, our commands to the controller too, and is answered at its end")
  func recorded() throws {
    var rig = try DaemonRig(Self.yard, radios: ["left", "right"])
    rig.receive(DaemonRig.advert(9), at: 0.5)
    rig.command(.capture(.seconds(2)))
    rig.command(.capture(.seconds(1)))
    let refused = try rig.turn(at: 1).lines
    #expect(refused.count { $0.contains("/reply/capture") } == 1 && refused.contains { $0.contains("another is under way") }, "\(refused)")
    let (due, radios) = (rig.daemon.nextDeadline, rig.radios)
    let end = rig.started + .seconds(3)
    #expect(due <= end && radios.allSatisfy { $0.isEchoing })
    let packets: [(bytes: [UInt8], at: Double, radio: Int)] = [
      (DaemonRig.advert(1), 1.25, 0), ([1, 3, 0x0C, 0], 1.5, 0), (DaemonRig.advert(2), 2, 1), (DaemonRig.advert(3), 2.75, 0),
    ]
    for (bytes, at, radio) in packets { rig.receive(bytes, at: at, radio: radio) }
    let before = try rig.turn(at: 2.9).lines
    #expect(!before.contains { $0.contains("/reply/capture") })
    let told = try rig.turns(at: 3, until: "/reply/capture")
    rig.receive(DaemonRig.advert(4), at: 3.1)
    #expect(radios.allSatisfy { !$0.isEchoing })
    let reply = try #require(told.first { $0.contains("/reply/capture") })
    let folder = rig.program.folder.path
    #expect(reply.contains(#""packets":4,"dropped":0"#) && reply.contains(#""request":"capture""#), "\(reply)")
    for (radio, name) in ["left", "right"].enumerated() {
      let file = "\(folder)/capture.\(name).btsnoop"
      #expect(reply.contains(file), "\(reply)")
      let captures = Captures(opening: [file])
      var (packet, first) = (Packet(), 0.0)
      for (number, wanted) in packets.filter({ $0.radio == radio }).enumerated() {
        #expect(captures.next(into: &packet) == 0)
        if number == 0 { first = wanted.at }
        #expect(packet.at == .zero + .seconds(wanted.at - first) && packet.bytes.count == wanted.bytes.count, "\(wanted)")
        #expect((0..<min(packet.bytes.count, wanted.bytes.count)).allSatisfy { packet.bytes[$0] == wanted.bytes[$0] })
      }
      #expect(captures.next(into: &packet) == nil && captures.faults.isEmpty)
    }
    // At the end of the process what there is is kept, and answered.
    rig.command(.capture(.seconds(60)))
    rig.receive(DaemonRig.advert(5), at: 4)
    _ = try rig.turn(at: 4.5)
    rig.receive(DaemonRig.advert(5), at: 4.6)
    rig.daemon.asked(.stop)
    let (goesOn, last) = try rig.turn(at: 5)
    #expect(!goesOn && last.contains { $0.contains("/reply/capture") && $0.contains(#""packets":1,"#) }, "\(last)")
  }

  @Test("a neighbour that a command forgot is not brought back by the status that the broker kept of it") func forgotten() throws {
    var rig = try DaemonRig(Self.yard)
    var status = Neighbour()
    (status.name, status.boot, status.isOnline, status.isRetained) = (Name("island"), Text("run 1"), true, true)
    for (boot, isKnown) in [("run 1", true), ("run 1", false), ("run 2", true)] as [(StaticString, Bool)] {
      status.boot = Text(boot)
      _ = rig.sink.requests.push(.neighbour(status))
      rig.command(.forgetNeighbour(Name("island")))
      let told = try rig.turn(at: 1).lines.first { $0.contains("/reply/forget-neighbour") } ?? ""
      #expect(told.contains(isKnown ? #""ok":true"# : "no neighbour of that name is known"), "\(told)")
    }
  }

  @Test("no radio leaves a phone unasked for an id that is not believed: where messages are proven, of a gateway that was never heard")
  func hinted() throws {
    let keys = try Program()
    defer { keys.remove() }
    try keys.write("site.key", String(repeating: "0123456789abcdef", count: 4))
    chmod(keys.folder.path + "/site.key", 0o600)
    var peer = KnownPeer(address: Address(0x4A00_0000_0001, type: 1), id: 5)
    peer.gateway = Name("other")
    for (key, count) in [("", 1), ("security.site_key_file = \"\(keys.folder.path)/site.key\"\n", 0)] {
      var rig = try DaemonRig("peer.identify = true\n" + key)
      _ = rig.sink.requests.push(.peer(peer))
      _ = try rig.turn(at: 1)
      let hints = rig.radios[0].hints.count
      #expect(hints == count, "\(key)")
    }
  }

  @Test("it wakes when a command's time is over, though nothing else is due") func waking() throws {
    var rig = try DaemonRig("[privacy]\nunknown = \"publish\"\n")
    _ = try rig.turn(at: 0.001)
    let idle = rig.daemon.nextDeadline
    rig.command(.calibrate(try Machine.identity("irk:anna"), at: Meters(1), during: .milliseconds(50)))
    _ = try rig.turn(at: 0.002)
    let (due, end) = (rig.daemon.nextDeadline, rig.started + .milliseconds(52))
    #expect(due <= end && end < idle)
    let told = try rig.turn(at: 0.052).lines
    #expect(told.contains { $0.contains("/reply/calibrate") }, "\(told)")
  }

  @Test("a reload is answered when it is done: in force, wrong, or fixed at start") func reloaded() throws {
    var rig = try DaemonRig(Self.yard)
    _ = try rig.turn(at: 0)
    let isBusy = rig.daemon.hasWork
    #expect(!isBusy)
    for (toml, words) in [
      (Self.yard.replacing("\"yard\"", with: "\"house\""), #""ok":true,"error":null"#),
      ("[[region]]\nname = 7\n", "the configuration is wrong; the log says where. The old configuration stays in force"),
      (Self.yard.replacing("64", with: "65"), "gateway.devices is fixed at start: restart the gateway to change it. The old conf"),
    ] {
      try rig.reads(toml)
      rig.command(.reload)
      let told = try rig.turns(at: 0.001, until: "/reply/reload")
      let reply = told.first { $0.contains("/reply/reload") } ?? ""
      #expect(reply.contains(words) && reply.contains(#""request":"reload""#), "\(reply)")
      let news = told + (try rig.turn(at: 0.001).lines)
      let isAnnounced = news.contains { $0.contains("homeassistant/") && $0.contains(#""name":"house""#) }
      #expect(isAnnounced == words.contains("true"), "Home Assistant learns of the new region")
    }
    // Sixteen wait; one more is told so.
    for _ in 0..<17 { rig.command(.reload) }
    let refused = try rig.turn(at: 0.002).lines.filter { $0.contains("too many reloads are waiting; try again") }
    #expect(refused.count == 1, "\(refused)")
    rig.daemon.asked(.reload)
    let last = try rig.turns(at: 0.002, until: "fixed at start")
    #expect(last.count { $0.contains("/reply/reload") } == 16)
  }

  @Test("the status says that the file is wrong until one is read that the next start takes, even if this run cannot")
  func wrongFile() throws {
    for right in [Self.yard, Self.yard.replacing("64", with: "65")] {
      var rig = try DaemonRig(Self.yard)
      _ = try rig.turn(at: 0)
      for (toml, state) in [("[[region]]\nname = 7\n", "degraded"), (right, "online")] {
        try rig.reads(toml)
        rig.daemon.asked(.reload)
        let told = try rig.turns(at: 0.001, until: #""state":"\#(state)""#)
        #expect(told.contains { $0.contains("/status") && $0.contains("the next start would fail") == (state == "degraded") }, "\(told)")
      }
    }
  }

  @Test("a reload leaves in force what the command authorization said, until the file says something else") func commanded() throws {
    var rig = try DaemonRig(Self.yard)
    _ = try rig.turn(at: 0)
    func enters(_ start: Double, _ toml: String?, _ rig: inout DaemonRig) throws -> Bool {
      if let toml {
        try rig.reads(toml)
        rig.command(.reload)
        _ = try rig.turns(at: start, until: "/reply/reload")
      }
      var told: [String] = []
      for step in 0..<30 {
        rig.receive(DaemonRig.advert(1), at: start + Double(step) / 10)
        told += try rig.turn(at: start + Double(step) / 10).lines
      }
      return told.contains { $0.contains(#""event":"enter""#) }
    }
    rig.command(.authorization(.denied))
    _ = try rig.turn(at: 0.5)
    for (start, toml, hears) in [
      (1, nil, false), (5, Self.yard, false), (10, Self.yard + "\n# a change\n", false),
      (15, "gateway.authorization = \"denied\"\n" + Self.yard, false), (20, Self.yard, true),
    ] as [(Double, String?, Bool)] {
      let isHeard = try enters(start, toml, &rig)
      #expect(isHeard == hears, "\(start)")
    }
  }

  @Test("when no radio can ever hear anything the process ends, with the exit code of why") func hopeless() throws {
    for (trouble, exit) in [(Trouble.noPermission, Exit.forbidden), (.noSource, .unreadable), (.damagedSource, .unreadable)] {
      var rig = try DaemonRig(Self.yard)
      _ = try rig.turn(at: 0)
      var report = Radio.Status()
      report.condition = .failed(trouble)
      rig.daemon.reported(report, radio: 0)
      let goesOn = try rig.turn(at: 1).goesOn
      let end = rig.daemon.end
      #expect(!goesOn && end == exit, "\(trouble)")
    }
  }

  @Test("while a radio pauses, no trigger at another one fires for who may stand at its own") func paused() throws {
    let triggers = [("a", "left"), ("b", "right")].map { name, radio in
      "[[trigger]]\nname = \"\(name)\"\nradio = \"\(radio)\"\ngroup = \"pumps\"\nmatch = \"ibeacon:\(Machine.uuid):7:1\"\n"
    }
    var rig = try DaemonRig(triggers.joined(), radios: ["left", "right"])
    func report(_ radio: Int, isPaused: Bool, at seconds: Double, _ rig: inout DaemonRig) {
      var report = Radio.Status()
      (report.condition, report.isPaused, report.at) = (.scanning, isPaused, rig.started + .seconds(seconds))
      rig.daemon.reported(report, radio: radio)
    }
    for radio in 0..<2 { report(radio, isPaused: false, at: 0.1, &rig) }
    report(1, isPaused: true, at: 9.9, &rig)
    var fired: [String] = []
    for step in 0..<60 {
      let time = 10 + Double(step) / 10
      if step == 20 { report(1, isPaused: false, at: time, &rig) }
      rig.receive(DaemonRig.advert(1, level: -60), at: time)
      if step >= 20 { rig.receive(DaemonRig.advert(1, level: -50), at: time + 0.01, radio: 1) }
      fired += try rig.turn(at: time + 0.02).lines.filter { $0.contains(#""event":"fire""#) }
    }
    #expect(fired.count == 1 && fired[0].contains(#""trigger":"b""#), "\(fired)")
  }

  @Test("a calibration by command counts each advert of its device once, whoever else is heard") func calibrated() throws {
    var rig = try DaemonRig(Self.yard)
    _ = try rig.turn(at: 0)
    rig.command(.calibrate(try Machine.identity("ibeacon:\(Machine.uuid):7:1"), at: Meters(1), during: .seconds(5)))
    _ = try rig.turn(at: 1)
    for step in 0..<12 {
      rig.receive(DaemonRig.advert(1, level: -61), at: 1.1 + Double(step) / 4)
      for other in 0..<3 { rig.receive(DaemonRig.advert(2), at: 1.12 + Double(step) / 4 + Double(other) / 50) }
    }
    let reply = try rig.turn(at: 6).lines.first { $0.contains("/reply/calibrate") } ?? ""
    #expect(reply.contains(#""measured_power_dbm":-61,"#) && reply.contains(#""samples":12,"radio":"hci0""#), "\(reply)")
  }

  @Test("with each telemetry message its figures are written to metrics_file, for this site and gateway") func metrics() throws {
    let place = "[publish]\ntelemetry_s = 30\nmetrics_file = \"FOLDER/figures.prom\"\n"
    var rig = try DaemonRig("gateway.name = \"g\"\ngateway.site = \"s\"\n" + place)
    let file = rig.program.folder.appending(path: "figures.prom")
    for step in 0..<7 { rig.receive(DaemonRig.advert(1), at: Double(step)) }
    _ = try rig.turn(at: 29.9)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    _ = try rig.turn(at: 30)
    let end = ContinuousClock.now + .seconds(10)
    while !FileManager.default.fileExists(atPath: file.path), ContinuousClock.now < end { usleep(5_000) }
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("forecourt_packets_total{site=\"s\",gateway=\"g\"} 7\n"), "\(text)")
  }
}
