import CTOML

/// From 1; columns count characters.
package struct Position: Comparable, Sendable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  init(_ position: toml_position) { self.init(line: Int(position.line), column: Int(position.column)) }

  package static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

/// A parsed TOML text. Every key and value knows its line and column.
@safe final class Document {
  private let handle: OpaquePointer
  private let nodes: UnsafePointer<toml_node>?
  private let count: Int

  init(reading text: [UInt8]) {
    // SAFETY: the span of the array is given with its own length; toml_read copies it.
    unsafe handle = text.withUnsafeBytes { unsafe toml_read($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    var count = 0
    unsafe nodes = toml_nodes(handle, &count)
    self.count = count
  }

  // SAFETY: `init` has opened it, nobody else has it.
  deinit { unsafe toml_close(handle) }

  /// The first syntax error; there is no tree then.
  var error: (at: Position, words: String)? {
    var at = toml_position()
    // SAFETY: the text is the document's own and terminated.
    guard let words = unsafe toml_error(handle, &at) else { return nil }
    return (Position(at), unsafe String(cString: words))
  }

  var root: Node? { count > 0 ? Node(self, 0) : nil }

  fileprivate subscript(index: Int) -> toml_node {
    precondition(index < count, "a node outside its document")
    // SAFETY: checked just above; the document owns the nodes and lives as long as they do.
    return unsafe nodes![index]
  }

  fileprivate static func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
    // SAFETY: start and length come as a pair from the document, which is alive; the bytes are copied.
    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
  }
}

/// A table, a list or a value, with its key if it has one.
// SAFETY: a node holds its document, and every use goes through the document's checked subscript.
struct Node {
  private let document: Document
  private let index: Int

  fileprivate init(_ document: Document, _ index: Int) {
    self.document = document
    self.index = index
  }

  var kind: toml_kind { unsafe document[index].kind }
  var at: Position { unsafe Position(document[index].at) }
  var keyAt: Position { unsafe Position(document[index].key_at) }
  var integer: Int64 { unsafe document[index].integer }
  var number: Double { unsafe document[index].number }
  var count: Int { unsafe Int(document[index].count) }
  var key: String { unsafe Document.text(document[index].key, document[index].key_length) }
  /// A string's content; any other value as written.
  var text: String { unsafe Document.text(document[index].text, document[index].text_length) }

  subscript(place: Int) -> Node {
    precondition(place < count, "a member outside its table")
    return unsafe Node(document, Int(document[index].first) + place)
  }

  subscript(key: String) -> Node? {
    for place in 0..<count where same(self[place].key, key) { return self[place] }
    return nil
  }

  /// What kind of value it is, in words.
  var article: StaticString {
    switch kind {
    case TOML_TABLE: "a table"
    case TOML_ARRAY: "a list"
    case TOML_STRING: "a string"
    case TOML_INTEGER: "a whole number"
    case TOML_FLOAT: "a number"
    case TOML_BOOLEAN: "true or false"
    default: "a date or a time"
    }
  }
}
