import Core
import Testing

@testable import Host

@Suite("an event with long names") struct EventSigningTests {
  private let log = Said()
  private let counters = CourierCounters()
  private let signing: EventSigning

  init() {
    var settings = CourierSettings()
    settings.signingKey = EventSignerTests.key("w")
    let log = log
    signing = EventSigning(settings, counters) { log.append($0, $1) }
  }

  /// With the evidence, and this much more than there is room for beside topic and signature.
  private func payload(_ evidence: String, _ mark: String, excess: Int) -> String {
    let (head, tail) = (#"{"v":1,"event":"leave","id":"x","name":"a\"b","event_id":""#, #"","evidence":\#(evidence)\#(mark)}"#)
    // `,"topic":"a/b"`
    let most = Payload.capacity - EventSigner.added - 14
    return head + String(repeating: "n", count: most + excess - head.count - tail.count) + tail
  }

  private func signed(_ payload: String, _ signing: inout EventSigning, topic: Topic = Topic("a/b")) -> String {
    var message = Message()
    (message.topic, message.payload) = (topic, Payload(payload))
    #expect(!message.payload.overflowed)
    signing.sign(&message)
    return String(message.payload)
  }

  @Test(
    "it goes signed: without the device's name where that is enough, else with the average and the reason alone for evidence",
    arguments: [
      [#"{"average":-62.2,"samples":119,"likelihood":{"here":1},"reason":"lost"}"#, #"{"average":-62.2,"reason":"lost"}"#],
      [#"{"average":-62.2,"samples":119}"#, #"{"average":-62.2}"#], [#"{"reason":"restart"}"#, #"{"reason":"restart"}"#],
    ], ["", #","simulated":true"#])
  func shortened(evidence: [String], mark: String) {
    var signing = signing
    let (full, least) = (evidence[0], evidence[1])
    let name = #","name":"a\"b""#
    let most = name.count + full.count - least.count
    for excess in [0, 1, name.count, name.count + 1, most, most + 1] {
      let whole = payload(full, mark, excess: excess)
      let nameless = whole.replacing(name, with: "")
      let short = nameless.replacing(full, with: least)
      let said = signed(whole, &signing)
      if excess > most {
        #expect(said == whole && counters.troubles == .cramped && log.take().count == 1, "\(excess)")
      } else {
        let kept = excess == 0 ? whole : excess <= name.count ? nameless : short
        let start = String(kept.dropLast()) + #","topic":"a/b","signature":""#
        #expect(said.hasPrefix(start) && said.hasSuffix(#""}"#), "\(excess): \(said)")
        #expect(counters.troubles == [] && log.lines == [])
      }
    }
  }

  @Test("what has no room even so goes unsigned; that is said once, until one of its topic is signed or new settings come")
  func unsigned() {
    var signing = signing
    let words = "error: an event has no room for its signature, and goes unsigned: shorten the names on a/b"
    let long = payload(#"{"reason":"restart"}"#, "", excess: 15)
    for isReloading in [false, true] {
      for _ in 0..<2 {
        let said = signed(long, &signing)
        #expect(said == long && counters.troubles == .cramped)
      }
      #expect(log.take() == [words])
      let other = signed("{}", &signing, topic: Topic("a/c"))
      #expect(other.contains("signature") && counters.troubles == .cramped)
      if isReloading {
        var settings = CourierSettings()
        settings.signingKey = EventSignerTests.key("w")
        signing.reload(settings)
      } else {
        let short = signed("{}", &signing)
        #expect(short.contains("signature"))
      }
      #expect(counters.troubles == [] && log.lines == [])
    }
  }
}
