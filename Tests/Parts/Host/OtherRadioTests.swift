import Core
import Testing

@testable import Host

@Suite("--radio") struct OtherRadioTests {
  private static let toml = """
    gateway.purpose = "x"
    [[radio]]
    name = "left"
    receive_offset_db = 3
    [[radio]]
    name = "right"
    adapter = "hci1"
    mode = "raw"
    [[trigger]]
    name = "two"
    match = "*"
    radio = "right"
    [[trigger]]
    name = "one"
    match = "ibeacon:*"
    radio = "left"
    [[trigger]]
    name = "three"
    match = "*"
    radio = "right"
    [[trigger]]
    name = "both"
    match = "*"
    """

  private func configuration() throws -> Configuration {
    try Configuration(reading: ConfigurationText(name: "config.toml", text: Array(Self.toml.utf8)))
  }

  @Test("a rehearsal takes the first radio's place; triggers at the other radios are left out, and none fires somewhere else")
  func rehearsal() throws {
    var configuration = try configuration()
    let gone = try configuration.replaceRadios(by: "simulate:a.toml")
    let core = configuration.core
    #expect(gone == [Name("two"), Name("three")])
    #expect(core.triggers.indices.map { core.triggers[$0].name } == [Name("one"), Name("both")])
    #expect(core.triggers[0].radio == 0 && core.triggers[1].radio == nil && core.gateway.simulated)
    #expect(core.radios.count == 1 && core.radios[0].name == Name("left") && core.radios[0].receiveOffset == Decibels(3))
  }

  @Test("the adapter of one of the radios is that radio, with its own offset, mode and triggers") func own() throws {
    var configuration = try configuration()
    let gone = try configuration.replaceRadios(by: "hci1")
    let core = configuration.core
    #expect(gone == [Name("one")])
    #expect(core.triggers.indices.map { core.triggers[$0].name } == [Name("two"), Name("three"), Name("both")])
    #expect(core.triggers[0].radio == 0 && core.triggers[1].radio == 0 && core.triggers[2].radio == nil && !core.gateway.simulated)
    #expect(core.radios.count == 1 && core.radios[0].name == Name("right") && core.radios[0].receiveOffset == Decibels(0))
    guard case .hci(.number(1), .raw) = configuration.host.adapters[0] else {
      Issue.record("\(configuration.host.adapters)")
      return
    }
  }

  @Test("a real adapter that is none of several radios is refused, and the refusal names theirs") func stranger() throws {
    var configuration = try configuration()
    do {
      _ = try configuration.replaceRadios(by: "tcp:localhost:1")
      Issue.record("taken")
    } catch { #expect(error.words.contains("hci0 or hci1"), "\(error.words)") }
  }
}
