import Core
import Testing

@testable import Host

@Suite("--radio") struct OtherRadioTests {
  @Test("it takes the first radio's place; triggers at the other radios are left out, and none fires somewhere else") func replaced() throws
  {
    let toml = """
      gateway.purpose = "x"
      [[radio]]
      name = "left"
      receive_offset_db = 3
      [[radio]]
      name = "right"
      adapter = "hci1"
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
    var configuration = try Configuration(reading: ConfigurationText(name: "config.toml", text: Array(toml.utf8)))
    let gone = try configuration.replaceRadios(by: "simulate:a.toml")
    let core = configuration.core
    #expect(gone == [Name("two"), Name("three")])
    #expect(core.triggers.indices.map { core.triggers[$0].name } == [Name("one"), Name("both")])
    #expect(core.triggers[0].radio == 0 && core.triggers[1].radio == nil && core.gateway.simulated)
    #expect(core.radios.count == 1 && core.radios[0].name == Name("left") && core.radios[0].receiveOffset == Decibels(3))
  }
}
