/// The attributes this gateway serves, and its answers to requests. Core 6.0, Vol 3, Part F, 3.4 and Part G, 2 to 4.
///
/// The mandatory Generic Access with name and appearance; the static service; the service whose last 32 bits are our id.
/// Nothing here can be written, and nothing needs encryption.
struct AttributeTable: BitwiseCopyable, Sendable {
  private struct Attribute: BitwiseCopyable, Sendable {
    var type: UInt16 = 0
    /// For a service its last handle, else zero.
    var end: UInt16 = 0
    var value = Text<32>()
  }

  private var attributes = Bounded<8, Attribute>(filledWith: Attribute())

  /// An empty table: a mere central serves nothing.
  init() {}

  @_optimize(size)
  init(_ settings: PeerSettings, name: Name) {
    add(Att.primaryService, end: 5) { $0.append(little: 0x1800, bytes: 2) }
    addCharacteristic(0x2A00, at: 3) { $0.append(name) }
    // Appearance: unknown.
    addCharacteristic(0x2A01, at: 5) { $0.append(little: 0, bytes: 2) }
    add(Att.primaryService, end: 6) { $0.append(onAir: settings.service) }
    var own = settings.idPrefix
    own.low = own.low & 0xFFFF_FFFF_0000_0000 | UInt64(settings.ownID)
    add(Att.primaryService, end: 7) { $0.append(onAir: own) }
  }

  private mutating func add(_ type: UInt16, end: UInt16 = 0, _ value: (inout Text<32>) -> Void) {
    var attribute = Attribute()
    (attribute.type, attribute.end) = (type, end)
    value(&attribute.value)
    _ = attributes.append(attribute)
  }

  private mutating func addCharacteristic(_ type: UInt16, at handle: UInt16, _ value: (inout Text<32>) -> Void) {
    add(Att.characteristic) { declaration in
      declaration.append(byte: 0x02)
      declaration.append(little: UInt64(handle), bytes: 2)
      declaration.append(little: UInt64(type), bytes: 2)
    }
    add(type, value)
  }

  // MARK: Answers

  /// The answer to a request, within the MTU of both sides, which it may settle.
  func answer(_ request: RawSpan, within mtu: inout Int) -> AttPDU {
    let answer = answer(request, mtu: mtu)
    if request[0] == Att.exchangeMTU && answer[0] == Att.exchangeMTU + 1 { mtu = Att.settledMTU(request) }
    return answer
  }

  func answer(_ request: RawSpan, mtu: Int) -> AttPDU {
    var answer = AttPDU()
    do throws(AttError) {
      try write(request, min(mtu, AttPDU.capacity), &answer)
    } catch {
      answer = AttPDU()
      answer.append(byte: Att.error)
      answer.append(byte: request[0])
      answer.append(little: UInt64(error.handle), bytes: 2)
      answer.append(byte: error.code)
    }
    return answer
  }

  private func write(_ request: RawSpan, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    let count = request.byteCount
    switch request[0] {
    case Att.exchangeMTU:
      guard count == 3 else { throw AttError(Att.invalidPDU) }
      answer.append(byte: Att.exchangeMTU + 1)
      answer.append(little: UInt64(Att.mtu), bytes: 2)
    case Att.findInformation: try information(try range(request, count == 5), most, &answer)
    case Att.findByTypeValue: try find(request, try range(request, count >= 7), most, &answer)
    case Att.readByType: try values(request, try range(request, count == 7 || count == 21), most, &answer)
    case Att.readByGroupType: try groups(request, try range(request, count == 7 || count == 21), most, &answer)
    case Att.read:
      answer.append(byte: Att.read + 1)
      try read(try known(request, count == 3), from: 0, most, &answer)
    case Att.readBlob:
      let handle = try known(request, count == 5)
      answer.append(byte: Att.readBlob + 1)
      try read(handle, from: Int(request.little16(at: 3)), most, &answer)
    case Att.write: throw AttError(Att.writeNotPermitted, UInt16(try known(request, count >= 3)))
    default: throw AttError(Att.notSupported)
    }
  }

  private struct AttError: Error {
    let code: UInt8
    let handle: UInt16

    init(_ code: UInt8, _ handle: UInt16 = 0) {
      self.code = code
      self.handle = handle
    }
  }

