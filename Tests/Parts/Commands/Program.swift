import Foundation

/// The program as users have it: the executable beside the tests, run in a folder of its own.
struct Program {
  let folder: URL
  var environment: [String: String] = [:]
  /// Another program that starts it, with its first arguments; none unless given.
  var starter: [String] = []

  struct Result {
    let exit: Int32
    let out: String
    let error: String
    var errorLines: [String] { error.split(separator: "\n").map(String.init) }
  }

  static let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "forecourt")

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "forecourt-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func write(_ name: String, _ text: String) throws { try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8) }

  func callAsFunction(_ arguments: String..., to output: FileHandle? = nil) throws -> Result { try run(arguments, to: output) }

  func run(_ arguments: [String], to output: FileHandle? = nil) throws -> Result {
    let process = Process()
    let words = starter + [Self.executable.path] + arguments
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = folder
    process.environment = environment
    let out = Pipe()
    let error = Pipe()
    process.standardOutput = output ?? out
    process.standardError = error
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // A pipe holds 64 kB: standard output is read meanwhile; standard error stays shorter.
    let printed = output == nil ? text(out) : ""
    process.waitUntilExit()
    return Result(exit: process.terminationReason == .exit ? process.terminationStatus : -1, out: printed, error: text(error))
  }

  private func text(_ pipe: Pipe) -> String { String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}
