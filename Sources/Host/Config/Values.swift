import CTOML
import Core

// Reading one value: its type, its range, and the message if either is wrong. A wrong value leaves the default.

extension Section {
  /// A key and its value for a message: `leave_m (1.0)`, or with the default if the file has none.
  func quoted(_ key: String, else standard: Float) -> String {
    guard let value = node[key] else { return "\(key) (\(String(number: Double(standard))), the default)" }
    return "\(key) (\(printable(value.text)))"
  }

  private func wrong(_ key: String, _ value: Node, _ wanted: String, _ right: [UInt8]? = nil) {
    let advice = right.flatMap { Assignment(key, $0)?.advice($0) }
    reading.forgetForm(ofValueBehind: value.keyAt)
    fault(key, "must be \(wanted), not \(value.article)" + (advice.map { ": write " + $0 } ?? ""))
  }

  /// The number that stands in quotation marks.
  private func number(in value: Node, of key: String) -> [UInt8]? {
    guard value.kind == TOML_STRING else { return nil }
    return RightNumber(Array(value.text.utf8), Assignment(key, [])?.unit, isCount: true)?.bytes
  }

  /// A single value between quotation marks.
  private func text(of value: Node) -> [UInt8]? {
    guard value.kind != TOML_TABLE, value.kind != TOML_ARRAY else { return nil }
    return Array("\"".utf8) + (reading.word(behind: value.keyAt) ?? Array(value.text.utf8)) + Array("\"".utf8)
  }

  private func truth(of value: Node) -> [UInt8]? {
    for word in ["true", "yes", "on", "1"] where same(value.text, word) { return Array("true".utf8) }
    for word in ["false", "no", "off", "0"] where same(value.text, word) { return Array("false".utf8) }
    return nil
  }

  mutating func number(_ key: String, _ range: ClosedRange<Double>, whole: Bool = false) -> Double? {
    guard let value = value(key) else { return nil }
    guard value.kind == TOML_INTEGER || (!whole && value.kind == TOML_FLOAT) else {
      if value.kind == TOML_FLOAT {
        fault(key, "(\(printable(value.text))) must be a whole number")
      } else {
        wrong(key, value, whole ? "a whole number" : "a number", number(in: value, of: key))
      }
      return nil
    }
    guard range.contains(value.number) else {
      let least = String(number: range.lowerBound)
      let most = String(number: range.upperBound)
      // A level is negative: 59 was read on a beacon's label.
      let isLevel = ends(key, with: "_dbm") && range.contains(-value.number)
      let words = "(\(printable(value.text))) must lie between \(least) and \(most)"
      fault(key, words + (isLevel ? "; did you mean \(String(number: -value.number))?" : ""))
      return nil
    }
    return value.number
  }

  mutating func read(_ key: String, _ value: inout Int, _ range: ClosedRange<Int>) {
    if let number = number(key, Double(range.lowerBound)...Double(range.upperBound), whole: true) { value = Int(number) }
  }

  mutating func read(_ key: String, _ value: inout Float, _ range: ClosedRange<Double>) {
    if let number = number(key, range) { value = Float(number) }
  }

  mutating func read(_ key: String, _ value: inout Decibels, _ range: ClosedRange<Double>) { read(key, &value.value, range) }
  mutating func read(_ key: String, _ value: inout Meters, _ range: ClosedRange<Double>) { read(key, &value.value, range) }

  mutating func read(_ key: String, seconds value: inout Interval, _ range: ClosedRange<Double>) {
    if let number = number(key, range) { value = .seconds(number) }
  }

  mutating func read(_ key: String, milliseconds value: inout Interval, _ range: ClosedRange<Double>) {
    if let number = number(key, range) { value = .seconds(number / 1_000) }
  }

  mutating func read(_ key: String, _ value: inout Bool) {
    guard let node = self.value(key) else { return }
    guard node.kind == TOML_BOOLEAN else { return wrong(key, node, "true or false", truth(of: node)) }
    value = node.integer != 0
  }

  mutating func string(_ key: String) -> String? {
    guard let value = value(key) else { return nil }
    guard value.kind == TOML_STRING else {
      wrong(key, value, "a string", text(of: value))
      return nil
    }
    return value.text
  }

  /// Cut, a text would mean something else.
  func mustFit(_ key: String, _ count: Int, _ most: Int) {
    if count > most { fault(key, "is longer than \(most) bytes") }
  }

  mutating func read<Choice>(_ key: String, _ value: inout Choice, oneOf choices: [(word: String, choice: Choice)]) {
    if let place = choice(key, among: choices.map { $0.word }) { value = choices[place].choice }
  }

  /// Which of the words it has. What is no text would be none of them in quotation marks either.
  private mutating func choice(_ key: String, among words: [String]) -> Int? {
    guard let value = value(key) else { return nil }
    let wanted = listed(words.map { "\"\($0)\"" }, with: "or")
    guard value.kind == TOML_STRING else {
      wrong(key, value, wanted)
      return nil
    }
    if let place = words.firstIndex(where: { same($0, value.text) }) { return place }
    fault(key, "(\"\(printable(value.text))\") must be " + wanted)
    return nil
  }

  /// One level of a topic: sites, gateways, radios, regions, triggers, groups.
  mutating func read(_ key: String, _ value: inout Name) {
    guard let text = string(key) else { return }
    if let words = faultOfName(text) { return fault(key, "(\"\(withoutKey(text))\") " + words) }
    value = Name(text)
  }

  /// A name that must be there.
  mutating func name(_ key: String = "name") -> Name {
    var name = Name()
    read(key, &name)
    if node[key] == nil { fault(at: node.at, "\(key) is missing") }
    return name
  }

  /// The members of a list of strings; a single string is a list of one.
  mutating func strings(_ key: String) -> [Node]? {
    guard let value = value(key) else { return nil }
    if value.kind == TOML_STRING { return [value] }
    guard value.kind == TOML_ARRAY else {
      wrong(key, value, "a list of strings")
      return nil
    }
    var strings: [Node] = []
    for place in 0..<value.count {
      if value[place].kind == TOML_STRING {
        strings.append(value[place])
      } else {
        fault(at: value[place].at, "\(key) must be a list of strings; here is \(value[place].article)")
      }
    }
    // Nothing is left to be judged.
    return strings.isEmpty && value.count > 0 ? nil : strings
  }
}

/// Why a text cannot be a name. Names become levels of topics and parts of identities.
func faultOfName(_ text: String) -> String? {
  if text.utf8.isEmpty { return "must not be empty" }
  if text.utf8.count > Name.capacity { return "is longer than \(Name.capacity) bytes" }
  for character in text.unicodeScalars {
    switch character.value {
    case 0x2F, 0x2B, 0x23, 0x2A: return "must not contain / + # or *, which mean something in topics and selectors"
    // A broker may refuse these: MQTT 3.1.1 and 5, 1.5.4.
    case 0..<0x20, 0x7F...0x9F: return "must not contain control characters"
    case 0xFDD0...0xFDEF: return "must not contain what Unicode calls no character"
    case let value where value & 0xFFFE == 0xFFFE: return "must not contain what Unicode calls no character"
    default: break
    }
  }
  return nil
}
