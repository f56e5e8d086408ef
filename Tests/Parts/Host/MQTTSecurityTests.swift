import Core
import Testing

@testable import Host

@Suite("TLS towards the broker") struct MQTTSecurityTests {
  let scratch = Scratch()

  private func fault(_ change: (inout BrokerSettings) -> Void) -> String? {
    var settings = BrokerSettings()
    change(&settings)
    let client = MQTTClient { _, _, _, _ in }
    do throws(MQTTFault) {
      try client.prepare(settings, MQTTClient.Greeting(identifier: Text("test"), will: nil))
      return nil
    } catch { return error.said }
  }

  @Test("each file that is missing is named, but for the key; without authorities nothing is read") func missing() {
    scratch.write("there", [1])
    let (there, none) = (scratch["there"], scratch["none"])
    let words = "cannot read \(scratch.path)/none: No such file or directory"
    #expect(fault { $0.authorities = none } == words)
    #expect(fault { ($0.authorities, $0.certificate) = (there, none) } == words)
    let untold = "cannot read the file of tls_key: No such file or directory"
    #expect(fault { ($0.authorities, $0.certificate, $0.key) = (there, there, none) } == untold)
    #expect(fault { ($0.certificate, $0.key) = (none, none) } == nil && fault { _ in } == nil)
  }

  @Test("the names of users and wills reach the client, however long") func identities() {
    #expect(fault { $0.username = Text("anna") } == nil)
    #expect(fault { ($0.username, $0.password) = (Text("anna"), Text("secret")) } == nil)
    #expect(fault { $0.version = .v311 } == nil)
  }
}
