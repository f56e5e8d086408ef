import Core
import Foundation

@testable import Host

/// The shortest configuration there is.
let shortest = "gateway.purpose = \"heard by arrangement\"\n"

func source(_ text: String, scope: ConfigurationText.Scope = .whole) -> ConfigurationText {
  ConfigurationText(name: "config.toml", text: Array(text.utf8), scope: scope)
}

/// Everything that a reading finds, as it is printed.
func findings(_ text: String, scope: ConfigurationText.Scope = .whole) -> [String] {
  found(source(text, scope: scope)).map { $0.line(in: "config.toml") }
}

func found(_ source: ConfigurationText) -> [Finding] {
  do throws(Configuration.Refusal) {
    return try Configuration(reading: source).warnings
  } catch {
    return error.findings
  }
}

/// The resulting configuration as text: equal texts are equal configurations.
func inForce(_ text: String) throws -> String { describe(try Configuration(reading: source(text))) }

func describe(_ configuration: borrowing Configuration) -> String {
  var lines: [String] = []
  func list<let count: Int, Element>(_ name: String, _ elements: Bounded<count, Element>) {
    for index in elements.indices { lines.append("\(name) \(index): \(elements[index])") }
  }
  lines.append("gateway: \(configuration.core.gateway)")
  list("radio", configuration.core.radios)
  lines.append("calibration: \(configuration.core.calibration.pathLossExponent) \(configuration.core.calibration.measuredPower)")
  list("calibration", configuration.core.calibration.devices)
  lines.append("average: \(configuration.core.average)")
  lines.append("zones: \(configuration.core.zones)")
  lines.append("ranging: \(configuration.core.ranging)")
  list("device", configuration.core.deviceNames)
  list("region", configuration.core.regions)
  list("trigger", configuration.core.triggers)
  list("key", configuration.core.keys)
  lines.append("peer: \(configuration.core.peer)")
  list("transmission", configuration.core.transmissions)
  lines.append("publish: \(configuration.core.publish)")
  list("selector", configuration.core.selectors)
  list("service", configuration.core.services)
  lines.append("host: \(configuration.host)")
  return lines.joined(separator: "\n")
}

extension Text: CustomStringConvertible {
  public var description: String { "\"\(String(self))\"" }
}

extension Identity: CustomStringConvertible {
  public var description: String { "\(kind) " + (0..<Int(length)).map { String(bytes[$0], radix: 16) }.joined(separator: " ") }
}

/// The repository's top, found from this file.
let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

/// The manual, line by line: keys that are set, and keys in comments.
struct Manual {
  enum Line: Equatable {
    case header(String)
    case key(String)
    case other
  }
  enum Mark { case active, standard, example }

  struct Entry {
    let index: Int
    let line: Line
    let mark: Mark
    /// Without its mark.
    let text: String
  }

  let lines: [String]
  let entries: [Entry]

  init() throws {
    let text = try String(contentsOf: repository.appending(path: "config.toml"), encoding: .utf8)
    lines = text.components(separatedBy: "\n")
    entries = lines.enumerated().compactMap { index, line in
      for (prefix, mark) in [("#: ", Mark.example), ("# ", .standard), ("", .active)] where line.hasPrefix(prefix) {
        let text = String(line.dropFirst(prefix.count))
        let line = Self.kind(text)
        if line != .other { return Entry(index: index, line: line, mark: mark, text: text) }
      }
      return nil
    }
  }

  private static func kind(_ text: String) -> Line {
    if let match = text.firstMatch(of: /^\[\[?([a-z_.]+)\]\]?$/) { return .header(String(match.1)) }
    if let match = text.firstMatch(of: /^([a-z_]+) = [^=]+$/) { return .key(String(match.1)) }
    return .other
  }

  /// The file with the lines of these entries brought to life.
  func text(enabling enabled: [Entry]) -> String {
    var lines = lines
    for entry in enabled { lines[entry.index] = entry.text }
    return lines.joined(separator: "\n")
  }

  /// The lines of the table around a key, if that table is only an example.
  func example(around entry: Entry) -> [Entry] {
    let isHeader = { (entry: Entry) in if case .header = entry.line { true } else { false } }
    guard let place = entries.firstIndex(where: { $0.index == entry.index }), let start = entries[..<place].lastIndex(where: isHeader)
    else { return [] }
    let end = entries[place...].firstIndex(where: isHeader) ?? entries.endIndex
    return entries[start].mark == .example ? entries[start..<end].filter { $0.mark == .example } : []
  }

  /// `trigger.fire_m`, of whatever stands in the file under whatever mark.
  var keys: Set<String> {
    var table = ""
    var keys: Set<String> = []
    for entry in entries {
      switch entry.line {
      case .header(let name): table = name
      case .key(let key): keys.insert(table + "." + key)
      case .other: break
      }
    }
    return keys
  }

  var tables: [String] {
    entries.compactMap { entry in
      if case .header(let name) = entry.line { name } else { nil }
    }
  }
}

/// Every key the code knows, by table: an unknown one makes it tell.
func keysOfTheCode(in tables: some Sequence<String>) -> Set<String> {
  var keys: Set<String> = []
  for table in tables {
    for header in ["[\(table)]", "[[\(table)]]"] {
      for line in findings(header + "\nzzzzzzzzzzzzzzzzzzzzzzzz = 1\n") {
        guard let match = line.firstMatch(of: /unknown key "z+"; known here: (.*)$/) else { continue }
        for key in match.1.replacingOccurrences(of: " and ", with: ", ").components(separatedBy: ", ") { keys.insert(table + "." + key) }
      }
    }
  }
  return keys
}
