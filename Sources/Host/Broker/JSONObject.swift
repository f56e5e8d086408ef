import CJSON
import Core

/// A small untrusted JSON object: checked for size, depth and UTF-8 before cJSON parses it, then read member by member.
///
/// All that is unsafe about cJSON stays here.
@safe struct JSONObject: ~Copyable {
  /// Why a payload is no request.
  enum Refusal: Error {
    case tooLarge, tooDeep, notUTF8, malformed, notAnObject
    /// A member is missing, of another type, or outside its bounds.
    case member(StaticString)
    /// A text that must be there is not.
    case missing(StaticString)
    case unknownMember, repeatedMember
  }

  /// No honest request is longer than our own payloads.
  static let mostBytes = 1_024
  static let mostDepth = 4

  private let root: UnsafeMutablePointer<cJSON>

  init(_ text: RawSpan) throws(Refusal) {
    try Self.measure(text)
    var end: UnsafePointer<CChar>?
    // SAFETY: cJSON reads `count` bytes at most and says where it stopped, which is inside them or at their end.
    let parsed: (root: UnsafeMutablePointer<cJSON>?, length: Int) = unsafe text.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let root = unsafe cJSON_ParseWithLengthOpts(start, bytes.count, &end, 0)
      return unsafe (root, end.map { unsafe $0 - start! } ?? 0)
    }
    guard let root = unsafe parsed.root else { throw .malformed }
    // SAFETY: what is parsed is ours to keep or, when it is refused, to give back.
    var isWhole = true
    for index in unsafe min(parsed.length, text.byteCount)..<text.byteCount where !isSpace(text[index]) { isWhole = false }
    guard isWhole, unsafe cJSON_IsObject(root) != 0 else {
      unsafe cJSON_Delete(root)
      throw isWhole ? .notAnObject : .malformed
    }
    // SAFETY: ours from here to `deinit`.
    unsafe self.root = root
  }

  // SAFETY: nobody else has it.
  deinit { unsafe cJSON_Delete(root) }

  /// cJSON uses memory by length and stack by depth, and accepts any byte inside a string.
  private static func measure(_ text: RawSpan) throws(Refusal) {
    guard text.byteCount <= mostBytes else { throw .tooLarge }
    var depth = 0
    var isInString = false
    var index = 0
    let zero = Text<16>("u0000")
    while index < text.byteCount {
      let length = text.characterLength(at: index)
      guard length > 0 else { throw .notUTF8 }
      let byte = text[index]
      index += length
      if isInString {
        guard byte >= 0x20 else { throw .malformed }
        if byte == UInt8(ascii: "\\") {
          // cJSON's texts end at a zero: what follows one would pass unread.
          guard !text.extracting(index..<min(index + 5, text.byteCount)).equals(zero.bytes) else { throw .malformed }
          index += 1
        }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
        guard depth <= mostDepth else { throw .tooDeep }
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
      } else if byte == 0 {
        throw .malformed
      }
    }
  }

  // SAFETY: here and below an item is part of the tree that `root` holds, and lives as long; texts are copied at once.
  func has(_ name: StaticString) -> Bool { unsafe item(name) != nil }

  /// nil if the member is missing or `null`.
  func text<let capacity: Int>(_ name: StaticString) throws(Refusal) -> Text<capacity>? {
    guard let item = unsafe item(name), unsafe cJSON_IsNull(item) == 0 else { return nil }
    // SAFETY: as above.
    guard let words = unsafe cJSON_GetStringValue(item) else { throw .member(name) }
    var text = Text<capacity>()
    unsafe text.append(cString: words)
    guard !text.overflowed else { throw .member(name) }
    return text
  }

  /// `object`: the member that holds it, if not this object itself does.
  func number(_ name: StaticString, in object: StaticString? = nil, _ range: ClosedRange<Double>) throws(Refusal) -> Double? {
    // SAFETY: as above.
    guard let item = unsafe item(name, in: object), unsafe cJSON_IsNull(item) == 0 else { return nil }
    // SAFETY: as above.
    let value = unsafe cJSON_GetNumberValue(item)
    // NaN is in no range.
    guard unsafe cJSON_IsNumber(item) != 0, range.contains(value) else { throw .member(name) }
    return value
  }

  func boolean(_ name: StaticString) throws(Refusal) -> Bool? {
    // SAFETY: as above.
    guard let item = unsafe item(name), unsafe cJSON_IsNull(item) == 0 else { return nil }
    guard unsafe cJSON_IsBool(item) != 0 else { throw .member(name) }
    return unsafe cJSON_IsTrue(item) != 0
  }

  /// A misspelt member must not pass for a missing one. Nor may one come twice: cJSON finds the first and most readers the last, so that
  /// whoever checked the request before us may have seen another.
  func knowsOnly(_ isKnown: (Text<32>) -> Bool) throws(Refusal) {
    // SAFETY: as above; cJSON gives every member of an object its name.
    var next = unsafe root.pointee.child
    while let item = unsafe next {
      var name = Text<32>()
      unsafe name.append(cString: item.pointee.string)
      guard !name.overflowed, isKnown(name) else { throw .unknownMember }
      // SAFETY: the name is the item's own, and ends with a zero.
      guard unsafe cJSON_GetObjectItemCaseSensitive(root, item.pointee.string) == item else { throw .repeatedMember }
      unsafe next = item.pointee.next
    }
  }

  private func item(_ name: StaticString, in object: StaticString? = nil) -> UnsafeMutablePointer<cJSON>? {
    // SAFETY: cJSON finds nothing in what is missing or no object.
    let holder = if let object { unsafe item(object) } else { unsafe Optional(root) }
    // SAFETY: a literal ends with a zero.
    return unsafe cJSON_GetObjectItemCaseSensitive(holder, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
  }
}

func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
