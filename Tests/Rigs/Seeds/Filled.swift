/// What is not zero, false, empty or nil in a value, by path: what its defaults say. Cases of enumerations are not looked at, nor what lies
/// behind the count of a list.
public func filled(_ value: Any, _ path: String = "") -> [String] {
  let (mirror, type) = (Mirror(reflecting: value), "\(Swift.type(of: value))")
  switch value {
  case let truth as Bool: return truth ? [path] : []
  case is any BinaryInteger, is any BinaryFloatingPoint: return ["0", "0.0", "-0.0"].contains("\(value)") ? [] : ["\(path) \(value)"]
  default: break
  }
  if type.hasPrefix("InlineArray<") || mirror.displayStyle == .enum { return [] }
  if type.hasPrefix("SIMD") { return "\(value)".contains { ("1"..."9").contains($0) && !type.contains($0) } ? [path] : [] }
  let isList = type.hasPrefix("Text<") || type.hasPrefix("Bounded<")
  return mirror.children.flatMap { child -> [String] in
    let name = child.label ?? ""
    if isList { return name == "count" ? filled(child.value, path) : [] }
    if mirror.displayStyle == .optional { return ["\(path) is there"] }
    return filled(child.value, path.isEmpty ? name : "\(path).\(name)")
  }
}
