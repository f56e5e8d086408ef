/// Arrow keys arrive as three bytes, ESC [ A; they mean k and j here.
struct KeySequence {
  private enum State { case plain, escape, bracket }
  private var state = State.plain

  /// nil while a sequence is incomplete, or means nothing.
  mutating func key(_ byte: UInt8) -> UInt8? {
    let before = state
    state = .plain
    switch (before, byte) {
    case (_, 0x1B):
      state = .escape
      return nil
    case (.escape, UInt8(ascii: "[")), (.escape, UInt8(ascii: "O")):
      state = .bracket
      return nil
    case (.bracket, UInt8(ascii: "A")): return UInt8(ascii: "k")
    case (.bracket, UInt8(ascii: "B")): return UInt8(ascii: "j")
    case (.bracket, _): return nil
    default: return byte
    }
  }
}
