import Core

/// The input is a script of operations; a ring, a lent table and a text must do exactly what plain arrays do.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let script = Array(UnsafeBufferPointer(start: start, count: count))
  follow(script, withRing: 8)
  follow(script, withText: Text<24>())
  return 0
}

private func follow(_ script: [UInt8], withRing capacity: Int) {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Ring<UInt16>.bytes(for: capacity), alignment: 64)
  memory.initializeMemory(as: UInt8.self, repeating: 0)
  defer { memory.deallocate() }
  var arena = Arena(lending: memory)
  let ring = Ring<UInt16>(capacity: capacity, in: &arena)
  var model: [UInt16] = []
  for (step, operation) in script.enumerated() {
    if operation & 1 == 0 {
      let element = UInt16(truncatingIfNeeded: step) &* 251 &+ UInt16(operation)
      let refused = ring.push(element)
      precondition((refused == element) == (model.count == capacity), "a ring refuses when it is full, and only then")
      if refused == nil { model.append(element) }
    } else if operation & 2 == 0 {
      precondition(ring.pop() == (model.isEmpty ? nil : model.removeFirst()), "what came first goes first")
    } else {
      let expected = model.isEmpty ? nil : model.removeFirst()
      let taken = ring.take { precondition($0 == expected, "what lies there is what came first") }
      precondition(taken == (expected != nil), "a look at an empty ring says so")
    }
    precondition(ring.count == model.count, "a ring knows how much it holds")
  }
}

private func follow<let capacity: Int>(_ script: [UInt8], withText empty: Text<capacity>) {
  var text = empty
  var model: [UInt8] = []
  var overflowed = false
  for (step, operation) in script.enumerated() {
    switch operation & 3 {
    case 0:
      text.append(byte: operation)
      if model.count < capacity { model.append(operation) } else { overflowed = true }
    case 1:
      let tail = Array(script[step...].prefix(Int(operation >> 2)))
      text.append(tail.span.bytes)
      if model.count + tail.count > capacity { overflowed = true }
      model += tail.prefix(capacity - model.count)
    case 2:
      text.append("pump")
      if model.count + 4 > capacity { overflowed = true }
      model += Array("pump".utf8).prefix(capacity - model.count)
    default:
      let length = Int(operation >> 2) % (model.count + 1)
      text.truncate(to: length)
      model.removeLast(model.count - length)
      overflowed = false
    }
    precondition(text.count == model.count && text.overflowed == overflowed, "a text knows what it holds and what it lost")
    precondition(text.bytes.equals(model.span.bytes), "a text holds what was put in")
  }
}
