import CCrypto
package import Core

/// AES-128 of one block by libcrypto, for Core, which has no cryptography of its own. It allocates nothing and keeps no state.
package func aes128() -> Cipher {
  { key, plain in
    var enciphered = Block(repeating: 0)
    // SAFETY: each block has the sixteen bytes that AES-128 reads and writes, and outlives the call.
    unsafe withUnsafeBytes(of: key) { key in
      unsafe withUnsafeBytes(of: plain) { plain in
        unsafe withUnsafeMutableBytes(of: &enciphered) { enciphered in
          unsafe crypto_aes128(
            key.baseAddress?.assumingMemoryBound(to: UInt8.self), plain.baseAddress?.assumingMemoryBound(to: UInt8.self),
            enciphered.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return enciphered
  }
}
