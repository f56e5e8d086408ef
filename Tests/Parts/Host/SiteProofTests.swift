import Core
import Foundation
import Testing

@testable import Host

@Suite("messages that prove their sender") struct SiteProofTests {
  private func keys(_ first: UInt8, _ second: UInt8? = nil) -> SiteProof {
    var keys = SiteProof()
    keys.append([UInt8](repeating: first, count: 32))
    if let second { keys.append([UInt8](repeating: second, count: 32)) }
    return keys
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func proven(_ text: String, on topic: String, by keys: SiteProof) throws -> [UInt8] {
    var payload = Payload()
    for byte in text.utf8 { payload.append(byte: byte) }
    try #require(keys.prove(bytes(topic).span.bytes, &payload))
    return (0..<payload.count).map { payload[$0] }
  }

  private func isProven(_ payload: [UInt8], on topic: String, by keys: SiteProof) -> Bool {
    keys.isProven(bytes(topic).span.bytes, payload.span.bytes)
  }

  @Test("the proof is HMAC-SHA-256 over topic, zero and payload, as any other program computes it")
  func vector() throws {
    // python3 -c 'import hmac,base64;print(base64.b64encode(hmac.digest(b"\x07"*32,b"a/b\0{\"v\":1}","sha256")))'
    let word = try proven(#"{"v":1}"#, on: "a/b", by: keys(7))
    #expect(String(decoding: word, as: UTF8.self) == #"{"v":1,"mac":"zDKUOF8xSejhDhwDggmUt99PCrKCVtAY3E65npNGozY="}"#)
  }

  @Test("no byte of the payload, topic or key can change unnoticed")
  func changes() throws {
    let word = try proven(#"{"v":1,"gateway":"island-2","seq":7}"#, on: "forecourt/site/claim/x", by: keys(1))
    #expect(isProven(word, on: "forecourt/site/claim/x", by: keys(1)))
    for index in word.indices {
      for bit in 0..<8 {
        var changed = word
        changed[index] ^= 1 << bit
        #expect(!isProven(changed, on: "forecourt/site/claim/x", by: keys(1)), "byte \(index), bit \(bit)")
      }
    }
    #expect(!isProven(word, on: "forecourt/site/claim/y", by: keys(1)))
    #expect(!isProven(word, on: "forecourt/site/claim/x", by: keys(2)))
    #expect(!isProven(Array(word.dropLast()), on: "forecourt/site/claim/x", by: keys(1)))
    for length in 0..<word.count { #expect(!isProven(Array(word.prefix(length)), on: "forecourt/site/claim/x", by: keys(1))) }
    #expect(!isProven([UInt8](repeating: 0x7B, count: 2_000), on: "t", by: keys(1)))
  }

  @Test("while a key is rotated both are accepted, and the first signs")
  func rotation() throws {
    let (old, new) = (try proven("{}", on: "t", by: keys(1, 2)), try proven("{}", on: "t", by: keys(2, 1)))
    #expect(isProven(old, on: "t", by: keys(2, 1)) && isProven(new, on: "t", by: keys(1, 2)))
    #expect(isProven(old, on: "t", by: keys(1)) && !isProven(old, on: "t", by: keys(2)))
  }

  @Test("keys are the same only if each is") func same() {
    #expect(keys(1, 2) == keys(1, 2) && keys(1) == keys(1))
    for other in [keys(1), keys(2, 1), keys(1, 3), keys(3, 2), SiteProof()] { #expect(other != keys(1, 2)) }
  }

  @Test("a message without room for its proof is not published")
  func room() {
    var payload = Payload()
    while payload.free >= SiteProof.added { payload.append(byte: UInt8(ascii: "x")) }
    let before = payload
    #expect(!keys(1).prove(bytes("t").span.bytes, &payload) && payload == before)
    payload.truncate(to: payload.count - 1)
    #expect(payload.free == SiteProof.added && keys(1).prove(bytes("t").span.bytes, &payload), "what just fits is published")
    #expect(keys(1).isProven(bytes("t").span.bytes, payload.bytes) && payload.free == 0, "and believed")
    var nothing = Payload()
    #expect(!keys(1).prove(bytes("t").span.bytes, &nothing) && nothing.count == 0, "a retained message that is cleared")
  }

  /// What a neighbour may say, by its topic below the site's.
  private static func words(of name: String) -> [(topic: String, payload: String)] {
    [
      ("claim/island/peer:BC00BD17/\(name)", Door.words(of: Name(Array(name.utf8).span.bytes))),
      ("claim/site/hello/\(name)", #"{"v":1,"gateway":"\#(name)","boot":"b","seq":7,"groups":"island"}"#),
      ("\(name)/status", #"{"v":1,"state":"online","version":"1","boot":"b7","groups":"island","radios":[],"purpose":"p"}"#),
      ("peer/aa:bb:cc:dd:ee:0f/\(name)", #"{"v":1,"random":true,"id":"BC00BD17"}"#),
    ]
  }

  @Test(
    "whatever a neighbour says is read if its gateway is on the roster, its proof is right and it does not flood, and counted otherwise",
    arguments: 0..<4)
  func doors(kind: Int) {
    let (keys, others) = (keys(9), keys(8))
    let door = Door {
      $0.siteKeys = keys
      _ = $0.roster.append($0.name)
      _ = $0.roster.append(Name("other"))
    }
    func passes(_ name: String, _ proof: SiteProof?) -> Bool {
      let (below, words) = Self.words(of: name)[kind]
      let topic = "forecourt/site/" + below
      var payload = Payload(Array(words.utf8).span.bytes)
      if let proof { #expect(proof.prove(Array(topic.utf8).span.bytes, &payload)) }
      door.say(topic, String(payload))
      return door.core.pop() != nil
    }
    let counters = door.counters
    #expect(!passes("other", nil) && counters.forged.count == 1)
    #expect(!passes("other", others) && counters.forged.count == 2)
    #expect(!passes("nobody", keys) && counters.strangers.count == 1)
    #expect(passes("other", keys))
    // What a gateway may say in some seconds of each kind; a busy machine takes so long for the flood.
    let (most, many) = kind == 0 ? (4 * Limits.claimsPerSecond, 3_000) : (200, 1_000)
    let heard = (0..<many).count { _ in passes("other", keys) }
    #expect(heard < most && counters.requestsLimited.count == many - heard)
    #expect(counters.forged.count == 2 && counters.strangers.count == 1 && counters.requestsRefused.count == 0)
  }
}
