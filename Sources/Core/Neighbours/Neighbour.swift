/// What another gateway publishes of itself: in its retained `status`, and in its hellos.
package struct Neighbour: BitwiseCopyable, Sendable {
  package var name = Name()
  /// Which of its runs.
  package var boot = Text<16>()
  package var groups = GroupList()
  package var isOnline = false
  /// Not a goodbye but its will: the broker has lost it.
  package var isLost = false
  package var simulated = false
  /// In a status: the broker kept it. Its sender may have died since.
  package var isRetained = false
  /// In a hello: its number, and our highest number that it has received; zero when it has received none.
  package var sequence: UInt32 = 0
  package var echo: UInt32 = 0
  /// In a hello: a radio of its groups hears nobody, or may not.
  package var isDeaf = false
  /// In a hello: how long this run has lasted.
  package var uptime = Interval.zero
  /// In a hello: the installation id that it serves itself.
  package var servedID: UInt32?

  package init() {}
}

/// The groups in which a gateway's triggers compete.
package struct GroupList: BitwiseCopyable, Sendable, Equatable {
  private var names = Bounded<8, Name>(filledWith: Name())
  /// More groups than this holds, or none named: it competes everywhere.
  package var isEverything = false

  package init() {}

  package var isEmpty: Bool { names.isEmpty && !isEverything }
  package var indices: Range<Int> { names.indices }
  package subscript(index: Int) -> Name { names[index] }

  package mutating func append(_ name: Name) {
    if has(name) { return }
    if names.append(name) != nil { isEverything = true }
  }

  package mutating func append(_ others: borrowing GroupList) {
    if others.isEverything { isEverything = true }
    for index in others.indices { append(others[index]) }
  }

  package func has(_ name: Name) -> Bool {
    for index in names.indices where names[index] == name { return true }
    return isEverything
  }

  /// `pumps/doors`, or `*`.
  package mutating func read(_ list: RawSpan) {
    var start = 0
    for index in 0...list.byteCount where index == list.byteCount || list[index] == UInt8(ascii: "/") {
      let name = Name(list.extracting(start..<index))
      if name == Name("*") { isEverything = true } else if !name.isEmpty { append(name) }
      start = index + 1
    }
  }

  /// The same, written.
  package var text: Text<100> {
    var text = Text<100>()
    for index in names.indices {
      if index > 0 { text.append(byte: UInt8(ascii: "/")) }
      text.append(names[index])
    }
    return isEverything || text.overflowed ? Text("*") : text
  }

  package static func == (a: Self, b: Self) -> Bool {
    guard a.names.count == b.names.count, a.isEverything == b.isEverything else { return false }
    for index in a.names.indices where a.names[index] != b.names[index] { return false }
    return true
  }
}
