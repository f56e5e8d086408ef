import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("more at one moment than a ring holds") struct CrowdTests {
  private static let visitors = 200
  private static let regions = 4
  private static var settings: String {
    (0..<regions).reduce("gateway.devices = 1024\n") { $0 + "[[region]]\nname = \"hall \($1)\"\nmatch = \"ibeacon:*\"\n" }
  }

  @Test("when a permission is withdrawn while everybody is here, everybody's exit is told, once in each region") func withdrawn() throws {
    var rig = try DaemonRig(Self.settings)
    _ = try rig.turn(at: 0)
    for visitor in 0..<Self.visitors {
      rig.receive(DaemonRig.advert(UInt8(visitor)), at: 1 + Double(visitor) / 1_000)
      if visitor % 20 == 19 { _ = try rig.turn(at: 1 + Double(visitor) / 1_000) }
    }
    rig.command(.authorization(.denied))
    let exits = try rig.turn(at: 2).lines.filter { $0.contains(#""event":"exit","reason":"authorization""#) }
    #expect(exits.count == Self.visitors * Self.regions && Set(exits).count == exits.count)
  }

  @Test("a reply that finds the ring full comes once there is room, once") func replies() throws {
    var rig = try DaemonRig(Self.settings)
    _ = try rig.turn(at: 0)
    var other = Message()
    other.topic = Topic("forecourt/site/claim")
    while rig.sink.messages.push(other) == nil {}
    rig.command(.ping)
    let full = try rig.turn(at: 1).lines
    #expect(full.count >= Limits.messagesQueued)
    let first = try rig.turn(at: 1.1).lines
    let second = try rig.turn(at: 1.2).lines
    let replies = (full + first + second).count { $0.contains("/reply/ping") }
    #expect(replies == 1)
  }

  @Test("a recording with a long gap tells the end of each visit, in order") func gap() throws {
    let configuration = try Configuration(
      reading: ConfigurationText(name: "config.toml", text: Array(("gateway.purpose = \"told\"\n" + Self.settings).utf8)))
    var offline = OfflineGateway(configuration, epoch: nil)
    var said: [Int64] = []
    var exits = 0
    func collect() {
      while offline.take({
        said.append($0.at.microseconds)
        if String($0.payload).contains(#""event":"exit","reason":"silence""#) { exits += 1 }
      }) {}
    }
    for visitor in 0..<Self.visitors {
      var packet = Packet()
      packet.at = .zero + .milliseconds(Int64(visitor))
      packet.bytes = Text(DaemonRig.advert(UInt8(visitor)).span.bytes)
      offline.receive(packet, radio: 0)
      if visitor % 20 == 19 { collect() }
    }
    offline.tick(at: .zero + .hours(1))
    collect()
    #expect(exits == Self.visitors * Self.regions && said == said.sorted())
  }
}
