// The standard library's steps of an interpolation are inlined wherever a text has one, some hundred bytes each. These are calls: the program
// is a seventh smaller.

extension DefaultStringInterpolation {
  @inline(never)
  package mutating func appendLiteral(_ literal: String) { write(literal) }

  @inline(never)
  package mutating func appendInterpolation(_ text: String) { write(text) }

  @inline(never)
  package mutating func appendInterpolation(_ number: Int) { write(number.description) }
}
