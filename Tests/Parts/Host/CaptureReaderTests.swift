import Core
import Foundation
import Host
import Testing

/// Everything that a capture holds, and how its reading ended.
struct ReadCapture: Equatable {
  struct Line: Equatable {
    var microseconds: Int64
    var controller: Int
    var bytes: [UInt8]
  }

  var lines: [Line] = []
  var epoch: Int64?
  var failure: String?

  init(of bytes: some Sequence<UInt8>) {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("forecourt-\(UUID().uuidString)").path
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    defer { try? FileManager.default.removeItem(atPath: path) }
    self.init(path)
  }

  init(_ path: String) {
    do throws(CaptureFault) {
      var capture = try CaptureReader(opening: path)
      do throws(CaptureFault) {
        while try capture.advance() {
          let packet = capture.packet
          let bytes = (0..<packet.bytes.byteCount).map { packet.bytes[$0] }
          lines.append(Line(microseconds: packet.at.microseconds, controller: packet.controller, bytes: bytes))
        }
      } catch {
        failure = error.sentence
      }
      epoch = capture.epoch
    } catch {
      failure = error.sentence
    }
  }
}

private let captures = URL(filePath: #filePath).appending(path: "../../../Decoding").standardizedFileURL

private func contents(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: captures.appendingPathComponent(name))) }

private func big(_ number: UInt64, _ bytes: Int = 4) -> [UInt8] {
  (0..<bytes).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (bytes - 1 - $0))) }
}

@Suite("Captures") struct CaptureReaderTests {
  static let names = [
    "h4.btsnoop", "hci.btsnoop", "monitor.btsnoop", "h4.pcap", "directed.pcap", "monitor.pcap", "h4.pcapng", "directed.pcapng",
    "monitor.pcapng",
  ].map { "air." + $0 }

  @Test("one stretch of air reads the same from every format", arguments: names) func formats(name: String) throws {
    let expected = ReadCapture(captures.appendingPathComponent("air.h4.btsnoop").path)
    let read = ReadCapture(captures.appendingPathComponent(name).path)
    #expect(read.failure == nil && expected.lines.count == 204)
    #expect(read.epoch == 1_795_514_400_000_000)
    #expect(read.lines == expected.lines)
    #expect(read.lines.first?.bytes == [1, 3, 0x0C, 0])
  }

  @Test(
    "a capture cut anywhere gives its readable part and the place of the cut",
    arguments: ["air.h4.btsnoop", "air.h4.pcap", "air.h4.pcapng"])
  func cut(name: String) throws {
    let whole = try contents(name)
    let lines = ReadCapture(captures.appendingPathComponent(name).path).lines
    var seen = 0
    for length in Array(0..<900) + Array(whole.count - 200..<whole.count) {
      let read = ReadCapture(of: whole[..<length])
      #expect(read.lines == Array(lines.prefix(read.lines.count)) && read.lines.count >= seen)
      seen = read.lines.count
      guard let failure = read.failure else { continue }
      #expect(length < 4 ? failure.hasPrefix("is no capture") : failure.hasPrefix("is truncated at byte "))
    }
  }

  @Test("damage in the middle gives what came before, and where it is") func damage() throws {
    var bytes = try contents("air.h4.btsnoop")
    let second = 16 + 24 + 4
    bytes.replaceSubrange(second + 4..<second + 8, with: big(0xFFFF_FFFF))
    let read = ReadCapture(of: bytes)
    #expect(read.lines.count == 1 && read.failure == "is damaged at byte \(second)")
    var blocks = try contents("air.h4.pcapng")
    blocks[4] = 0x1D
    #expect(ReadCapture(of: blocks).failure == "is damaged at byte 0")
  }

