// Compares by bytes: String's own comparison would bring Unicode's tables into the binary.

@inline(never)
package func same(_ a: String, _ b: String) -> Bool { a.bytes == b.bytes }

/// The known word that was most likely meant by `word`.
package func suggestion(for word: String, among known: [String]) -> String? {
  var best: String?
  var least = max(1, word.utf8.count / 3) + 1
  for candidate in known {
    let distance = editDistance(word, candidate)
    if distance < least { (best, least) = (candidate, distance) }
  }
  // `fire` for `fire_m`, `password` for `password_file`.
  return best ?? known.first { word.utf8.count >= 3 && $0.bytes.starts(with: word.bytes) }
}

/// How many letters to add, drop, change or swap with a neighbour.
func editDistance(_ a: String, _ b: String) -> Int {
  let a = Array(a.utf8)
  let b = Array(b.utf8)
  var before = [Int](repeating: 0, count: b.count + 1)
  var above = Array(0...b.count)
  for row in 0..<a.count {
    var current = [row + 1]
    for column in 0..<b.count {
      var least = min(above[column + 1], current[column]) + 1
      least = min(least, above[column] + (a[row] == b[column] ? 0 : 1))
      if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] { least = min(least, before[column - 1] + 1) }
      current.append(least)
    }
    (before, above) = (above, current)
  }
  return above[b.count]
}

/// `a, b or c`.
package func listed(_ words: [String], with conjunction: StaticString) -> String {
  var text = ""
  for (index, word) in words.enumerated() {
    if index > 0 { text += index == words.count - 1 ? " \(conjunction) " : ", " }
    text += word
  }
  return text
}

/// `a, b, c and 4 more`.
package func firstThree(_ words: [String]) -> String {
  listed(Array(words.prefix(3)) + (words.count > 3 ? ["\(words.count - 3) more"] : []), with: "and")
}
