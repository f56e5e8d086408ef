import Foundation
import Testing

@Suite("a gateway that systemd runs") final class ServiceRunTests {
  let program: Program
  private let door: Int32

  init() throws {
    program = try Program()
    try program.write("site.toml", TuningTests.site)
    try program.write("config.toml", TuningTests.configuration)
    // A socket's path has room for 107 bytes.
    door = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = UInt16(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array((program.folder.path + "/door").utf8.prefix(107))) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(door, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    #expect(bound == 0)
  }
  deinit {
    close(door)
    program.remove()
  }

  /// Everything that it says until it says this, for ten seconds at most.
  private func said(until words: String) -> [String] {
    var (all, piece): ([String], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      var polled = pollfd(fd: door, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 100) > 0 else { continue }
      let count = recv(door, &piece, piece.count, 0)
      guard count > 0 else { continue }
      all.append(String(decoding: piece[..<count], as: UTF8.self))
      if all.last?.hasPrefix(words) == true { return all }
    }
    Issue.record("it never said \(words): \(all)")
    return all
  }

  @Test("it says when it is ready, how it is, that it lives, when it reads its configuration anew, and that it stops") func notified()
    throws
  {
    let process = Process()
    process.executableURL = Program.executable
    process.arguments = ["run", "--print", "--radio", "simulate:site.toml"]
    process.currentDirectoryURL = program.folder
    process.environment = ["NOTIFY_SOCKET": program.folder.path + "/door", "WATCHDOG_USEC": "300000"]
    let told = program.folder.appending(path: "told")
    FileManager.default.createFile(atPath: told.path, contents: nil)
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardError = try FileHandle(forWritingTo: told)
    // The test's thread blocks signals, which a child would inherit.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    try process.run()
    pthread_sigmask(SIG_SETMASK, &before, nil)
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    #expect(said(until: "READY=1") == ["READY=1"])
    #expect(said(until: "STATUS=").last == "STATUS=online")
    let begun = ContinuousClock.now
    for _ in 0..<3 { #expect(said(until: "WATCHDOG=1").count < 4) }
    #expect(ContinuousClock.now - begun >= .milliseconds(150), "three times in each of its limits, and no more")
    for change in ["gateway.devices = 96\n", "gateway.nonsense = 1\n", ""] {
      try program.write("config.toml", change + TuningTests.configuration)
      kill(process.processIdentifier, SIGHUP)
      let reloading = said(until: "RELOADING=1").last ?? ""
      #expect(reloading.wholeMatch(of: #/RELOADING=1\nMONOTONIC_USEC=\d+/#) != nil, "\(reloading)")
      #expect(said(until: "READY=1").allSatisfy { $0 == "READY=1" || $0 == "WATCHDOG=1" })
    }
    kill(process.processIdentifier, SIGTERM)
    _ = said(until: "STOPPING=1")
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
    try Said("service").expect(try String(contentsOf: told, encoding: .utf8))
  }
}