  /// btsnoop of H4 packets with these stamps, in seconds since 1970.
  private func stamped(_ seconds: [Double]) -> [UInt8] {
    var bytes = Array("btsnoop".utf8) + [0] + big(1) + big(1_002)
    for moment in seconds {
      bytes += big(4) + big(4) + big(3) + big(0) + big(0x00DC_DDB3_0F2F_8000 &+ UInt64(bitPattern: Int64(moment * 1e6)), 8)
      bytes += [4, 0x10, 1, 0x42]
    }
    return bytes
  }

  @Test("no time passes where a capture's clock was set or a stamp is damaged, and that is said once") func leaps() throws {
    let today = 1_795_514_400.0
    for (stamps, seconds, isSaid) in [
      ([9, 10, today, today + 1, today + 2], [0, 1, 1, 2, 3], true), ([today, today + 1, 5e12, today + 3], [0, 1, 1, 1], true),
      ([today, today + 1, -5e12, today + 3], [0, 1, 1, 1], true), ([today, today + 40_000, today + 40_001], [0, 40_000, 40_001], false),
      // Set back a little; and written out of order.
      ([today, today + 40, today + 10, today + 11], [0, 40, 40, 41], true),
      ([today, today + 5, today + 4, today + 6], [0, 5, 4, 6], false),
    ] as [([Double], [Int64], Bool)] {
      let bytes = stamped(stamps)
      #expect(ReadCapture(of: bytes).lines.map { $0.microseconds / 1_000_000 } == seconds)
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("forecourt-\(UUID().uuidString)").path
      _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let all = Captures(opening: [path])
      var (packet, said) = (Packet(), [String]())
      while all.next(into: &packet) != nil { while let doubt = all.takeDoubt() { said.append(doubt) } }
      #expect(said.count == (isSaid ? 1 : 0) && said.allSatisfy { $0.contains("leaps back, or by half a day or more") })
    }
  }

  @Test("captures whose clocks are years apart begin together, and that is said") func apart() throws {
    let paths = (0..<2).map { _ in FileManager.default.temporaryDirectory.appendingPathComponent("forecourt-\(UUID().uuidString)").path }
    defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
    for (path, start) in zip(paths, [5, 1_795_514_400.0]) {
      _ = FileManager.default.createFile(atPath: path, contents: Data(stamped([start, start + 1])))
    }
    let all = Captures(opening: paths)
    var (packet, times) = (Packet(), [Int64]())
    while all.next(into: &packet) != nil { times.append(packet.at.microseconds / 1_000_000) }
    #expect(times == [0, 0, 1, 1])
    let said = [all.takeDoubt(), all.takeDoubt()]
    #expect(said[0]?.hasPrefix(paths[1] + " is years away from the others") == true && said[1] == nil)
  }

  @Test("a capture that cannot be read keeps its number: the one after it is not taken for another radio's") func numbers() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("forecourt-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = FileManager.default.createFile(atPath: path, contents: Data(stamped([5, 6])))
    let all = Captures(opening: ["/nonexistent", path, "/dev/null", path])
    var (packet, numbers) = (Packet(), [Int]())
    while let number = all.next(into: &packet) { numbers.append(number) }
    #expect(numbers == [1, 3, 1, 3] && all.faults.map(\.name) == ["/nonexistent", "/dev/null"])
  }

  @Test("a file that is no capture, or not of HCI, is named as such") func others() throws {
    let place = captures.appendingPathComponent("nowhere.btsnoop").path
    #expect(ReadCapture(place).failure == "does not exist")
    #expect(ReadCapture(captures.path).failure == "is a folder, not a file")
    #expect(ReadCapture(of: Array("[gateway]".utf8)).failure?.hasPrefix("is no capture") == true)
    #expect(ReadCapture(of: []).failure?.hasPrefix("is no capture") == true)
    let ethernet = [0xA1, 0xB2, 0xC3, 0xD4, 0, 2, 0, 4] + big(0, 8) + big(65_535) + big(1)
    #expect(ReadCapture(of: ethernet).failure?.contains("link type 1)") == true)
    let snoop = Array("btsnoop\0".utf8) + big(1) + big(1_003)
    #expect(ReadCapture(of: snoop).failure?.contains("link type 1003)") == true)
  }

