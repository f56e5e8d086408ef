import Testing

@testable import Core

@Suite("This gateway serves its identity over GATT") struct GATTServerTests {
  static let visitor = ModelPhone(address: 0x4A00_0000_0001)

  static func line() -> PeerLine {
    var settings = PeerSettings()
    (settings.serve, settings.ownID) = (true, 0xCAFE_F00D)
    var line = PeerLine([visitor], duties: PeerDuties(settings, name: Name("gate")))
    line.run(for: .seconds(1))
    return line
  }

  static let own = little(0xF00D) + little(0xCAFE) + [0xCC, 0xBB] + [UInt8](repeating: 0xBB, count: 10)
  static let known: [UInt8] = [0xA6, 0xFF, 0xA9, 0x1B, 0x91, 0xF4, 0xF2, 0xAD, 0x0F, 0x4A, 0x6D, 0xCF, 0x54, 0x44, 0x23, 0x2F]

  static let conversation: [(asked: [UInt8], answered: [UInt8])] = [
    // Read By Group Type, with the smallest MTU, to its end.
    ([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 1, 0, 5, 0, 0, 0x18]),
    ([0x10, 6, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 20, 6, 0, 6, 0] + known),
    ([0x10, 7, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 20, 7, 0, 7, 0] + own),
    ([0x10, 8, 0, 0xFF, 0xFF, 0, 0x28], [1, 0x10, 8, 0, 0x0A]),
    ([0x10, 1, 0, 0xFF, 0xFF, 1, 0x28], [1, 0x10, 1, 0, 0x0A]),
    ([0x10, 1, 0, 0xFF, 0xFF, 3, 0x28], [1, 0x10, 1, 0, 0x10]),
    ([0x10, 0, 0, 0xFF, 0xFF, 0, 0x28], [1, 0x10, 0, 0, 1]),
    ([0x10, 2, 0, 1, 0, 0, 0x28], [1, 0x10, 2, 0, 1]),
    ([0x10, 1, 0], [1, 0x10, 0, 0, 4]),
    // A long UUID that means a short one.
    ([0x10, 1, 0, 5, 0, 0xFB, 0x34, 0x9B, 0x5F, 0x80, 0, 0, 0x80, 0, 0x10, 0, 0, 0, 0x28, 0, 0], [0x11, 6, 1, 0, 5, 0, 0, 0x18]),
    // Find Information.
    ([0x04, 1, 0, 0xFF, 0xFF], [5, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0, 0x2A, 4, 0, 3, 0x28, 5, 0, 1, 0x2A]),
    ([0x04, 6, 0, 0xFF, 0xFF], [5, 1, 6, 0, 0, 0x28, 7, 0, 0, 0x28]),
    ([0x04, 9, 0, 0xFF, 0xFF], [1, 4, 9, 0, 0x0A]),
    // Find By Type Value.
    ([0x06, 1, 0, 0xFF, 0xFF, 0, 0x28] + known, [7, 6, 0, 6, 0]),
    ([0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0, 0x18], [7, 1, 0, 5, 0]),
    ([0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 1, 0x18], [1, 6, 1, 0, 0x0A]),
    // Read By Type, Read, Read Blob.
    ([0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [9, 7, 2, 0, 2, 3, 0, 0, 0x2A, 4, 0, 2, 5, 0, 1, 0x2A]),
    ([0x08, 1, 0, 0xFF, 0xFF, 0, 0x2A], [9, 6, 3, 0] + Array("gate".utf8)),
    ([0x08, 1, 0, 0xFF, 0xFF, 2, 0x2A], [1, 8, 1, 0, 0x0A]),
    ([0x0A, 3, 0], [11] + Array("gate".utf8)), ([0x0A, 7, 0], [11] + own), ([0x0A, 8, 0], [1, 0x0A, 8, 0, 1]),
    ([0x0C, 3, 0, 2, 0], [13] + Array("te".utf8)), ([0x0C, 3, 0, 4, 0], [13]), ([0x0C, 3, 0, 5, 0], [1, 0x0C, 3, 0, 7]),
    // Refused requests.
    ([0x12, 3, 0, 1], [1, 0x12, 3, 0, 3]), ([0x12, 99, 0, 1], [1, 0x12, 99, 0, 1]), ([0x16, 3, 0, 0, 0, 1], [1, 0x16, 0, 0, 6]),
    ([0x0E, 3, 0, 5, 0], [1, 0x0E, 0, 0, 6]), ([0x20, 3, 0, 5, 0], [1, 0x20, 0, 0, 6]),
    // With a larger MTU both services fit one answer.
    ([0x02, 0xB9, 0], [3, 247, 0]),
    ([0x10, 6, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 20, 6, 0, 6, 0] + known + [7, 0, 7, 0] + own),
  ]

  @Test("every request has its answer, in whatever pieces it travels", arguments: [27, 251]) func answers(aclLength: Int) {
    var line = Self.line()
    line.aclLength = aclLength
    line.visit(handle: 0x77)
    line.run(for: .milliseconds(100))
    for (asked, answered) in Self.conversation {
      let told = line.ask(asked)
      #expect(told == answered, "\(asked)")
    }
    // Commands, responses and confirmations want none.
    for quiet: [UInt8] in [[0x52, 3, 0, 1], [0xD2, 3, 0], [0x0B, 1], [0x1E], []] {
      let told = line.ask(quiet)
      #expect(told == nil, "\(quiet)")
    }
    #expect(line.isScanning && line.connections.count == 1)
  }

  @Test("whom we call reads as much of our name at once as both sides take, whichever of them says so", arguments: [23, 28, 185])
  func name(mtu: Int) {
    var settings = PeerSettings()
    (settings.identify, settings.hold, settings.serve) = (true, true, true)
    var phone = Self.visitor
    phone.mtu = mtu
    let name = "a-gateway-with-a-long-name-here"
    var line = PeerLine([phone], duties: PeerDuties(settings, name: Name(Array(name.utf8).span.bytes)))
    line.run(for: .seconds(1))
    func read(_ line: inout PeerLine, _ request: [UInt8] = [0x0A, 3, 0]) -> [UInt8]? {
      line.phones[0].answers = []
      line.answer(request, on: line.central!)
      line.run(for: .milliseconds(100))
      return line.phones[0].answers.first
    }
    #expect(line.identified.count == 1 && read(&line) == [0x0B] + name.utf8.prefix(mtu - 1))
    #expect(read(&line, [2, 30, 0]) == [3, 247, 0] && read(&line) == [0x0B] + name.utf8.prefix(29))
    // Another connection begins anew.
    line.phones[0].deed = .error
    line.phones[0].address += 1
    line.phones[0].questions = [[0x0A, 3, 0]]
    line.end(line.central!, 0x13)
    line.run(for: .seconds(1))
    #expect(line.phones[0].answers.contains([0x0B] + name.utf8.prefix(22)))
  }

  @Test("a controller that does not say how much it takes advertises no services that nobody could read", arguments: [false, true])
  func buffers(isExtended: Bool) {
    var settings = PeerSettings()
    settings.serve = true
    var line = PeerLine([Self.visitor], duties: PeerDuties(settings, name: Name("gate")))
    line.model.isExtended = isExtended
    line.statuses[0x2002] = [0x01]
    line.run(for: .seconds(30))
    #expect(line.onAir.isEmpty && line.isScanning && line.controller.recoveries.resets == 0)
    let withheld = PeerNews.withheld(transmission: PeerNews.ownServices, status: 0x11, isPower: false)
    #expect(line.news.map { "\($0)" } == ["\(withheld)"])
  }

  @Test("a silent client is disconnected after ten seconds, an active one after a minute, and the next is served") func stalled() {
    var line = Self.line()
    #expect(line.onAir.count == 1)
    // No advert comes any more: no reason to reset a controller with a connection.
    line.opening = .seconds(3_600)
    line.visit(handle: 0x77)
    line.run(for: .seconds(9))
    #expect(line.connections.count == 1 && line.onAir.isEmpty)
    line.run(for: .seconds(2))
    #expect(line.connections.isEmpty && line.onAir.count == 1 && line.isScanning && line.controller.recoveries.resets == 0)
    line.opening = .zero
    line.visit(handle: 0x77)
    let began = line.now
    while line.connections.count == 1, line.now - began < .seconds(90) {
      _ = line.ask([0x0A, 3, 0])
      line.run(for: .milliseconds(50))
    }
    let stayed = line.now - began
    #expect((.seconds(59.9) ... .seconds(60.4)).contains(stayed), "\(stayed)")
    line.run(for: .seconds(1))
    #expect(line.connections.isEmpty && line.onAir.count == 1 && line.controller.recoveries.resets == 0)
  }

  @Test("a visitor that vanishes is let go after the supervision timeout of six seconds; without a word from the controller it is reset")
  func vanished() {
    var line = Self.line()
    // The controller reports the end only when it has noticed it itself.
    line.ignored = [0x0406]
    line.visit(handle: 0x77)
    line.run(for: .milliseconds(10_100))
    #expect(line.opcodes.contains(0x0406))
    line.run(for: .milliseconds(6_000))
    #expect(line.connections.count == 1 && line.controller.recoveries.resets == 0)
    line.end(0x77, 0x08)
    line.run(for: .seconds(1))
    #expect(line.onAir.count == 1 && line.isScanning && line.controller.recoveries.resets == 0)
    line.visit(handle: 0x78)
    line.run(for: .seconds(19))
    #expect(line.connections.isEmpty && line.controller.recoveries.resets == 1)
  }

  @Test(
    "a visitor that vanishes with the longest supervision timeout, chosen at once or later, costs no reset", arguments: [false, true])
  func longTimeout(isLater: Bool) {
    var line = Self.line()
    line.ignored = [0x0406]
    line.visit(handle: 0x77, timeout: isLater ? 600 : 3_200)
    line.run(for: .milliseconds(100))
    if isLater { line.say([4, 0x3E, 10, 3, 0, 0x77, 0, 24, 0, 0, 0] + little(3_200)) }
    line.run(for: .seconds(42))
    #expect(line.opcodes.contains(0x0406) && line.connections.count == 1 && line.controller.recoveries.resets == 0)
    line.run(for: .seconds(3))
    #expect(line.controller.recoveries.resets == 1, "the controller should have noticed by now")
  }

  @Test("signalling and pairing are refused, encryption has no key") func courtesies() {
    var line = Self.line()
    line.visit(handle: 0x77)
    line.run(for: .milliseconds(100))
    for (channel, asked, answered) in [
      (5, [0x12, 9, 8, 0, 6, 0, 6, 0, 0, 0, 200, 0], [0x13, 9, 2, 0, 1, 0]), (5, [0x14, 3, 2, 0, 0, 0], [1, 3, 2, 0, 0, 0]),
      (6, [1, 3, 0, 1, 16, 7, 7], [5, 5]),
    ] as [(Int, [UInt8], [UInt8])] {
      line.phones[0].answers = []
      let frame = little(asked.count) + little(channel) + asked
      line.say([2, 0x77, 0x20] + little(frame.count) + frame)
      line.run(for: .milliseconds(100))
      #expect(line.phones[0].answers == [answered])
    }
    line.say([4, 0x3E, 13, 5, 0x77, 0] + [UInt8](repeating: 0, count: 10))
    line.run(for: .milliseconds(100))
    #expect(line.opcodes.last == 0x201B)
  }
}
