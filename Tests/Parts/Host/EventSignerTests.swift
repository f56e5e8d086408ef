import Core
import Testing

@testable import Host

@Suite("a signing key") struct EventSignerTests {
  /// RFC 8032, 7.1, test 1, in the form that `openssl genpkey` gives a key of this kind.
  static func key(_ kind: String) -> Text<512> {
    let pem = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2V\(kind)BCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
      -----END PRIVATE KEY-----
      """
    var text = Text<512>()
    for byte in pem.utf8 { text.append(byte: byte) }
    return text
  }

  @Test("the signature is over the payload as it was, as any other program computes it") func vector() throws {
    // printf '{"v":1}' > p; openssl pkeyutl -sign -inkey key.pem -rawin -in p | base64
    let words = "8K/WLSVlUba84ep3sZ+Jr5E8L0LJ1Z+UJv89aVExZxrtVs5srKn4r22NjhgHrIGgonB/+gjTnnbSthuZ2gYSCQ=="
    var payload = Payload("{\"v\":1}")
    #expect(try #require(EventSigner(Self.key("w"))).sign(&payload))
    #expect(String(payload) == "{\"v\":1,\"signature\":\"\(words)\"}")
  }

  @Test("an event is signed if the signature fits, and otherwise left as it is") func room() throws {
    let signer = try #require(EventSigner(Self.key("w")))
    for (free, isSigned) in [(EventSigner.added, true), (EventSigner.added - 1, false), (400, true), (0, false)] {
      var payload = Payload("{\"v\":1")
      while payload.free > free + 1 { payload.append(byte: UInt8(ascii: " ")) }
      payload.append("}")
      let before = payload
      let hasSigned = signer.sign(&payload)
      #expect(hasSigned == isSigned && !payload.overflowed)
      #expect(payload.count == before.count + (isSigned ? EventSigner.added : 0) && (isSigned || payload == before))
    }
  }

  @Test("any other key is none") func others() {
    // X25519 keys agree on secrets, and sign nothing.
    #expect(EventSigner(Self.key("u")) == nil && EventSigner(Text<512>("no key")) == nil && EventSigner(Text<512>()) == nil)
  }
}
