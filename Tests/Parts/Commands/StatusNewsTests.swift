import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what the status and the log say, and how often") struct StatusNewsTests {
  private func report(_ condition: Condition, at seconds: Double = 0, code: Int32 = 0) -> Radio.Status {
    var report = Radio.Status()
    (report.condition, report.at, report.code) = (condition, .zero + .seconds(seconds), code)
    return report
  }

  /// Three radios.
  private func publisher(_ settings: borrowing Settings = Settings()) -> StatusPublisher {
    var arena = Arena.taken(bytes: 3 * Radio.bytes + 4_096)
    let names = [Name("left"), Name("right"), Name("roof")]
    let radios = names.map { Radio(name: $0, listener: Doorbell(), echoes: false, in: &arena) }
    return StatusPublisher(
      settings, Text("0123456789abcdef"), radios, [.tcp(host: "a", port: 1), .tcp(host: "b", port: 2), .capture(file: "c")])
  }

  private func reason(_ publisher: inout StatusPublisher, _ troubles: Troubles? = nil) -> String? {
    publisher.nextReport(troubles, .always).map { "\($0.state.name): \(String($0.reason))" }
  }

  @Test("a radio's news is logged: its state, or its trouble with what to do, and the same trouble once") func radio() {
    var publisher = publisher()
    func said(_ condition: Condition, code: Int32 = 0) -> String? {
      publisher.record(report(condition, code: code), radio: 1).map { "\($0.level): \($0.sentence)" }
    }
    #expect(said(.opening) == nil && said(.starting) == "info: radio right: starting" && said(.scanning) == "info: radio right: scanning")
    #expect(said(.scanning) == nil && said(.quiet) == "info: radio right: quiet")
    #expect(said(.recovering(.unreachable), code: 111) == "warning: radio right: tcp:b:2: nobody answers there: Connection refused")
    #expect(said(.degraded(.unreachable), code: 111) == nil && said(.recovering(.lineLost)) != nil)
  }

  @Test("the last recording that ends says that nothing more will come") func ended() {
    var publisher = publisher()
    func said(_ condition: Condition, _ radio: Int) -> String? { publisher.record(report(condition), radio: radio)?.sentence }
    #expect(said(.ended, 0) == "radio left: ended" && said(.ended, 2) == "radio roof: ended" && said(.scanning, 1) != nil)
    #expect(said(.ended, 1) == "radio right: ended; nothing more will come: Ctrl-C ends" && said(.ended, 1) == nil)
  }

  @Test("ten lines a minute for each radio; what was left out is counted in the next minute's first") func paced() {
    var publisher = publisher()
    func said(_ count: Int, from second: Double, radio: Int = 0) -> [String] {
      (0..<count).compactMap { turn in
        publisher.record(report(turn % 2 == 0 ? .starting : .scanning, at: second + Double(turn) / 10), radio: radio)?.sentence
      }
    }
    _ = publisher.record(report(.scanning, at: 100), radio: 0)
    #expect(said(16, from: 100).count == 9 && said(4, from: 100, radio: 1).count == 4, "each radio by itself")
    #expect(said(1, from: 159.9) == [])
    #expect(
      said(2, from: 160).map { $0.hasSuffix("(the log leaves out 8 earlier changes)") } == [true], "the first was none: it had been so")
    #expect(said(3, from: 220).map { $0.contains("leaves out") } == [false, false, false])
    #expect(said(12, from: 300).count == 10)
  }

  @Test("what is worst is the reason: radios in their order, before a disk, before the broker, before neighbours") func reasons() {
    var settings = Settings()
    settings.addGroup()
    var publisher = publisher(settings)
    #expect(reason(&publisher) == "online: " && reason(&publisher) == nil)
    var hearing = SiteHearing(unheard: .neighbour(Name("east")), heard: 2)
    #expect(publisher.record(hearing)?.sentence == String(Unheard.neighbour(Name("east")).sentence) && publisher.record(hearing) == nil)
    #expect(reason(&publisher)?.hasPrefix("degraded: neighbour east is not heard: ") == true)
    #expect(reason(&publisher, .forbidden) == "degraded: " + "\(Troubles.forbidden.words!)" && reason(&publisher, .forbidden) == nil)
    _ = publisher.record(late: .learnt)
    #expect(reason(&publisher, .forbidden) == "degraded: a disk does not answer: the learnt powers are being written")
    _ = publisher.record(late: .learnt)
    #expect(reason(&publisher, .forbidden) == nil)
    let hung = publisher.record(late: .learnt, isHung: true)
    #expect(hung?.level == .error && reason(&publisher) == "degraded: a disk does not answer: the learnt powers are being written")
    #expect(publisher.record(late: nil, isHung: true) == nil && reason(&publisher) == hung.map { "degraded: " + $0.sentence })
    #expect(publisher.record(late: .learnt)?.level == .info && reason(&publisher, .forbidden) != nil)
    for radio in [2, 0] {
      _ = publisher.record(report(.recovering(.silent)), radio: radio)
      let name = radio == 2 ? "roof" : "left"
      #expect(reason(&publisher, .forbidden) == "degraded: radio \(name): nothing is heard where many were heard a moment ago")
    }
    for radio in [0, 2] { _ = publisher.record(report(.scanning), radio: radio) }
    _ = publisher.record(late: nil)
    #expect(reason(&publisher)?.hasPrefix("degraded: neighbour east") == true)
    hearing = SiteHearing(heard: 2)
    #expect(publisher.record(hearing)?.level == .info && reason(&publisher) == "online: ")
    let fault = publisher.record(hearing, PlanFault(.shared, Name("west")))
    #expect(fault?.level == .warning && reason(&publisher) == fault.map { "degraded: " + $0.sentence })
    #expect(fault?.sentence.hasPrefix("neighbour west says that it stands within a metre of this gateway") == true)
    let uneven = PlanFault(.uneven, Name("west"))
    #expect(publisher.record(hearing, uneven)?.sentence.hasPrefix("of neighbour west and this gateway only one has at_m") == true)
    #expect(reason(&publisher)?.hasPrefix("degraded: of neighbour west") == true && publisher.record(hearing, uneven) == nil)
    #expect(publisher.record(hearing)?.level == .info && reason(&publisher) == "online: ")
    hearing = SiteHearing(heard: 3)
    #expect(publisher.record(hearing) == nil && reason(&publisher) == "online: ", "a count is news to the status, not to the log")
  }

  @Test("a file that the next start would refuse is the reason before what the broker lacks, until a right one is read") func wrongFile() {
    var publisher = publisher()
    let words = "degraded: the configuration file is wrong or cannot be read: the old one is in force, the next start would fail; "
    _ = reason(&publisher, .forbidden)
    publisher.record(isFileWrong: false)
    #expect(reason(&publisher, .forbidden) == nil)
    publisher.record(isFileWrong: true)
    #expect(reason(&publisher, .forbidden) == words + "forecourt check says where")
    publisher.record(isFileWrong: true)
    #expect(reason(&publisher, .forbidden) == nil)
    _ = publisher.record(report(.recovering(.silent)), radio: 0)
    #expect(reason(&publisher)?.hasPrefix("degraded: radio left: ") == true)
    _ = publisher.record(report(.scanning), radio: 0)
    publisher.record(isFileWrong: false)
    #expect(reason(&publisher, .forbidden) == "degraded: " + "\(Troubles.forbidden.words!)")
  }

  @Test("the process ends when every radio has failed for good and none ever listened; the first says why") func lasting() {
    var publisher = publisher()
    for radio in 0..<3 {
      #expect(publisher.lastingTrouble == nil)
      _ = publisher.record(report(.failed(radio == 0 ? .noPermission : .noBluetooth)), radio: radio)
    }
    #expect(publisher.lastingTrouble == .noPermission)
    _ = publisher.record(report(.recovering(.lineLost)), radio: 1)
    #expect(publisher.lastingTrouble == nil)
    _ = publisher.record(report(.scanning), radio: 1)
    for radio in 0..<3 { _ = publisher.record(report(.failed(.noPermission)), radio: radio) }
    #expect(publisher.lastingTrouble == nil, "one has listened")
    let none = StatusPublisher(Settings(), Text("0123456789abcdef"), [], [])
    #expect(none.lastingTrouble == nil)
  }

  @Test("more than can be published is a trouble while it lasts and for ten minutes after; what was lost stays one") func overload() throws
  {
    var machine = try Machine("[[region]]\nname = \"r\"\nmatch = \"*\"\n")
    var recent = RecentTroubles()
    let counters = CourierCounters()
    counters.set(.slow, true)
    func troubles(_ seconds: Double, refused: UInt64 = 0) -> Troubles {
      recent.troubles(counters, machine.gateway, refused: refused, at: .zero + .seconds(seconds))
    }
    #expect(troubles(1) == .slow)
    for number in 0..<2_000 {
      let packet: [UInt8] = [4, 0x3E, 12, 2, 1, 3, 1, UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0xC0, 0, 0xC4]
      machine.gateway.receive(packet.span.bytes, radio: 0, at: .zero + .seconds(2))
      while machine.messages.pop() != nil {}
    }
    let leftOut = machine.gateway.publisher.eventsLeftOut
    #expect(leftOut > 0)
    #expect(troubles(3) == [.slow, .crowded] && troubles(602.9) == [.slow, .crowded] && troubles(603) == .slow)
    let told = [troubles(700, refused: 1), troubles(1_299, refused: 1), troubles(1_300, refused: 1), troubles(1_301, refused: 2)]
    #expect(told == [[.slow, .full], [.slow, .full], .slow, [.slow, .full]], "nor may arrivals that find no room")
  }

  @Test("neighbours' messages that go on failing authentication for 15 s are a trouble until none has failed for 30") func forgery() {
    var forgery = Forgery()
    func lasts(_ count: Int, _ seconds: Double) -> Bool { forgery.lasts(count, at: .zero + .seconds(seconds)) }
    #expect(!lasts(0, 100) && !lasts(1, 101) && !lasts(1, 130) && !lasts(1, 200), "a retained status comes once")
    #expect(!lasts(2, 300) && !lasts(3, 314.9) && !lasts(3, 320))
    #expect(lasts(4, 321) && lasts(4, 351) && !lasts(4, 351.1))
    #expect(!lasts(5, 400), "it begins anew")
  }

  /// A controller that is up, with so many buffers for connections.
  private func up(_ buffers: Int, of bytes: Int = 27, isWhole: Bool = true) -> Radio.Status {
    var report = report(.scanning)
    (report.profile.isWhole, report.profile.aclLength, report.profile.aclCount) = (isWhole, bytes, buffers)
    return report
  }

  @Test("identify without connections is said in the log and the status, until there are some") func noConnections() {
    var settings = Settings()
    for identifies in [false, true] {
      settings.peer.identify = identifies
      var publisher = publisher(settings)
      let sentence = "radio right: it asks no phone for its id (identify): the controller makes no connections"
      let said = publisher.record(up(0), radio: 1)?.sentence
      #expect(said == (identifies ? sentence : "radio right: scanning"))
      #expect(reason(&publisher) == (identifies ? "degraded: " + sentence : "online: "))
      #expect(publisher.record(up(0), radio: 1) == nil && publisher.record(up(0, isWhole: false), radio: 1) == nil)
      #expect(reason(&publisher) == nil)
      _ = publisher.record(up(1, of: 1), radio: 1)
      #expect(reason(&publisher) == (identifies ? "online: " : nil))
      #expect(publisher.record(up(8, of: 0), radio: 1)?.sentence == (identifies ? sentence : nil))
    }
  }

  @Test("a controller that refuses three connections in a row is said to ask nobody, until one answers or it is reset") func refused() {
    var settings = Settings()
    settings.peer.identify = true
    var publisher = publisher(settings)
    _ = publisher.record(up(8), radio: 1)
    _ = reason(&publisher)
    func hear(_ news: PeerNews, radio: Int = 1) -> String? { publisher.record(news, "", radio: radio)?.sentence }
    func refuse(_ times: Int) -> [String] { (0..<times).compactMap { _ in hear(.failed(Address(word: 1), .refused)) } }
    let sentence = "radio right: it asks no phone for its id (identify): the controller refuses to connect"
    #expect(refuse(2) == [] && hear(.failed(Address(word: 1), .unreachable)) == nil && refuse(2) == [])
    #expect(hear(.failed(Address(word: 1), .refused), radio: 0) == nil && reason(&publisher) == nil)
    #expect(refuse(1) == [sentence] && refuse(3) == [] && reason(&publisher) == "degraded: " + sentence)
    _ = publisher.record(report(.degraded(.lineLost)), radio: 1)
    #expect(reason(&publisher) == "degraded: radio right: the line to the controller broke", "what is worse is the reason")
    _ = publisher.record(up(8, isWhole: false), radio: 1)
    #expect(reason(&publisher) == "online: " && refuse(2) == [] && refuse(1) == [sentence])
    #expect(reason(&publisher) != nil && hear(.stranger(Address(word: 1))) == nil && reason(&publisher) == "online: ")
  }
}

extension Settings {
  /// A trigger of a group: neighbours matter.
  fileprivate mutating func addGroup() {
    var trigger = TriggerSettings()
    trigger.group = Name("pumps")
    _ = triggers.append(trigger)
  }
}
