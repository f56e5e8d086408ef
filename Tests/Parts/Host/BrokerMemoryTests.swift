import Foundation
import Testing

@testable import Host

/// What of OpenSSL is in memory, in kilobytes. A handshake brings megabytes of it there.
private struct Pages {
  private let places: [Range<UInt>]

  init() throws {
    let lines = try Self.lines(of: "/proc/self/maps")
    places = lines.filter { $0.contains("libcrypto") && ($0.contains(" r--p ") || $0.contains(" r-xp ")) }.compactMap { line in
      let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
      return ends.count == 2 ? ends[0]..<ends[1] : nil
    }
  }

  /// The kernel says of such a file that it is empty.
  private static func lines(of path: String) throws -> [Substring] {
    let bytes = try FileHandle(forReadingFrom: URL(filePath: path)).readToEnd() ?? Data()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  func touch() -> Int {
    var sum = 0
    for place in places {
      for address in stride(from: place.lowerBound, to: place.upperBound, by: 4_096) {
        sum += Int(UnsafePointer<UInt8>(bitPattern: address)!.pointee)
      }
    }
    return sum
  }

  func resident() -> Int {
    var (sum, isOurs) = (0, false)
    for line in (try? Self.lines(of: "/proc/self/smaps")) ?? [] {
      let words = line.split(separator: " ")
      if words.count >= 5, words[0].contains("-") {
        isOurs = places.contains { words[0] == String($0.lowerBound, radix: 16) + "-" + String($0.upperBound, radix: 16) }
      } else if isOurs, words[0] == "Rss:" {
        sum += Int(words[1]) ?? 0
      }
    }
    return sum
  }
}

@Suite("what a handshake leaves in memory", .serialized) struct BrokerMemoryTests {
  @Test("the pages of OpenSSL are given back once the broker has greeted us, and when no connection is made") func released() throws {
    // Another test may bring them back at the same moment.
    for attempt in 1...10 { if try areReleased(mustBe: attempt == 10) { return } }
  }

  private func areReleased(mustBe: Bool) throws -> Bool {
    let pages = try Pages()
    let talk = Talk()
    // Another test's greeting may give them back at the same moment.
    var full = 0
    for _ in 0..<100 where full <= 1_000 {
      _ = pages.touch()
      full = pages.resident()
    }
    #expect(full > 1_000, "that many kilobytes are there to be given back")
    talk.start()
    talk.online()
    var isGone = (greeting: false, loss: false)
    for _ in 0..<300 where !isGone.greeting {
      isGone.greeting = pages.resident() < full / 2
      usleep(2_000)
    }
    talk.broker.answer { $0.greeting = nil }
    _ = pages.touch()
    talk.broker.drop()
    for _ in 0..<300 where !isGone.loss {
      isGone.loss = pages.resident() < full / 2
      usleep(2_000)
    }
    talk.broker.drop()
    talk.stop()
    if mustBe { #expect(isGone == (true, true)) }
    return isGone == (true, true)
  }
}
