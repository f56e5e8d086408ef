import CLinux
import Core
import Foundation
import Seeds
import Testing

@testable import Host

@Suite("the doors to the system") struct SystemDoorTests {
  private let scratch = Scratch()

  /// A terminal's two ends: the master's descriptor, and the place of the other.
  private func terminal() throws -> (master: CInt, place: String) {
    let master = linux_open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    var (isLocked, number): (CInt, CInt) = (0, 0)
    // TIOCSPTLCK and TIOCGPTN: Swift sees neither unlockpt nor ptsname.
    try #require(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
    return (master, "/dev/pts/\(number)")
  }

  private func opened(_ adapter: Adapter) -> (line: CInt, trouble: Trouble?, code: CInt) {
    do throws(HCITransport.Refusal) {
      let line = try HCITransport.open(adapter, cycle: false, bell: -1)
      return (dup(line.descriptor), nil, 0)
    } catch { return (-1, error.trouble, error.code) }
  }

  @Test(
    "a serial line has the speed that was asked for, is raw, and keeps its pace by hardware",
    arguments: [
      (9_600, 0o15), (19_200, 0o16), (38_400, 0o17), (57_600, 0o10001), (115_200, 0o10002), (230_400, 0o10003), (460_800, 0o10004),
      (500_000, 0o10005), (576_000, 0o10006), (921_600, 0o10007), (1_000_000, 0o10010), (1_152_000, 0o10011), (1_500_000, 0o10012),
      (2_000_000, 0o10013), (2_500_000, 0o10014), (3_000_000, 0o10015), (3_500_000, 0o10016), (4_000_000, 0o10017),
    ])
  func speed(baud: Int, code: Int) throws {
    let (master, place) = try terminal()
    defer { close(master) }
    // What somebody has left there.
    let other = linux_open(place, O_RDWR | O_NOCTTY, 0)
    defer { close(other) }
    var before = termios()
    tcgetattr(other, &before)
    before.c_cflag |= tcflag_t(CSTOPB)
    tcsetattr(other, TCSANOW, &before)
    write(master, "stale", 5)
    let (line, trouble, _) = opened(try Adapter(written: "h4:\(place)@\(baud)", mode: .user) { $0 })
    try #require(line >= 0, "\(String(describing: trouble))")
    defer { close(line) }
    var now = termios()
    #expect(tcgetattr(line, &now) == 0 && cfgetospeed(&now) == speed_t(code) && cfgetispeed(&now) == speed_t(code))
    #expect(now.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0 && now.c_iflag & tcflag_t(ICRNL | IXON | ISTRIP) == 0)
    #expect(
      now.c_oflag & tcflag_t(OPOST) == 0 && now.c_cflag & tcflag_t(CSTOPB | PARENB) == 0 && now.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
    #expect(now.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD) && now.c_cflag & 0o20_000_000_000 != 0, "CRTSCTS")
    let (least, tenths) = withUnsafeBytes(of: &now.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) }
    #expect(least == 1 && tenths == 0)
    var isExclusive: CInt = 0
    // TIOCGEXCL
    #expect(ioctl(line, 0x8004_5440, &isExclusive) == 0 && isExclusive == 1)
    var byte: UInt8 = 0
    #expect(read(line, &byte, 1) == -1 && errno == EAGAIN, "what came before is dropped")
  }

  @Test("what is no serial line, or of no such speed, is refused in the system's word") func noLine() throws {
    let (master, place) = try terminal()
    defer { close(master) }
    for baud in [0, 1_200, 12_345, 999_999] {
      let refused = opened(.h4(path: place, baud: baud))
      #expect(refused.trouble == .system && refused.code == EINVAL, "\(baud)")
    }
    let (null, none) = (opened(.h4(path: "/dev/null", baud: 9_600)), opened(.h4(path: scratch.path + "/none", baud: 9_600)))
    #expect(null.trouble == .system && null.code == ENOTTY && none.trouble == .noAdapter && none.code == ENOENT)
  }

  @Test("a line over TCP sends at once, and counts as dead after five seconds without an answer") func tcp() throws {
    let broker = ModelBroker()
    defer { broker.close() }
    let (line, trouble, _) = opened(.tcp(host: "127.0.0.1", port: broker.port))
    try #require(line >= 0, "\(String(describing: trouble))")
    defer { close(line) }
    for (option, wanted) in [(TCP_NODELAY, 1), (TCP_USER_TIMEOUT, 5_000)] as [(CInt, CInt)] {
      var (value, size) = (CInt(-1), socklen_t(4))
      #expect(getsockopt(line, CInt(IPPROTO_TCP), option, &value, &size) == 0 && value == wanted, "\(option)")
    }
    #expect(fcntl(line, F_GETFL) & O_NONBLOCK != 0)
    let unknown = opened(.tcp(host: "no.such.host.invalid", port: 1))
    #expect(unknown.trouble == .unreachable && unknown.code == EADDRNOTAVAIL)
  }

  @Test("a socket's path is as long as the system takes, and one behind @ is a name of its own") func unix() throws {
    for name in ["\(scratch.path)/line", "@forecourt-test-\(getpid())"] {
      let door = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      defer { close(door) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { place in
        place.copyBytes(from: Array(name.utf8))
        if name.first == "@" { place[0] = 0 }
      }
      let length = socklen_t(2 + name.utf8.count)
      let bound = withUnsafePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(door, $0, length) } }
      try #require(bound == 0 && listen(door, 1) == 0)
      let (line, trouble, code) = opened(.unix(path: name))
      #expect(line >= 0, "\(name): \(String(describing: trouble)) \(code)")
      close(line)
    }
    let long = "/" + String(repeating: "x", count: 107)
    let (most, none) = (opened(.unix(path: long)), opened(.unix(path: String(long.dropLast()))))
    #expect(most.code == ENAMETOOLONG && most.trouble == .system && none.code == ENOENT && none.trouble == .noAdapter)
  }

  @Test("a wait is as long as it was told, to the microsecond and across a second") func waits() {
    func waited(_ microseconds: Int64) -> Int64 {
      let begun = Clock.now()
      #expect(linux_poll(nil, 0, microseconds) == 0)
      return (Clock.now() - begun).microseconds
    }
    #expect((0..<20).map { _ in waited(0) }.min()! < 2_000)
    for microseconds in [900, 15_500] as [Int64] {
      let quickest = (0..<5).map { _ in waited(microseconds) }.min()!
      #expect(quickest >= microseconds && quickest < microseconds + 20_000, "\(quickest)")
    }
  }

  @Test("words are written only where there is room for them") func words() {
    var ends: [CInt] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(canTakeWords(ends[1]) && !canTakeWords(ends[0]) && !canTakeWords(-1))
    #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    let page = [UInt8](repeating: 0x20, count: 4_096)
    while write(ends[1], page, page.count) > 0 {}
    #expect(!canTakeWords(ends[1]))
  }

  @Test("who runs, who owns a folder, what may be done with a file, and how much room there is") func files() throws {
    let name = try #require(try? String(contentsOfFile: "/proc/self/comm", encoding: .utf8)).dropLast()
    #expect(linux_runs(String(name)) == 1 && linux_runs("no such name") == 0 && linux_runs(String(name.dropLast())) == 0)
    #expect(linux_service_runs("no-such-unit.service") == 0 && linux_service_process("no-such-unit.service") == 0)
    #expect(String(cString: linux_user(0)) == "root" && String(cString: linux_user(3_999_999_999)) == "3999999999")
    var owner: uid_t = 99
    #expect(linux_owner_of_folder("/anything", &owner) == 0 && owner == 0)
    #expect(linux_owner_of_folder(scratch.path + "/none/x", &owner) == -1)
    #expect(linux_owner_of_folder(scratch.path + "/x", &owner) == 0 && owner == geteuid())
    var here = stat()
    #expect(stat(".", &here) == 0 && linux_owner_of_folder("x", &owner) == 0 && owner == here.st_uid)
    scratch.write("one", [1])
    scratch.write("two", [2])
    let (one, two, three) = (scratch.path + "/one", scratch.path + "/two", scratch.path + "/three")
    #expect(linux_rename_new(one, two) == -1 && errno == EEXIST && scratch.names == ["one", "two"])
    #expect(linux_rename_new(one, three) == 0 && scratch.names == ["three", "two"])
    #expect(linux_rename_new(one, scratch.path + "/four") == -1 && errno == ENOENT)
    #expect(linux_may(two, F_OK) == 0 && linux_may(two, R_OK) == 0 && linux_may(one, F_OK) == -1 && linux_may(two, X_OK) == -1)
    let room = try #require(try FileManager.default.attributesOfFileSystem(forPath: scratch.path)[.systemFreeSize] as? Int64)
    let found = linux_free_bytes(scratch.path)
    #expect(found > 0 && abs(found - room) < max(room / 10, 1 << 24) && linux_free_bytes(one) == -1)
  }

  @Test("what may be run as root to free an adapter fits the trouble, and no other trouble has such a line") func remedies() {
    let hci = Adapter.hci(.number(0), mode: .user)
    for (trouble, command) in [
      (.bluetoothd, "systemctl mask --now bluetooth"), (.blocked, "rfkill unblock bluetooth"), (.busy, nil), (.noAdapter, nil),
      (.noPermission, nil),
    ] as [(Trouble, String?)] {
      let examined = Examined.refused(trouble, hci, "radio one", code: 0)
      #expect(examined.subject == "radio one" && examined.command == command && examined.words.contains("hci0"), "\(examined)")
      let isForbidden = if case .bad(.forbidden) = examined.verdict { true } else { false }
      #expect(examined.isBad && isForbidden == (trouble == .noPermission), "\(examined)")
    }
  }

  @Test("an adapter that the running gateway has is well, and whoever needs it is told how to get it") func gateways() {
    let hci = Adapter.hci(.number(0), mode: .user)
    let well = Examined.ofGateway(hci, "radio one", isWanted: false)
    #expect(!well.isBad && well.command == nil && well.words == "hci0: the running gateway has it (forecourt.service)")
    let contested = Examined.ofGateway(hci, "radio one", isWanted: false, isContested: true)
    let isDoubtful = if case .doubtful = contested.verdict { true } else { false }
    #expect(isDoubtful && contested.words.hasPrefix(well.words + ", but bluetoothd runs, too"), "\(contested)")
    #expect(contested.command == "systemctl mask --now bluetooth" && contested.words.hasSuffix("next start: " + contested.command!))
    let wanted = Examined.ofGateway(hci, "radio one", isWanted: true, isContested: true)
    #expect(wanted.isBad && wanted.command == "systemctl stop forecourt" && wanted.words.contains("finds it started again"))
  }

  @Test("a socket can be opened, and check says that a recording played there would pass for the air") func recording() {
    let controller = YesController("examined")
    let examined = Examined.adapter(.unix(path: controller.path), "radio")
    let isDoubtful = if case .doubtful = examined.verdict { true } else { false }
    let words = "unix:\(controller.path): can be opened; a recording played there would pass for the air"
    #expect(isDoubtful && examined.words == words, "\(examined)")
  }

  @Test("a disk needs a megabyte, and should have one for each 1,024 of max_events") func disk() {
    var settings = OutboxSettings()
    settings.maxEvents = 4_096
    for (free, megabytes, isBad, words) in [
      (1_048_575, 0, true, " at /place: events will be held in memory and be lost with it"),
      (1_048_576, 1, false, ", and max_events = 4096 may take 4 MB: fewer, or another place"),
      (4_194_303, 3, false, ", and max_events = 4096 may take 4 MB: fewer, or another place"), (4_194_304, 4, false, ""),
    ] as [(Int64, Int, Bool, String)] {
      let disk = Examined.disk(free: free, at: "/place", settings)
      let isGood = if case .good = disk.verdict { true } else { false }
      #expect(disk.words == "\(megabytes) MB are free\(words)" && disk.isBad == isBad && isGood == words.isEmpty, "\(disk)")
    }
  }

  @Test("root's new file in another's folder is that one's, and of an existing file nothing changes", .enabled(if: geteuid() == 0))
  func created() throws {
    #expect(chown(scratch.path, 65_534, 65_534) == 0)
    scratch.write("old", [1])
    for (name, owner) in [("new", uid_t(65_534)), ("old", 0)] {
      let file = linux_create(scratch.path + "/" + name, O_RDWR, 0o600)
      var status = stat()
      #expect(file >= 0 && fstat(file, &status) == 0 && status.st_uid == owner && status.st_gid == owner && status.st_mode & 0o777 == 0o600)
      close(file)
    }
    #expect(linux_create(scratch.path + "/none/x", O_RDWR, 0o600) == -1 && errno == ENOENT)
  }

  @Test("root follows no link in another's folder; one in its own it does, and one that is a folder", .enabled(if: geteuid() == 0))
  func links() throws {
    let elsewhere = Scratch()
    let link = scratch.path + "/link"
    try #require(symlink(elsewhere.path + "/made", link) == 0 && symlink(scratch.path, elsewhere.path + "/folder") == 0)
    for isThere in [false, true] {
      if isThere { elsewhere.write("made", [1]) }
      #expect(chown(scratch.path, 65_534, 65_534) == 0)
      #expect(linux_create(link, O_RDWR, 0o600) == -1 && errno == ELOOP)
      #expect(elsewhere.names == (isThere ? ["folder", "made"] : ["folder"]))
    }
    let inside = linux_create(elsewhere.path + "/folder/new", O_RDWR, 0o600)
    #expect(inside >= 0 && scratch.names == ["link", "new"])
    close(inside)
    #expect(chown(scratch.path, 0, 0) == 0)
    let own = linux_create(link, O_RDWR, 0o600)
    #expect(own >= 0 && elsewhere.names == ["folder", "made"])
    close(own)
  }
}