  private func range(_ request: RawSpan, _ isWhole: Bool) throws(AttError) -> ClosedRange<Int> {
    guard isWhole else { throw AttError(Att.invalidPDU) }
    let (first, last) = (request.little16(at: 1), request.little16(at: 3))
    guard first > 0, first <= last else { throw AttError(Att.invalidHandle, first) }
    guard Int(first) <= attributes.count else { throw AttError(Att.notFound, first) }
    return Int(first)...min(Int(last), attributes.count)
  }

  private func known(_ request: RawSpan, _ isWhole: Bool) throws(AttError) -> Int {
    guard isWhole else { throw AttError(Att.invalidPDU) }
    let handle = request.little16(at: 1)
    guard handle > 0, Int(handle) <= attributes.count else { throw AttError(Att.invalidHandle, handle) }
    return Int(handle)
  }

  // MARK: Each kind

  private func information(_ handles: ClosedRange<Int>, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    answer.append(byte: Att.findInformation + 1)
    // All types are short.
    answer.append(byte: 1)
    for handle in handles where answer.count + 4 <= most {
      answer.append(little: UInt64(handle), bytes: 2)
      answer.append(little: UInt64(attributes[handle - 1].type), bytes: 2)
    }
  }

  private func find(_ request: RawSpan, _ handles: ClosedRange<Int>, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    let (type, value) = (request.little16(at: 5), request.extracting(droppingFirst: 7))
    answer.append(byte: Att.findByTypeValue + 1)
    for handle in handles where answer.count + 4 <= most {
      let attribute = attributes[handle - 1]
      guard attribute.type == type, attribute.value.isSame(as: value) else { continue }
      answer.append(little: UInt64(handle), bytes: 2)
      answer.append(little: UInt64(max(Int(attribute.end), handle)), bytes: 2)
    }
    if answer.count == 1 { throw AttError(Att.notFound, request.little16(at: 1)) }
  }

  /// One answer holds values of one length only; the client continues behind the last.
  private func values(_ request: RawSpan, _ handles: ClosedRange<Int>, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    let wanted = ServiceUUID(onAir: request.extracting(droppingFirst: 5))
    answer.append(byte: Att.readByType + 1)
    for handle in handles where ServiceUUID(short: UInt32(attributes[handle - 1].type)) == wanted {
      let attribute = attributes[handle - 1]
      let length = min(attribute.value.count, most - 4)
      if answer.count == 1 { answer.append(byte: UInt8(length + 2)) }
      guard length + 2 == Int(answer[1]), answer.count + length + 2 <= most else { break }
      answer.append(little: UInt64(handle), bytes: 2)
      for index in 0..<length { answer.append(byte: attribute.value[index]) }
    }
    if answer.count == 1 { throw AttError(Att.notFound, request.little16(at: 1)) }
  }

  private func groups(_ request: RawSpan, _ handles: ClosedRange<Int>, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    let first = request.little16(at: 1)
    let wanted = ServiceUUID(onAir: request.extracting(droppingFirst: 5))
    // Secondary services are a group too; we have none.
    if wanted == ServiceUUID(short: 0x2801) { throw AttError(Att.notFound, first) }
    guard wanted == ServiceUUID(short: UInt32(Att.primaryService)) else { throw AttError(Att.unsupportedGroup, first) }
    answer.append(byte: Att.readByGroupType + 1)
    for handle in handles where attributes[handle - 1].end > 0 {
      let attribute = attributes[handle - 1]
      let length = attribute.value.count + 4
      if answer.count == 1 { answer.append(byte: UInt8(length)) }
      guard length == Int(answer[1]), answer.count + length <= most else { break }
      answer.append(little: UInt64(handle), bytes: 2)
      answer.append(little: UInt64(attribute.end), bytes: 2)
      answer.append(attribute.value)
    }
    if answer.count == 1 { throw AttError(Att.notFound, first) }
  }

  private func read(_ handle: Int, from offset: Int, _ most: Int, _ answer: inout AttPDU) throws(AttError) {
    let attribute = attributes[handle - 1]
    guard offset <= attribute.value.count else { throw AttError(Att.invalidOffset, UInt16(handle)) }
    for index in offset..<min(attribute.value.count, offset + most - 1) { answer.append(byte: attribute.value[index]) }
  }
}

extension Text {
  fileprivate func isSame(as bytes: RawSpan) -> Bool {
    guard count == bytes.byteCount else { return false }
    for index in 0..<count where self[index] != bytes[index] { return false }
    return true
  }
}
