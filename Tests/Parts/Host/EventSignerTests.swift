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

  @Test("the signature is over the payload with its topic, as any other program computes it") func vector() throws {
    // printf '{"v":1,"topic":"a/b"}' > p; openssl pkeyutl -sign -inkey key.pem -rawin -in p | base64
    let words = "NiJawQP2CV6pIg8kwEnTqqZTO2wNxqOlls14iBF/hqc+N5j7eNkQ0sb2k/ZK10t/a8JKNn6z+7caag00+rpdAg=="
    var payload = Payload("{\"v\":1}")
    #expect(try #require(EventSigner(Self.key("w"))).sign(&payload, of: Topic("a/b")))
    #expect(String(payload) == "{\"v\":1,\"topic\":\"a/b\",\"signature\":\"\(words)\"}")
  }

  @Test("an event is signed if the signature fits, and otherwise left as it is") func room() throws {
    let signer = try #require(EventSigner(Self.key("w")))
    // `,"topic":"a/b"`
    let added = EventSigner.added + 14
    for (free, isSigned) in [(added, true), (added - 1, false), (400, true), (0, false)] {
      var payload = Payload("{\"v\":1")
      while payload.free > free + 1 { payload.append(byte: UInt8(ascii: " ")) }
      payload.append("}")
      let before = payload
      let hasSigned = signer.sign(&payload, of: Topic("a/b"))
      #expect(hasSigned == isSigned && !payload.overflowed)
      #expect(payload.count == before.count + (isSigned ? added : 0) && (isSigned || payload == before))
    }
  }

  @Test("any other key is none") func others() {
    // X25519 keys agree on secrets, and sign nothing.
    #expect(EventSigner(Self.key("u")) == nil && EventSigner(Text<512>("no key")) == nil && EventSigner(Text<512>()) == nil)
  }
}
