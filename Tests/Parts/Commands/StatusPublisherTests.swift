import Core
import Host
import Testing

@testable import forecourt

@Suite("the status")
struct StatusPublisherTests {
  private func board() -> StatusPublisher { StatusPublisher(Settings(), Text("0123456789abcdef"), [], []) }

  /// The courier may lose the line between any two questions: what the machine is told is what the board believes, or nothing.
  @Test("the machine learns each change of a flapping connection once, as the status publishes it") func line() {
    var board = board()
    var machine = false
    var changes = 0
    for answer in [false, true, true, false, false, true, false, true] {
      let before = machine
      if board.connected(answer) {
        machine = board.isOnline
        changes += 1
        #expect(machine != before, "told twice")
      }
      #expect(machine == board.isOnline && board.isOnline == answer)
    }
    #expect(changes == 5)
  }

  @Test("the status is published again after a reconnection, and not while disconnected") func status() {
    var board = board()
    #expect(board.news(nil, .always) != nil && board.news(nil, .always) == nil, "the first word, once")
    #expect(!board.connected(false) && board.news(nil, .always) == nil)
    #expect(board.connected(true) && board.news(nil, .always) != nil && board.news(nil, .always) == nil)
    #expect(!board.connected(true) && board.news(nil, .always) == nil, "it has not been away")
    #expect(board.connected(false) && board.news(nil, .always) == nil)
    #expect(board.connected(true) && board.news(nil, .always) != nil)
  }

  /// One radio, two beacons and our services.
  private func sender(_ check: (inout StatusPublisher, borrowing Settings) throws -> Void) rethrows {
    var settings = Settings()
    for kind in [TransmitSettings.Kind.iBeacon, .eddystoneURL] {
      var transmission = TransmitSettings()
      (transmission.kind, transmission.txPower) = (kind, 20)
      _ = settings.transmissions.append(transmission)
    }
    settings.peer.serve = true
    var arena = Arena.taken(bytes: Radio.bytes)
    let radio = Radio(name: Name("hci0"), listener: Doorbell(), echoes: false, in: &arena)
    var board = StatusPublisher(settings, Text("0123456789abcdef"), [radio], [.capture(file: "none")])
    try check(&board, settings)
  }

  private func payload(_ report: StatusReport) -> String { String(Message.status(report, topics: Topics(Settings()), at: .zero).payload) }

  private func told(_ board: inout StatusPublisher) throws -> StatusReport {
    let report = board.news(nil, .always)
    return try #require(report)
  }

  private func isNews(_ board: inout StatusPublisher) -> Bool { board.news(nil, .always) != nil }

  private func radio(_ condition: Condition) -> Radio.Status {
    var report = Radio.Status()
    report.condition = condition
    return report
  }

  private func hear(_ news: PeerNews, _ board: inout StatusPublisher, _ settings: borrowing Settings) {
    if let words = news.words(Name("hci0"), settings) { board.noted(news, words.sentence) }
  }

  @Test("a transmission is reported with the power that the controller chose, and only while its radio works") func sends() throws {
    try sender { board, settings in
      let quiet = payload(try told(&board))
      let off = #"{"kind":"ibeacon","radio":"hci0","state":"off","tx_power_dbm":null}"#
      #expect(
        quiet.hasSuffix(
          #""transmits":[\#(off),\#(off.replacing("ibeacon", with: "eddystone-url")),\#(off.replacing("ibeacon", with: "peer"))]}"#))
      _ = board.reported(radio(.scanning), radio: 0)
      hear(.sends(transmission: 0, power: 8), &board, settings)
      hear(.sends(transmission: PeerNews.ownServices, power: -3), &board, settings)
      let report = try told(&board)
      #expect(report.state == .online)
      #expect(payload(report).contains(#"{"kind":"ibeacon","radio":"hci0","state":"on","tx_power_dbm":8}"#))
      #expect(payload(report).hasSuffix(#"{"kind":"peer","radio":"hci0","state":"on","tx_power_dbm":-3}]}"#))
      #expect(!isNews(&board))
      _ = board.reported(radio(.recovering(.notAnswering)), radio: 0)
      let deaf = payload(try told(&board))
      #expect(!deaf.contains(#""state":"on""#))
      _ = board.reported(radio(.scanning), radio: 0)
      let again = payload(try told(&board))
      #expect(again == payload(report))
    }
  }

  @Test("a refused beacon makes the gateway degraded, with the reason, until it is sent") func refused() throws {
    try sender { board, settings in
      _ = board.reported(radio(.scanning), radio: 0)
      hear(.withheld(transmission: 1, status: 0x11, isPower: true), &board, settings)
      let report = try told(&board)
      #expect(report.state == .degraded)
      #expect(
        String(report.summary)
          == "degraded: radio hci0: does not send eddystone-url (transmit 2): tx_power_dbm = 20 cannot be set here (status 17)")
      #expect(payload(report).contains(#"{"kind":"eddystone-url","radio":"hci0","state":"refused","tx_power_dbm":null}"#))
      hear(.withheld(transmission: 0, status: 7, isPower: false), &board, settings)
      let first = String(try told(&board).reason)
      #expect(first.contains("(transmit 1): the controller refuses it"), "\(first)")
      // A radio that is deaf says more.
      _ = board.reported(radio(.degraded(.notAnswering)), radio: 0)
      let deaf = String(try told(&board).reason)
      #expect(deaf == "radio hci0: the controller does not answer")
      _ = board.reported(radio(.scanning), radio: 0)
      hear(.sends(transmission: 0, power: nil), &board, settings)
      let half = try told(&board)
      #expect(half.state == .degraded)
      hear(.sends(transmission: 1, power: 20), &board, settings)
      let well = try told(&board)
      #expect(well.state == .online && well.reason.isEmpty)
    }
  }

  @Test("without transmissions the status does not mention them, whatever a recording contains") func nothingSent() throws {
    var board = board()
    let before = payload(try told(&board))
    #expect(!before.contains("transmit") && before.hasSuffix(#""radios":[],"purpose":""}"#))
    for transmission in [0, 7, 8, PeerNews.ownServices] {
      hear(.withheld(transmission: transmission, status: 1, isPower: false), &board, Settings())
      hear(.sends(transmission: transmission, power: 1), &board, Settings())
    }
    #expect(!isNews(&board))
  }
}
