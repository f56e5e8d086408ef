/// Which start of the machine this is: the clock that counts from its start means nothing after the next one.
package func machineStart() -> Int64 {
  let kernels = (try? File(reading: "/proc/sys/kernel/random/boot_id", atMost: 64))?.bytes ?? []
  return machineStart(kernels, systemds: Array((environment("FORECOURT_BOOT") ?? "").utf8))
}

/// The kernel's own word, or, where the unit hides that, systemd's for the same. Where nobody says it a number that no run ever had:
/// what another run left is then of another start.
func machineStart(_ kernels: [UInt8], systemds: [UInt8]) -> Int64 {
  for word in [kernels, systemds] {
    guard let bytes = hexBytes(word), bytes.count == 16 else { continue }
    var start: UInt64 = 0
    for byte in bytes { start = (start ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return Int64(bitPattern: start)
  }
  return Int64(bitPattern: SystemRandom.word())
}
