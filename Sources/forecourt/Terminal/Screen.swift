import CLinux
import Host

/// The live table's terminal screen; the terminal is restored when this ends, however the program ends.
struct Screen: ~Copyable {
  private let out: Output
  private let isUTF8 = Self.showsUTF8
  let colours: Colours
  let isTyped: Bool

  init(_ out: Output) {
    self.out = out
    // no-color.org: any value means no colours.
    colours = Colours(areShown: environment("NO_COLOR") == nil)
    out.flush()
    linux_screen_start()
    isTyped = linux_screen_has_keys() != 0
  }

  deinit { linux_screen_end() }

  var size: (columns: Int, rows: Int) { Self.terminalSize }

  /// As the locale says: the first of these that is set decides, and without any it is C.
  private static var showsUTF8: Bool {
    guard let locale = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") else { return false }
    let lower = String(decoding: locale.bytes.map { $0 | 0x20 }, as: UTF8.self)
    return contains(lower, "utf-8") || contains(lower, "utf8")
  }

  static var terminalSize: (columns: Int, rows: Int) {
    var columns: CInt = 80
    var rows: CInt = 24
    // SAFETY: two numbers that are ours.
    if unsafe linux_screen_size(&columns, &rows) != 0 { return (80, 24) }
    return (max(Int(columns), 20), max(Int(rows), 4))
  }

  func show(_ lines: [String]) {
    var frame = "\u{1B}[H"
    for (index, line) in lines.enumerated() { frame += (index > 0 ? "\r\n" : "") + line + "\u{1B}[K" }
    frame += "\u{1B}[J"
    out.write(isUTF8 ? frame : frame.plain)
    out.flush()
  }
}

/// What a text may look like on the screen.
struct Colours {
  enum Colour {
    case bold, faint, green, yellow, inverse

    fileprivate var code: StaticString {
      switch self {
      case .bold: "1"
      case .faint: "2"
      case .green: "32"
      case .yellow: "33"
      case .inverse: "7"
      }
    }
  }

  let areShown: Bool

  func painted(_ text: String, _ colour: Colour) -> String { areShown ? "\u{1B}[\(colour.code)m\(text)\u{1B}[0m" : text }
}
