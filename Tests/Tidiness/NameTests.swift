import Testing

private let repository = Repository.here

@Suite("Names say one thing")
struct NameTests {
  @Test("no two types of the program have the same name, and no nested type the name of another") func types() {
    var places: [Substring: [String]] = [:]
    var nested: [(name: Substring, place: String)] = []
    for file in repository.files.filter(\.isProduct) {
      for (index, line) in file.swift.code.enumerated() {
        guard let name = declaredType(line) else { continue }
        let place = "\(file.path):\(index + 1)"
        if line.hasPrefix(" ") { nested.append((name, place)) } else { places[name, default: []].append(place) }
      }
    }
    #expect(places.count > 200, "the search finds types")
    #expect(places.filter { $0.value.count > 1 }.map { "\($0.key): \($0.value.joined(separator: ", "))" } == [])
    #expect(nested.filter { places[$0.name] != nil }.map { "\($0.place): \($0.name) is also \(places[$0.name]![0])" } == [])
  }

  private func declaredType(_ line: String) -> Substring? { (try? Self.declaration.firstMatch(in: line))?.1 }

  private nonisolated(unsafe) static let declaration: Regex<(Substring, Substring)> = {
    let attributes = "(?:@[A-Za-z]+(?:[(][^)]*[)])? )*(?:(?:package|private|public|fileprivate|final|indirect) )*"
    let type = "(?:struct|enum|class|protocol|typealias) ([A-Z][A-Za-z0-9]*)"
    return try! Regex("^ *" + attributes + type, as: (Substring, Substring).self)
  }()
}
