import CTOML

/// One table while it is read. Reading a key makes it known; `close` reports all others as unknown.
struct Section {
  let node: Node
  private(set) var title: String
  let reading: Findings
  /// What its header says; empty for the file.
  private let header: String
  private var known: [String] = []
  /// Some of the known are no tables.
  private var hasKeys = false

  init(_ node: Node, _ title: String, _ reading: Findings, header: String? = nil) {
    self.node = node
    self.title = title
    self.reading = reading
    self.header = header ?? title
  }

  mutating func value(_ key: String) -> Node? {
    hasKeys = true
    return member(key)
  }

  private mutating func member(_ key: String) -> Node? {
    known.append(key)
    return node[key]
  }

  /// Reads one table completely, if it is there.
  mutating func table(_ key: String, _ read: (inout Section) -> Void) {
    guard let table = member(key) else { return }
    guard table.kind == TOML_TABLE else {
      return reading.record(.error, at: table.keyAt, title, "\(key) is one table: write [\(header(of: key))]")
    }
    var section = Section(table, path(to: key), reading, header: header(of: key))
    read(&section)
    section.close()
  }

  /// Reads every table of a list. Messages call each by the value of its `naming` key, or else by its number.
  mutating func tables(_ key: String, atMost most: Int, namedBy naming: String = "name", _ read: (inout Section) -> Void) {
    guard let list = member(key) else { return }
    let path = path(to: key)
    guard list.kind == TOML_ARRAY else {
      return reading.record(.error, at: list.keyAt, title, "\(key) is a list of tables: write [[\(header(of: key))]] above each")
    }
    for place in 0..<list.count {
      let member = list[place]
      guard member.kind == TOML_TABLE else {
        reading.record(.error, at: member.at, path, "must be a table, not \(member.article)")
        continue
      }
      if place == most { reading.record(.error, at: member.at, path, "there are \(list.count) of them; at most \(most) are possible") }
      guard place < most else { return }
      var name = "\(path) \(place + 1)"
      if let named = member[naming], named.kind == TOML_STRING { name = "\(path) \"\(withoutKey(named.text))\"" }
      var section = Section(member, name, reading, header: header(of: key))
      read(&section)
      section.close()
    }
  }

  /// The place of the first of these keys that the table has, else of the table.
  func place(of keys: [String]) -> Position {
    for key in keys { if let value = node[key] { return value.keyAt } }
    return node.at
  }

  func fault(_ key: String, _ words: String, isPassing: Bool = false) {
    reading.record(.error, at: place(of: [key]), title, "\(key) \(words)", isPassing: isPassing)
  }
  func fault(at position: Position, _ words: String) { reading.record(.error, at: position, title, words) }
  func warning(_ key: String, _ words: String) { reading.record(.warning, at: place(of: [key]), title, "\(key) \(words)") }

  private func path(to key: String) -> String { title.isEmpty ? key : title + "." + key }
  private func header(of key: String) -> String { header.isEmpty ? key : header + "." + key }

  mutating func close() {
    if reading.keysOfFirst.isEmpty { reading.keysOfFirst = known }
    for place in 0..<node.count {
      let member = node[place]
      let key = member.key
      if known.contains(where: { same($0, key) }) { continue }
      let isTable = member.kind == TOML_TABLE || (member.kind == TOML_ARRAY && member.count > 0 && member[0].kind == TOML_TABLE)
      var words = "unknown \(isTable ? "table" : "key") \"\(printable(key))\""
      let isAbove = !isTable && !hasKeys && header.isEmpty
      if isAbove { words += " above all tables" }
      if !isTable, let home = reading.home(of: key) {
        words += ": write it below \(home)"
      } else {
        if isAbove { words += ": write it below its [table]" }
        words += suggestion(for: key, among: known).map { "; did you mean \"\($0)\"?" } ?? "; known here: " + listed(known, with: "and")
      }
      reading.record(.error, at: member.keyAt, title, words)
    }
  }
}

/// `printable`, for a text where somebody may have put a key in place of its alias: a possible key is not printed.
func withoutKey(_ text: String) -> String {
  var (rest, before) = (text, "")
  for prefix in ["irk:", "eid:", "0x", "0X"] {
    guard let behind = rest.rest(after: prefix) else { continue }
    (rest, before) = (behind, before + prefix)
  }
  let isUUID = rest.utf8.count == 36 && rest.bytes.dropFirst(8).first == UInt8(ascii: "-")
  guard !isUUID, let bytes = hexBytes(rest.bytes), bytes.count >= 16 else { return printable(text) }
  return before + "…"
}

/// A user's text for a message: short, and without control characters.
func printable(_ text: String) -> String {
  var bytes: [UInt8] = []
  for character in text.unicodeScalars {
    if bytes.count >= 60 { return String(decoding: bytes, as: UTF8.self) + "…" }
    switch character.value {
    case 0..<0x20, 0x7F...0x9F: bytes.append(UInt8(ascii: "?"))
    default: bytes.append(contentsOf: Unicode.UTF8.encode(character)!)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
