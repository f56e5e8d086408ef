import Foundation
import Testing

/// One line of Tests/Decoding/golden/cases.txt.
struct GoldenCase: CustomTestStringConvertible {
  static let repository = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
  static let folder = repository.appending(path: "Tests/Decoding/golden")

  /// Without the optimiser, `--decoded` takes minutes for a long capture: those are Tests/Gates/compare.sh's alone.
  static let quick: [GoldenCase] = {
    let text = (try? String(contentsOf: folder.appending(path: "cases.txt"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      return GoldenCase(name: words[0], words: Array(words[1...]))
    }.filter { !($0.words.contains("--decoded") && $0.words.contains { $0.contains(":") }) }
  }()

  let name: String
  let words: [String]
  var testDescription: String { name }
}

@Suite("replays and simulations print what they always did")
struct GoldenTests {
  let program: Program
  init() throws { program = try Program() }

  @Test("every golden case prints the same bytes", arguments: GoldenCase.quick) func golden(golden: GoldenCase) throws {
    defer { program.remove() }
    let result = try print(golden.words.map(word))
    #expect(result.exit == 0, "\(result.error)")
    let printed = try Data(contentsOf: program.folder.appending(path: "printed"))
    let whole = GoldenCase.folder.appending(path: golden.name + ".jsonl")
    if let expected = try? String(contentsOf: whole, encoding: .utf8) {
      let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
      let golden = expected.split(separator: "\n")
      let place = zip(lines, golden).enumerated().first { $0.element.0 != $0.element.1 }
      #expect(place == nil, "line \((place?.offset ?? 0) + 1): \(place?.element.0 ?? "") is not \(place?.element.1 ?? "")")
      #expect(lines.count == golden.count)
    } else {
      let sum = try String(contentsOf: GoldenCase.folder.appending(path: golden.name + ".sha256"), encoding: .utf8)
      #expect(try tool("sha256sum", [program.folder.appending(path: "printed").path]).prefix(64) == sum.prefix(64))
    }
  }

  @Test("a case for each capture format is committed, and simulations among them") func cases() {
    #expect(GoldenCase.quick.count >= 8)
    #expect(GoldenCase.quick.contains { $0.words[0] == "simulate" })
  }

  /// A word of the list, with the file it stands for made.
  private func word(_ word: String) throws -> String {
    let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return word.hasPrefix("Tests/") ? GoldenCase.repository.appending(path: word).path : word }
    let file = program.folder.appending(path: parts[1])
    switch parts[0] {
    case "unpacked":
      let packed = GoldenCase.repository.appending(path: "Tests/Decoding/\(parts[1]).gz").path
      _ = try tool("sh", ["-c", "zcat '\(packed)' >'\(file.path)'"])
      return file.path
    case "scenario":
      let scenario = GoldenCase.repository.appending(path: "Tests/Firing/Scenarios/\(parts[1]).toml").path
      #expect(try program("simulate", scenario, "--seed", "7", "--out", file.path + ".btsnoop").exit == 0)
      return file.path + ".btsnoop"
    default: return word
    }
  }

  private func print(_ words: [String]) throws -> Program.Result {
    let file = program.folder.appending(path: "printed")
    FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    return try program.run(words, to: handle)
  }

  private func tool(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let out = Pipe()
    process.standardOutput = out
    try process.run()
    let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }
}
