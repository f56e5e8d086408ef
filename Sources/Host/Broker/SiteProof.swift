import CCrypto
import Core

/// Authenticates messages between the gateways of a site: HMAC-SHA-256 over topic and payload, with a key that only they have.
///
/// There are two keys while a new one replaces the old: the first authenticates what we send, both what we receive.
package struct SiteProof: BitwiseCopyable, Sendable, Equatable {
  package typealias Key = InlineArray<32, UInt8>

  private var keys = InlineArray<2, Key>(repeating: Key(repeating: 0))
  private var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ bytes: [UInt8]) {
    precondition(bytes.count == 32 && count < 2, "a site has at most two keys of 32 bytes")
    for index in 0..<32 { keys[count][index] = bytes[index] }
    count += 1
  }

  /// What `prove` adds: `,"mac":"` + 44 characters of base64 + `"`.
  package static let added = Payload.proofBytes
  private static let opening: StaticString = ",\"mac\":\""

  /// The proof becomes the payload's last member. False if there is no room for it.
  func prove(_ topic: RawSpan, _ payload: inout Payload) -> Bool {
    guard payload.free >= Self.added, payload.count > 0 else { return false }
    payload.truncate(to: payload.count - 1)
    let proof = proof(of: payload.bytes, on: topic, by: 0)
    payload.append(Self.opening)
    payload.append(proof)
    payload.append("\"}")
    return true
  }

  func isProven(_ topic: RawSpan, _ payload: RawSpan) -> Bool {
    guard payload.byteCount > Self.added, payload.byteCount <= Payload.capacity, topic.byteCount <= Topic.capacity else { return false }
    let end = payload.byteCount - Self.added - 1
    for place in 0..<count {
      var wanted = Text<54>(Self.opening)
      wanted.append(proof(of: payload.extracting(0..<end), on: topic, by: place))
      wanted.append("\"}")
      if wanted.bytes.equals(inConstantTime: payload.extracting(end..<payload.byteCount)) { return true }
    }
    return false
  }

  /// Of a payload without its closing brace. A topic contains no zero byte, so the border between topic and payload is unambiguous.
  private func proof(of payload: RawSpan, on topic: RawSpan, by place: Int) -> Text<44> {
    var proof = Key(repeating: 0)
    var room = proof.mutableSpan
    // SAFETY: key and proof have the 32 bytes that HMAC-SHA-256 reads and writes; the spans have their lengths. All outlive the call.
    unsafe topic.withUnsafeBytes { topic in
      unsafe payload.withUnsafeBytes { payload in
        unsafe keys[place].span.withUnsafeBufferPointer { key in
          unsafe room.withUnsafeMutableBufferPointer {
            unsafe crypto_prove_word(key.baseAddress, topic.baseAddress, topic.count, payload.baseAddress, payload.count, $0.baseAddress)
          }
        }
      }
    }
    var text = Text<44>()
    text.append(base64: proof.span)
    return text
  }

  package static func == (a: Self, b: Self) -> Bool {
    guard a.count == b.count else { return false }
    for place in 0..<a.count { for index in 0..<32 where a.keys[place][index] != b.keys[place][index] { return false } }
    return true
  }
}

extension RawSpan {
  /// The time that it takes must not tell a forger how much of a guess was right.
  fileprivate func equals(inConstantTime other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    var difference: UInt8 = 0
    for index in 0..<byteCount { difference |= self[index] ^ other[index] }
    return difference == 0
  }
}
