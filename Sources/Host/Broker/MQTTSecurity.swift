import CLinux
import CMosquitto
import Core

/// TLS towards the broker: which authorities, which certificate of ours, which version.
extension MQTTClient {
  func secure() throws(MQTTFault) {
    guard settings.usesTLS else { return }
    for file in 0..<3 {
      let path = file == 0 ? settings.authorities : file == 1 ? settings.certificate : settings.key
      guard path.isEmpty || FileSystem.isReadable(path) else {
        let code = linux_errno()
        // Where the key is stays untold.
        throw MQTTFault("cannot read \(file < 2 ? String(path) : "the file of tls_key"): \(systemWords(code))")
      }
    }
    let (folder, certificate, key) = (FileSystem.isFolder(settings.authorities), settings.certificate, settings.key)
    // SAFETY: libmosquitto copies the paths. The function answers whoever asks for a pass phrase: OpenSSL would ask the terminal, for ever.
    try check(
      unsafe settings.authorities.withCString { authorities in
        unsafe certificate.withCString { chain in
          unsafe key.withCString { secret in
            unsafe mosquitto_tls_set(
              handle, folder ? nil : authorities, folder ? authorities : nil,
              certificate.isEmpty ? nil : chain, key.isEmpty ? nil : secret, { _, _, _, _ in 0 })
          }
        }
      })
    // SAFETY: a literal ends with a zero, and is copied.
    try check(unsafe mosquitto_tls_opts_set(handle, 1, "tlsv1.2", nil))
    try check(unsafe mosquitto_tls_insecure_set(handle, settings.isInsecure))
  }
}
