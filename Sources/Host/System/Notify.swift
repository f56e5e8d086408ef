import CLinux
package import Core

/// systemd's notifications: a datagram each to the socket in $NOTIFY_SOCKET, if there is one. sd_notify(3).
package final class Notify: Sendable {
  private let descriptor: CInt
  private let place: String
  /// How often to feed systemd's watchdog; nil: never. A third of its limit; it advises at most a half.
  package let pulse: Interval?

  package init() {
    place = environment("NOTIFY_SOCKET") ?? ""
    let first = place.utf8.first
    let isPlace = first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    descriptor = isPlace ? socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) : -1
    let isForUs = environment("WATCHDOG_PID").map { decimal($0) == Int(getpid()) } ?? true
    let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) }
    pulse = if descriptor >= 0, isForUs, let limit, limit > 0 { Interval(microseconds: limit / 3) } else { nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func ready() { send(Sentence("READY=1")) }
  /// Feeds the watchdog. Only the core thread's progress may do so.
  package func alive() { send(Sentence("WATCHDOG=1")) }
  package func stopping() { send(Sentence("STOPPING=1")) }

  package func reloading(at now: Instant) {
    var words = Sentence("RELOADING=1\nMONOTONIC_USEC=")
    words.append(decimal: UInt64(now.microseconds))
    send(words)
  }

  /// What `systemctl status` shows.
  package func status(_ words: Sentence) {
    var line = Sentence("STATUS=")
    for index in 0..<words.count { line.append(byte: words[index] < 0x20 ? 0x20 : words[index]) }
    send(line)
  }

  private func send(_ words: Sentence) {
    guard descriptor >= 0 else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(place.utf8)
    // SAFETY: the path is cut to the room there is; the length counts what is used of the structure. A socket that is full or
    // gone takes nothing, and nobody waits.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      for index in 0..<min(path.count, room.count - 1) { unsafe room[index] = path[index] }
      // A name outside the file system begins with a zero where people write `@`.
      if path.first == UInt8(ascii: "@") { unsafe room[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + min(path.count, 107) + (path.first == UInt8(ascii: "@") ? 0 : 1))
    // SAFETY: as above; the bytes are only read.
    unsafe words.bytes.withUnsafeBytes { bytes in
      unsafe withUnsafeBytes(of: &address) { whole in
        let place = unsafe whole.baseAddress?.assumingMemoryBound(to: sockaddr.self)
        _ = unsafe sendto(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL), place, length)
      }
    }
  }
}
