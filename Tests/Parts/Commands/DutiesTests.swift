import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what radios do besides listening") struct DutiesTests {
  @Test("who only asks one device serves nothing, keeps no connection and asks nobody else; only the first radio transmits") func duties()
    throws
  {
    let settings = try Machine.configuration(
      """
      gateway.name = "yard"
      [peer]
      identify = true
      serve = true
      hold = true
      [[transmit]]
      kind = "eddystone-url"
      url = "https://a.com"
      """
    ).core
    let none = Duties.none.peers(settings, radio: 0)
    #expect(none.isEmpty && none.errand == nil)
    let errand = Duties.errand(0xC000_0000_0001).peers(settings, radio: 0)
    #expect(errand.errand == 0xC000_0000_0001 && errand.name == Name("yard") && errand.transmissions.isEmpty)
    #expect(!errand.settings.identify && !errand.settings.serve && !errand.settings.hold)
    for radio in 0...2 {
      let duties = Duties.configured.peers(settings, radio: radio)
      #expect(duties.settings.identify && duties.settings.hold && duties.settings.serve == (radio == 0) && duties.index == radio)
      #expect(duties.transmissions.isEmpty == (radio > 0) && duties.errand == nil && duties.name == Name("yard"))
    }
  }
}
