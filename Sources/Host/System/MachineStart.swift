/// Identifies this start of the machine: times on the boot clock mean nothing after the next start.
package func machineStart() -> Int64 {
  let kernels = (try? File(reading: "/proc/sys/kernel/random/boot_id", atMost: 64))?.bytes ?? []
  return machineStart(kernels, systemds: Array((environment("FORECOURT_BOOT") ?? "").utf8))
}

/// The kernel's boot id, or, if the unit hides that, systemd's. If neither is there, a random number: all earlier runs then count as of
/// other starts.
func machineStart(_ kernels: [UInt8], systemds: [UInt8]) -> Int64 {
  for word in [kernels, systemds] {
    guard let bytes = hexBytes(word), bytes.count == 16 else { continue }
    var start: UInt64 = 0
    for byte in bytes { start = (start ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return Int64(bitPattern: start)
  }
  return Int64(bitPattern: SystemRandom.word())
}