  @Test("a capture much longer than the window is streamed") func long() throws {
    var bytes = Array("btsnoop\0".utf8) + big(1) + big(1_002)
    let packet: [UInt8] = [4, 0x3E, 0x0C, 2, 1, 3, 1, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0xC4]
    let count = 60_000
    for index in 0..<count { bytes += big(15) + big(15) + big(3) + big(0) + big(0x00DC_DDB3_0F2F_8000 + UInt64(index) * 10, 8) + packet }
    let read = ReadCapture(of: bytes)
    #expect(read.failure == nil && read.epoch == 0)
    #expect(read.lines == (0..<count).map { ReadCapture.Line(microseconds: Int64($0) * 10, controller: 0, bytes: packet) })
  }

  @Test("a record that is as long as any is read; one that says a byte more is damaged") func longest() {
    let most = 262_144 + 4_096 - 24
    for length in [most, most + 1] {
      let packet = [4, 0xFF] + [UInt8](repeating: 7, count: length - 2)
      let head = big(UInt64(length)) + big(UInt64(length)) + big(3) + big(0) + big(0x00DC_DDB3_0F2F_8000, 8)
      let read = ReadCapture(of: Array("btsnoop\0".utf8) + big(1) + big(1_002) + head + packet)
      #expect(read.failure?.hasPrefix("is damaged at byte ") == (length > most ? true : nil), "\(read.failure ?? "")")
    }
  }

