import CLinux
import Core
import Foundation
import Testing

@testable import Host

@Suite("what this process has used") struct UsageTests {
  @Test("its processor time is the system's and its own together") func processor() {
    func used() -> Int64 {
      var times = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &times)
      let (user, system) = (times.ru_utime, times.ru_stime)
      return Int64(user.tv_sec) * 1_000_000 + Int64(user.tv_usec) + Int64(system.tv_sec) * 1_000_000 + Int64(system.tv_usec)
    }
    for _ in 0..<50 {
      let before = used()
      let usage = Usage.now()
      #expect((before...used()).contains(usage.processor.microseconds) && usage.memoryBytes > 1_000_000)
    }
  }
}

@Suite("the gateway as a service", .serialized)
struct ServiceTests {
  @Test("systemd gets READY, WATCHDOG, STATUS and STOPPING, and its watchdog's time is known") func notices() throws {
    let path = "/tmp/forecourt-notify-\(getpid())"
    let listener = socket(AF_UNIX, 2 /* SOCK_DGRAM: an enumeration in C, and another on each system */, 0)
    defer {
      close(listener)
      unlink(path)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
    }
    try #require(bound == 0, "the socket has a name")

    let notices = with(["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "3600000000", "WATCHDOG_PID": "\(getpid())"]) { Notify() }
    #expect(notices.pulse == .seconds(1_200))
    notices.ready()
    notices.alive()
    notices.status(Sentence("listening on hci0"))
    notices.stopping()
    #expect((1...4).map { _ in received(listener) } == ["READY=1", "WATCHDOG=1", "STATUS=listening on hci0", "STOPPING=1"])
  }

  @Test("without systemd's socket nothing is sent, and no watchdog is due") func silence() {
    let alone = with([:]) { Notify() }
    #expect(alone.pulse == nil)
    alone.ready()
    let nobody = with(["NOTIFY_SOCKET": "/nonexistent/notify"]) { Notify() }
    #expect(nobody.pulse == nil)
    nobody.alive()
  }

  @Test("what let go of systemd's socket closed it") func closed() async {
    await #expect(processExitsWith: .success) {
      setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
      // Other threads of the tests open and close some, too.
      let open = { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
      let before = open()
      for _ in 0..<100 { _ = Notify() }
      precondition(open() < before + 50, "a descriptor is left open for each")
    }
  }

  @Test("a thread drops its capabilities, for itself and its children, for good") func privileges() async throws {
    let before = capabilities("/proc/self/status")
    // For this one thread only; the other threads keep their capabilities.
    let after = await withCheckedContinuation { done in
      _ = Thread("privileges") {
        _ = linux_keep_capabilities(Privileges.rawNetwork.rawValue)
        let kept = capabilities("/proc/thread-self/status")
        _ = linux_keep_capabilities(0)
        let none = capabilities("/proc/thread-self/status")
        _ = linux_keep_capabilities(~0)
        done.resume(returning: [kept, none, capabilities("/proc/thread-self/status")])
      }
    }
    let rawNetwork = UInt64(Privileges.rawNetwork.rawValue)
    #expect(after[0] == before & rawNetwork)
    #expect(after[1] == 0 && after[2] == 0)
    #expect(capabilities("/proc/self/status") == before)
  }

  @Test("root keeps everything, and is told so", .enabled(if: geteuid() == 0)) func root() async {
    let before = capabilities("/proc/self/status")
    let (isKept, after) = await withCheckedContinuation { done in
      _ = Thread("root") { done.resume(returning: (Privileges.keepOnly([]), capabilities("/proc/thread-self/status"))) }
    }
    #expect(isKept && after == before)
  }

  @Test("another user keeps what it was told, and nothing else", .enabled(if: geteuid() == 0)) func others() async {
    await #expect(processExitsWith: .success) {
      let had = capabilities("/proc/self/status")
      // The permitted ones stay, as for a service whose unit grants them.
      precondition(seteuid(65_534) == 0)
      let isKept = Privileges.keepOnly(.rawNetwork)
      precondition(isKept && capabilities("/proc/thread-self/status") == had & UInt64(Privileges.rawNetwork.rawValue))
      precondition(Privileges.keepOnly([]) && capabilities("/proc/thread-self/status") == 0)
    }
  }

  @Test("a radio's thread keeps what opening its adapter again needs, and nothing else", .enabled(if: geteuid() == 0)) func radio() async {
    await #expect(processExitsWith: .success) {
      let had = capabilities("/proc/self/status", "CapPrm")
      precondition(seteuid(65_534) == 0)
      for adapter in [Adapter.hci(.number(999), mode: .raw), .hci(.number(999), mode: .user), .unix(path: "/nonexistent")] {
        let running = RunningRadio(adapter)
        precondition(running.report() != nil, "it has begun to work")
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let radios = tasks.map { "/proc/self/task/\($0)/" }.filter {
          (try? File(reading: $0 + "comm", atMost: 99).bytes) == Array("radio\n".utf8)
        }
        let kept = had & UInt64(adapter.privileges.rawValue)
        precondition(
          radios.count == 1 && capabilities(radios[0] + "status", "CapPrm") == kept && capabilities(radios[0] + "status") == kept)
      }
    }
  }

  @Test("a kernel adapter needs capabilities, a serial line none") func adapters() {
    #expect(Adapter.hci(.number(0), mode: .user).privileges == .administerNetwork)
    #expect(Adapter.hci(.number(0), mode: .raw).privileges == [.administerNetwork, .rawNetwork])
    #expect(Adapter.h4(path: "/dev/ttyACM0", baud: 1_000_000).privileges == [])
  }

  /// The environment is the process's: no test beside this suite touches these three.
  private func with<Result>(_ variables: [String: String], _ body: () -> Result) -> Result {
    let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    for name in names { unsetenv(name) }
    for (name, value) in variables { setenv(name, value, 1) }
    defer { for name in names { unsetenv(name) } }
    return body()
  }

  private func received(_ socket: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? "" : String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// The effective ones, or those of another set, as the kernel tells them.
private func capabilities(_ status: String, _ set: String = "CapEff") -> UInt64 {
  guard let file = try? File(reading: status, atMost: 65_536) else { return .max }
  let line = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(set + ":\t") }
  return line.flatMap { UInt64($0.dropFirst(8), radix: 16) } ?? .max
}
