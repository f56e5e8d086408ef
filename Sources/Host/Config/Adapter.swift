import Core

/// Where HCI packets come from: a radio, a capture, or a simulation.
package enum Adapter {
  package enum Mode {
    /// Only for us (HCI_CHANNEL_USER).
    case user
    /// Shared with bluetoothd (HCI_CHANNEL_RAW).
    case raw
  }

  case hci(KernelAdapter, mode: Mode)
  case h4(path: String, baud: Int)
  case tcp(host: String, port: UInt16)
  case unix(path: String)
  case capture(file: String)
  case simulate(scenario: String)

  /// Its events carry `"simulated":true`: nobody may authorise a pump on them.
  package var isRehearsal: Bool {
    switch self {
    case .capture, .simulate: true
    case .hci, .h4, .tcp, .unix: false
    }
  }

  /// Whether both name one adapter, at whatever speed. A number and an address may: the kernel knows.
  func isSame(as other: Adapter) -> Bool {
    if case .h4(let device, _) = self, case .h4(let otherDevice, _) = other { return same(device, otherDevice) }
    guard case .hci(let name, _) = self, case .hci(let otherName, _) = other else { return same(written, other.written) }
    return name == otherName || name.address != nil && name.address == otherName.address
  }

  package static let liveForms: [String] = ["hciN", "AA:BB:CC:DD:EE:FF", "h4:DEVICE@BAUD", "tcp:HOST:PORT", "unix:PATH"]
  package static let forms: [String] = liveForms + ["capture:FILE", "simulate:SCENARIO"]

  /// The default of Zephyr's UART controllers.
  package static let standardBaud = 1_000_000
  private static let bauds = [
    9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600, 1_000_000, 1_152_000, 1_500_000, 2_000_000,
    2_500_000, 3_000_000, 3_500_000, 4_000_000,
  ]

  package struct Refusal: Error {
    package let words: String
  }

  /// `resolve` turns a written path into one that can be opened.
  package init(written text: String, mode: Mode, resolve: (String) -> String) throws(Refusal) {
    if text.bytes.contains(0) { throw Refusal(words: "must not contain a zero byte") }
    if let index = Self.digits(text, after: "hci"), index <= 255 {
      self = .hci(.number(UInt16(index)), mode: mode)
    } else if let address = Address(written: text) {
      if !address.isDistinctive { throw Refusal(words: "is the address of no adapter") }
      self = .hci(.address(address), mode: mode)
    } else if isAddress(Array(text.utf8)) {
      let colons = text.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: ":") : $0 }
      throw Refusal(words: "must be written with colons: \"\(String(decoding: colons, as: UTF8.self))\"")
    } else if let rest = text.rest(after: "h4:") {
      self = try Self.serial(rest, resolve)
    } else if let rest = text.rest(after: "tcp:") {
      self = try Self.network(rest)
    } else if let path = text.rest(after: "unix:") {
      self = .unix(path: resolve(path))
    } else if let path = text.rest(after: "capture:") {
      self = .capture(file: resolve(path))
    } else if let path = text.rest(after: "simulate:") {
      self = .simulate(scenario: resolve(path))
    } else {
      throw Refusal(words: "must be " + listed(Self.forms.map { "\"\($0)\"" }, with: "or"))
    }
  }

  private static func digits(_ text: String, after prefix: String) -> Int? {
    guard let rest = text.rest(after: prefix) else { return nil }
    return decimal(rest)
  }

  private static func serial(_ text: String, _ resolve: (String) -> String) throws(Refusal) -> Adapter {
    guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")), let baud = decimal(String(text[text.utf8.index(after: at)...])) else {
      return .h4(path: resolve(text), baud: standardBaud)
    }
    guard bauds.contains(baud) else {
      throw Refusal(words: "has a speed that serial lines do not have; usual are 115200, 921600 and 1000000")
    }
    return .h4(path: resolve(String(text[..<at])), baud: baud)
  }

  private static func network(_ text: String) throws(Refusal) -> Adapter {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
      throw Refusal(words: "needs a host and a port: \"tcp:HOST:PORT\"")
    }
    guard let port = decimal(String(text[text.utf8.index(after: colon)...])), port > 0, port <= 65_535 else {
      throw Refusal(words: "needs a port from 1 to 65535 behind the last colon")
    }
    var host = String(text[..<colon])
    if host.bytes.contains(UInt8(ascii: "@")) { throw Refusal(words: "must name only a host: a tcp: adapter has no login") }
    if let inner = host.rest(after: "["), inner.utf8.last == UInt8(ascii: "]") {
      host = String(inner[..<inner.utf8.index(before: inner.endIndex)])
    }
    return .tcp(host: host, port: UInt16(port))
  }
}

/// At most nine digits, and nothing else.
package func decimal(_ text: String) -> Int? {
  guard !text.utf8.isEmpty, text.utf8.count <= 9 else { return nil }
  var value = 0
  for byte in text.utf8 {
    guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
    value = value * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return value
}

extension String {
  /// What follows a prefix; nil when it is not there or nothing follows.
  package func rest(after prefix: String) -> String? {
    guard utf8.count > prefix.utf8.count, bytes.starts(with: prefix.bytes) else { return nil }
    return String(self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...])
  }
}
