import Foundation
import Seeds
import Testing

@testable import Host

@Suite("any text gets a configuration, or errors that point into it")
struct ConfigurationMutations {
  /// config.toml with all its keys alive and without its comments, so that every change hits something.
  private static let manual: [UInt8] = {
    guard let manual = try? Manual() else { return [] }
    let lines = manual.text(enabling: manual.entries).components(separatedBy: "\n")
    return Array(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.joined(separator: "\n").utf8)
  }()

  @Test("ten thousand mutations of config.toml", arguments: 0..<10) func mutations(_ part: Int) {
    #expect(Self.manual.count > 2_500)
    for seed in part * 1_000..<(part + 1) * 1_000 {
      var random = Seeded(UInt64(seed))
      var text = Self.manual
      for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&text, &random) }
      let found = found(ConfigurationText(name: "config.toml", text: text, scope: .hearing))
      guard !found.isEmpty else { continue }
      let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
      let misplaced = found.filter { !Self.isInside($0.at, lines) }
      #expect(misplaced.isEmpty, "seed \(seed): \(misplaced.map { $0.line(in: "config.toml") })")
    }
  }

  private static let pieces = [
    "[", "]", "[[", "]]", "\"", "=", ".", ",", "#", "\n", "{", "}", "'", "\"\"\"", "-", "1e999", "nan", "\\u", "é", "\0", "\u{FEFF}",
  ]

  private static func mutate(_ text: inout [UInt8], _ random: inout Seeded) {
    let place = Int.random(in: 0..<max(text.count, 1), using: &random)
    let end = min(text.count, place + Int.random(in: 0...40, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: if place < text.count { text[place] = UInt8.random(in: 0...255, using: &random) }
    case 1: text.removeSubrange(min(place, text.count)..<end)
    case 2: text.insert(contentsOf: text[min(place, text.count)..<end], at: Int.random(in: 0...text.count, using: &random))
    case 3: text.insert(contentsOf: Array(pieces.randomElement(using: &random)!.utf8), at: min(place, text.count))
    case 4: text.removeSubrange(min(place, text.count)...)
    case 5: swapLines(&text, &random)
    default: if place < text.count { text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    }
  }

  private static func swapLines(_ text: inout [UInt8], _ random: inout Seeded) {
    var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    lines.swapAt(Int.random(in: lines.indices, using: &random), Int.random(in: lines.indices, using: &random))
    text = Array(lines.joined(separator: [0x0A]))
  }

  /// One place behind a line's last character is inside: that is where its end is missed.
  private static func isInside(_ at: Position, _ lines: [ArraySlice<UInt8>]) -> Bool {
    guard at.line >= 1, at.line <= lines.count, at.column >= 1 else { return false }
    return at.column <= lines[at.line - 1].filter { $0 & 0xC0 != 0x80 }.count + 1
  }
}
