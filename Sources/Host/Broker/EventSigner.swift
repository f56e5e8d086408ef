import CCrypto
import Core

/// Signs events with Ed25519, so that a subscriber need not trust the broker. All that is unsafe about libcrypto stays here.
@safe final class EventSigner {
  private let key: OpaquePointer

  /// A private key as `openssl genpkey -algorithm ed25519` writes it (PEM, PKCS #8); nil for anything else.
  init?(_ pem: Text<512>) {
    // SAFETY: the text is only read while it is lent; what libcrypto makes of it is ours to free.
    let read = unsafe pem.bytes.withUnsafeBytes { bytes -> OpaquePointer? in
      let source = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count))
      defer { unsafe BIO_free(source) }
      return unsafe PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in 0 }, nil)
    }
    // SAFETY: the key is ours: kept, or given back when it is of another kind.
    guard let read = unsafe read else { return nil }
    guard unsafe EVP_PKEY_get_id(read) == EVP_PKEY_ED25519 else {
      unsafe EVP_PKEY_free(read)
      return nil
    }
    unsafe key = read
  }

  static func canRead(_ pem: [UInt8]) -> Bool {
    var text = Text<512>()
    for byte in pem { text.append(byte: byte) }
    return !text.overflowed && EventSigner(text) != nil
  }

  // SAFETY: nobody else has it.
  deinit { unsafe EVP_PKEY_free(key) }

  /// `,"signature":"` + 88 characters of base64 + `"`.
  static let added = 103

  /// Adds the topic, or whoever may publish at another pump would open it with this fire; then the signature over the payload's bytes as they
  /// are by then. README.md, Topics. False if there is no room for both.
  func sign(_ payload: inout Payload, of topic: Topic) -> Bool {
    let before = payload
    payload.truncate(to: payload.count - 1)
    payload.member("topic", text: topic.bytes)
    payload.append("}")
    guard !payload.overflowed, payload.free >= Self.added else {
      payload = before
      return false
    }
    var signature = InlineArray<64, UInt8>(repeating: 0)
    var length = 64
    // SAFETY: this call's own; a missing one makes the first call below fail.
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var span = signature.mutableSpan
    // SAFETY: Ed25519 writes 64 bytes, which is what there is and what `length` says.
    let isSigned = unsafe payload.bytes.withUnsafeBytes { bytes in
      unsafe span.withUnsafeMutableBufferPointer { room in
        unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1
          && EVP_DigestSign(context, room.baseAddress, &length, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) == 1
      }
    }
    precondition(isSigned && length == 64, "libcrypto cannot sign with a key that it has read")
    payload.truncate(to: payload.count - 1)
    payload.append(",\"signature\":\"")
    payload.append(base64: signature.span)
    payload.append("\"}")
    return true
  }
}
