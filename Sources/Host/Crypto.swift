import CCrypto
package import Core

/// AES-128 of one block by libcrypto, for Core, which has no cryptography.
///
/// Everything is set up here, once: enciphering takes no memory. One thread at a time may use what this returns.
package func aes128() -> Cipher {
  let engine = Engine()
  return { key, plain in engine.encipher(key, plain) }
}

@safe private final class Engine: @unchecked Sendable {
  private let context: OpaquePointer

  init() {
    // SAFETY: libcrypto's own objects; the context lives as long as this does, and nobody else has it.
    guard let context = unsafe EVP_CIPHER_CTX_new(),
      unsafe EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nil, nil, nil) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { preconditionFailure("libcrypto has no AES-128") }
    unsafe self.context = context
  }

  deinit {
    // SAFETY: made in `init`.
    unsafe EVP_CIPHER_CTX_free(context)
  }

  func encipher(_ key: Block, _ plain: Block) -> Block {
    var enciphered = Block(repeating: 0)
    // SAFETY: each block has the sixteen bytes that AES-128 reads and writes, and outlives the call.
    let isDone = unsafe withUnsafeBytes(of: key) { key in
      unsafe withUnsafeBytes(of: plain) { plain in
        unsafe withUnsafeMutableBytes(of: &enciphered) { enciphered in
          var count: CInt = 0
          return unsafe EVP_EncryptInit_ex(context, nil, nil, key.baseAddress, nil) == 1
            && EVP_EncryptUpdate(context, enciphered.baseAddress, &count, plain.baseAddress, 16) == 1 && count == 16
        }
      }
    }
    precondition(isDone, "libcrypto enciphers a block")
    return enciphered
  }
}