  @Test("the share that was read grows from nothing to all, over all files") func share() throws {
    let paths = ["air.h4.btsnoop", "air.monitor.pcapng"].map { captures.appendingPathComponent($0).path }
    for opened in [Array(paths.prefix(1)), paths] {
      let all = Captures(opening: opened)
      var (packet, last, count) = (Packet(), try #require(all.part), 0)
      #expect((0..<0.1).contains(last))
      while all.next(into: &packet) != nil {
        let part = try #require(all.part)
        #expect(part >= last && part <= 1)
        (last, count) = (part, count + 1)
      }
      #expect(last == 1 && count > 10 && all.faults.isEmpty)
    }
  }

  @Test("a block of any length is read, passed over or called damaged", arguments: [1, 2, 3, 6, 0xBAD] as [UInt64])
  func blocks(kind: UInt64) {
    func block(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
      big(kind) + big(UInt64(body.count + 12)) + body + big(UInt64(body.count + 12))
    }
    let section = block(0x0A0D_0D0A, big(0x1A2B_3C4D) + [0, 1, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
    let interface = block(1, [0, 201, 0, 0] + big(0))
    // Behind this many bytes a block of its kind has all that it needs.
    let least = [1: 8, 2: 20, 3: 4, 6: 20][kind]
    for words in 0..<14 {
      let read = ReadCapture(of: section + interface + block(kind, [UInt8](repeating: 0, count: words * 4)))
      let isDamaged = least.map { words * 4 < $0 } ?? false
      #expect((read.failure?.contains("damaged") == true) == isDamaged, "\(kind), \(words * 4) bytes: \(read.failure ?? "read")")
      for byte in [0x01, 0x7F, 0xFF] as [UInt8] {
        _ = ReadCapture(of: section + interface + block(kind, [UInt8](repeating: byte, count: words * 4)))
      }
    }
  }

  @Test("a pcapng block that nobody needs may be longer than the window") func longBlock() throws {
    var bytes = try contents("air.h4.pcapng")
    let names = 4 * CaptureLimits.window
    var block = [UInt8](repeating: 0, count: names)
    block.replaceSubrange(0..<4, with: [4, 0, 0, 0])
    let length = big(UInt64(names)).reversed()
    block.replaceSubrange(4..<8, with: length)
    block.replaceSubrange(names - 4..<names, with: length)
    bytes.insert(contentsOf: block, at: 28)
    #expect(ReadCapture(of: bytes).lines.count == 204)
  }

  @Test("packets without a time and interfaces with several link types are read") func simplePackets() throws {
    func block(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      return big(kind) + big(UInt64(padded.count + 12)) + padded + big(UInt64(padded.count + 12))
    }
    let packet: [UInt8] = [4, 0x10, 1, 0x42]
    let bytes =
      block(0x0A0D_0D0A, big(0x1A2B_3C4D) + big(0x0001_0000) + big(UInt64.max, 8)) + block(1, big(187, 2) + big(0, 2) + big(0))
      + block(1, big(1, 2) + big(0, 2) + big(0)) + block(3, big(4) + packet) + block(6, big(1) + big(0, 8) + big(4) + big(4) + packet)
      + block(6, big(0) + big(0, 8) + big(4) + big(4) + packet)
    let read = ReadCapture(of: bytes)
    #expect(read.failure == nil && read.lines.map(\.bytes) == [packet, packet])
  }

  @Test("the options of an interface say what its times mean, until the list ends", arguments: [nil, 100] as [UInt64?])
  func options(offset: UInt64?) throws {
    func block(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
      let length = big(UInt64(body.count + 12))
      return big(kind) + length + body + length
    }
    // A comment of three bytes, nanoseconds, perhaps an offset in seconds; behind the end of the list nothing counts.
    var options = big(1, 2) + big(3, 2) + [0x61, 0x62, 0x63, 0] + big(9, 2) + big(1, 2) + [9, 0, 0, 0]
    if let offset { options += big(14, 2) + big(8, 2) + big(offset, 8) }
    options += big(0, 2) + big(0, 2) + big(9, 2) + big(1, 2) + [3, 0, 0, 0]
    let packet: [UInt8] = [4, 0x10, 1, 0x42]
    var bytes = block(0x0A0D_0D0A, big(0x1A2B_3C4D) + big(0x0001_0000) + big(UInt64.max, 8))
    bytes += block(1, big(187, 2) + big(0, 2) + big(0) + options)
    for nanoseconds in [3_000_000_000, 5_500_000_000] as [UInt64] {
      bytes += block(6, big(0) + big(nanoseconds, 8) + big(4) + big(4) + packet)
    }
    let read = ReadCapture(of: bytes)
    try #require(read.failure == nil && read.lines.count == 2)
    #expect(read.lines[1].microseconds - read.lines[0].microseconds == 2_500_000)
    #expect(read.epoch.map { $0 + read.lines[0].microseconds } == Int64(3 + (offset ?? 0)) * 1_000_000)
  }

  @Test("where the reading ended says whether anything could be read: nothing of what cannot be opened") func ends() throws {
    let whole = try contents(Self.names[0])
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("forecourt-\(UUID().uuidString)").path
    _ = FileManager.default.createFile(atPath: path, contents: Data(whole.dropLast()))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for name in ["/dev/null", "/tmp", "/nonexistent", path] {
      do throws(CaptureFault) {
        var capture = try CaptureReader(opening: name, orPipe: false)
        while try capture.advance() {}
        Issue.record("\(name) is whole")
      } catch {
        #expect(name == path ? (17..<UInt64(whole.count)).contains(error.offset) : error.offset == 0, "\(name) \(error)")
      }
    }
  }

  @Test("any damage at most ends the reading", arguments: names) func mutations(name: String) throws {
    let whole = try contents(name)
    for seed in 0..<60 as Range<UInt64> {
      var bytes = whole
      var state = seed
      for _ in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(truncatingIfNeeded: state >> 33) % min(bytes.count, 2_000)] = UInt8(truncatingIfNeeded: state >> 24)
      }
      let read = ReadCapture(of: bytes)
      #expect(read.lines.count <= 2_000, "seed \(seed)")
    }
  }
}

private enum CaptureLimits {
  static let window = 2 * (262_144 + 4_096)
}
