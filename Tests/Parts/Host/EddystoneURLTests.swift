import Core
import Testing

@testable import Host

@Suite("a URL in a beacon") struct EddystoneURLTests {
  private func read(_ encoded: [UInt8]) -> String? {
    let frame: [UInt8] = [0x10, 0] + encoded
    guard case .url(_, let url)? = EddystoneFrame(frame.span.bytes) else { return nil }
    var text = Text<128>()
    url.write(to: &text)
    return String(text)
  }

  @Test("each scheme and each ending takes a byte, and is read as it was written") func endings() {
    let endings = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
    for (scheme, words) in ["http://www.", "https://www.", "http://", "https://"].enumerated() {
      for (index, ending) in endings.enumerated() {
        for (tail, byte) in [("/", index), ("", index + 7)] {
          let url = words + "a" + ending + tail
          #expect(eddystoneURL(url) == [UInt8(scheme), 0x61, UInt8(byte)], "\(url)")
          #expect(read([UInt8(scheme), 0x61, UInt8(byte)]) == url)
          #expect(eddystoneURL(url + "b~") == [UInt8(scheme), 0x61, UInt8(byte)] + Array("b~".utf8))
        }
      }
    }
    #expect(read([4, 0x61]) == "\u{4}a" && read([0x61, 14]) == "a\u{E}", "codes without a meaning stay")
  }

  @Test("what no beacon can carry is refused") func refused() {
    for url in ["", "ftp://a.com", "http://", "https://", "http://a b", "http://a\u{7F}", "http://ä"] {
      #expect(eddystoneURL(url) == nil, "\(url)")
    }
    #expect(eddystoneURL("http://!~") == [2, 0x21, 0x7E])
  }
}
