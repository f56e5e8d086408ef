import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("a command that listens") struct ListenerTests {
  private static let address = Address(word: 0x4A00_C17E_5502)

  /// What is printed meanwhile.
  private func printed(_ words: [String], _ command: Command, _ body: (Invocation) throws -> Void) throws -> [String] {
    let program = try Program()
    defer { program.remove() }
    let place = program.folder.appending(path: "printed").path
    _ = FileManager.default.createFile(atPath: place, contents: nil)
    let file = try #require(FileHandle(forUpdatingAtPath: place))
    let out = Output(to: file.fileDescriptor)
    try body(try Invocation(command, words, out))
    #expect(out.close())
    return try String(contentsOfFile: place, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  // MARK: identify

  private func identifying(_ invocation: Invocation) -> Listening<IdentifyListener> {
    Listening(IdentifyListener(invocation, captureConditions()))
  }

  /// What identify prints of these news, and its end.
  private func identified(_ news: [PeerNews], _ options: [String] = []) throws -> (lines: [String], end: Exit, goesOn: Bool) {
    var (end, goesOn) = (Exit.done, false)
    let lines = try printed(["4a:00:c1:7e:55:02"] + options, .identify) { invocation in
      let told = identifying(invocation)
      for piece in news {
        let packet = piece.packet
        told.receive((0..<packet.count).map { packet[$0] }, at: Clock.now())
      }
      told.receive(DaemonRig.advert(1), at: Clock.now())
      (goesOn, end) = (told.turned(at: Clock.now()), told.listener.end)
    }
    return (lines, end, goesOn)
  }

  @Test("identify prints each service and the id, or why there is none, once; other news do not end it") func identify() throws {
    let services = [(1, 11, 0x2F23_4454_CF6D_4A0F), (12, 65_535, 0x0000_1800_0000_1000)].map {
      PeerNews.offers(Self.address, ServiceGroup(first: $0.0, last: $0.1, uuid: ServiceUUID($0.2, 0xADF2_F491_1BA9_FFA6)))
    }
    let known = PeerNews.identified(KnownPeer(address: Self.address, id: 0xBC00_BD17))
    let (failed, stranger) = (PeerNews.failed(Self.address, .silent), PeerNews.stranger(Self.address))
    let other: [PeerNews] = [
      .level(Self.address, -60), .sends(transmission: 0, power: 4), .withheld(transmission: 0, status: 1, isPower: true),
    ]
    let rows = ["2f234454-cf6d-4a0f-adf2-f4911ba9ffa6  1-11", "00001800-0000-1000-adf2-f4911ba9ffa6  12-65535"]
    let text = try identified(other + services + [known, failed])
    #expect(text.lines == rows + ["peer:BC00BD17"] && text.end == .done && !text.goesOn)
    for news in [failed, stranger] {
      let told = try identified(services + [news, known])
      #expect(told.lines == rows && told.end == .failed && !told.goesOn)
    }
    let waits = try identified(other + services)
    #expect(waits.lines == [] && waits.end == .failed && waits.goesOn)
    let head = "{\"v\":1,\"address\":\"4a:00:c1:7e:55:02\",\"id\":"
    let all =
      "\"services\":[{\"uuid\":\"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\",\"first\":1,\"last\":11},"
      + "{\"uuid\":\"00001800-0000-1000-adf2-f4911ba9ffa6\",\"first\":12,\"last\":65535}]}"
    #expect(try identified(services + [known], ["--json"]).lines == [head + "\"peer:BC00BD17\",\"error\":null," + all])
    let silent = try identified([failed], ["--json"]).lines
    #expect(silent == [head + "null,\"error\":\"it connected, but does not answer\",\"services\":[]}"])
    let none = "it has no installation id: no service begins with peer.id_prefix"
    #expect(try identified([stranger], ["--json"]).lines == [head + "null,\"error\":\"\(none)\",\"services\":[]}"])
  }

  @Test("identify gives up after its time, at once when no radio can hear, and when it is told to stop") func identifyEnds() throws {
    for (options, seconds) in [([], 15), (["--seconds", "2"], 2)] as [([String], Double)] {
      let lines = try printed(["4a:00:c1:7e:55:02"] + options, .identify) { invocation in
        let first = Clock.now()
        let waiting = identifying(invocation)
        let last = Clock.now()
        #expect((first + .seconds(seconds)...last + .seconds(seconds)).contains(waiting.nextDeadline))
        waiting.expectEnd(after: seconds, first, last)
        #expect(waiting.listener.end == .failed)
      }
      #expect(lines == [])
    }
    _ = try printed(["4a:00:c1:7e:55:02"], .identify) { invocation in
      for (condition, end) in [(Condition.failed(.noPermission), Exit.forbidden), (.failed(.noSource), .unreadable)] {
        let broken = identifying(invocation)
        #expect(broken.turned(at: Clock.now()))
        broken.reported(condition)
        #expect(!broken.turned(at: Clock.now()) && broken.listener.end == end)
      }
      let stopped = identifying(invocation)
      stopped.asked(.stop)
      #expect(!stopped.turned(at: Clock.now()) && stopped.listener.end == .failed)
    }
  }

  @Test("an address is six pairs of digits with colons between them") func addresses() throws {
    let invocation = try Invocation(.identify, ["x"], Output())
    for (text, word) in [("4a:00:c1:7e:55:02", 0x4A00_C17E_5502), ("FF:ff:09:0a:F0:a9", 0xFFFF_090A_F0A9)] as [(String, UInt64)] {
      #expect(try invocation.address(text) == word)
    }
    for text in [
      "", "4a:00:c1:7e:55:0", "4a:00:c1:7e:55:022", "4a-00:c1:7e:55:02", "4a:00:c1:7e:55-02", "4g:00:c1:7e:55:02", "4a:00:c1:7e:5502:",
    ] {
      #expect(throws: Exit.usage, "\(text)") { try invocation.address(text) }
    }
  }

  // MARK: calibrate

  @Test("at a place samples count from its Enter on, until its time or the recording is over; the next place begins anew") func place()
    throws
  {
    let trace = DeviceTrace(try Machine.identity("ibeacon:\(Machine.uuid):7:1"), radios: 1)
    func listening() throws -> Listening<PlaceListener> {
      Listening(PlaceListener(try offlineGateway(), trace, captureConditions(), ProgressBar()))
    }
    let told = try listening()
    let early = Clock.now()
    #expect(!told.listener.hasHeard && told.listener.started == .never)
    told.receive(DaemonRig.advert(1, level: -60), at: early)
    #expect(told.listener.hasHeard && told.listener.samples.isEmpty)
    told.listener.start(for: .seconds(5))
    let start = told.listener.started
    #expect(early <= start && start <= Clock.now() && told.nextDeadline == start + .seconds(5))
    told.expectEnd(after: 5, start, start)
    for (offset, level) in [(-1, -61), (0, -62), (1_000_000, -63)] as [(Int64, Int8)] {
      told.receive(DaemonRig.advert(1, level: level), at: start + Interval(microseconds: offset))
      told.receive(DaemonRig.advert(2, level: -40), at: start + Interval(microseconds: offset))
    }
    #expect(told.listener.samples.map(\.level) == [-62, -63])
    told.listener.start(for: .seconds(7))
    #expect(told.listener.samples.isEmpty && told.listener.hasHeard && told.nextDeadline == told.listener.started + .seconds(7))
    told.asked(.reload)
    told.reported(.scanning)
    #expect(told.turned(at: told.listener.started) && told.listener.end == nil)
    told.reported(.ended)
    told.reported(.scanning)
    #expect(!told.turned(at: told.listener.started) && told.listener.end == nil, "over is over")
    for (stops, end) in [(true, Exit.failed), (false, .unreadable)] {
      let other = try listening()
      other.listener.start(for: .seconds(5))
      if stops { other.asked(.stop) } else { other.reported(.failed(.noSource)) }
      #expect(other.listener.end == end && !other.turned(at: other.listener.started))
    }
  }

  // MARK: scan

  @Test("scan --json has a line a second for each device that was heard since, and a last one at its end") func scan() throws {
    func scanning(_ invocation: Invocation, _ seconds: Int? = nil) throws -> Listening<ScanListener> {
      Listening(ScanListener(try offlineGateway(), captureConditions(), seconds, invocation.out, isTable: false))
    }
    let lines = try printed([], .scan) { invocation in
      let told = try scanning(invocation)
      let start = told.nextDeadline
      for second in 0..<3 {
        for beacon in [UInt8(1), UInt8(second + 2)] {
          told.receive(DaemonRig.advert(beacon), at: start + .seconds(Double(second) - 0.5))
        }
        #expect(told.turned(at: start + .seconds(Double(second))))
      }
      told.receive(DaemonRig.advert(5), at: start + .seconds(2.1))
      told.reported(.ended)
      #expect(!told.turned(at: start + .seconds(2.1)))
      for condition in [Condition.scanning, .ended] {
        let other = try scanning(invocation)
        other.reported(condition)
        #expect(other.turned(at: start) == (condition == .scanning))
        other.asked(.stop)
        #expect(!other.turned(at: start))
      }
      let first = Clock.now()
      let timed = try scanning(invocation, 60)
      let last = Clock.now()
      let due = timed.nextDeadline
      #expect(first + .seconds(1) <= due && due <= last + .seconds(1) && timed.turned(at: due - Interval(microseconds: 1)))
      #expect(timed.nextDeadline == due && timed.turned(at: due) && timed.nextDeadline == due + .seconds(1))
      timed.expectEnd(after: 60, first, last)
    }
    let beacons = lines.compactMap { $0.firstMatch(of: #/:7:(\d)"/#).map { String($0.1) } }
    #expect(beacons == ["1", "2", "1", "3", "1", "4", "5"], "\(lines)")
  }
}
