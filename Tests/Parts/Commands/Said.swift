import Foundation
import Testing

/// A whole output as it is kept in `Said/NAME.txt` beside this. With FORECOURT_ACCEPT in the environment it is kept anew: read the difference
/// before you commit it.
struct Said {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Said")
  private let place: URL

  init(_ name: String) { place = Self.folder.appending(path: name + ".txt") }

  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var told = text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.withoutEnd)
    while told.last == "" { told.removeLast() }
    if ProcessInfo.processInfo.environment["FORECOURT_ACCEPT"] != nil {
      try (told.joined(separator: "\n") + "\n").write(to: place, atomically: true, encoding: .utf8)
    }
    var kept = try String(contentsOf: place, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if kept.last == "" { kept.removeLast() }
    for number in 0..<max(told.count, kept.count) {
      let (new, old) = (number < told.count ? told[number] : "(nothing)", number < kept.count ? kept[number] : "(nothing)")
      #expect(new == old, "line \(number + 1) of \(place.lastPathComponent)", sourceLocation: sourceLocation)
      if new != old { return }
    }
  }

  /// No file here has spaces at the end of a line.
  private static func withoutEnd(_ line: Substring) -> String {
    let spaces = line.reversed().prefix { $0 == " " }.count
    return line.dropLast(spaces) + (spaces > 0 ? "\u{2420}\(spaces)" : "")
  }
}
