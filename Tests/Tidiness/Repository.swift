import Foundation

/// The work tree as the tidy tests see it: everything but what is built and what Git keeps for itself.
struct Repository {
  let root: URL
  let files: [SourceFile]

  static let here = Repository(at: URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL)

  init(at root: URL) {
    self.root = root
    var files: [SourceFile] = []
    Self.walk(root, "", into: &files)
    self.files = files.sorted { $0.path < $1.path }
  }

  /// What a person sees in a folder, folders with a slash at the end.
  func listing(of folder: String) -> Set<String> {
    var names: Set<String> = []
    for file in files where folder.isEmpty || file.path.hasPrefix(folder + "/") {
      let rest = file.path.dropFirst(folder.isEmpty ? 0 : folder.count + 1)
      let parts = rest.split(separator: "/")
      if parts[0].hasPrefix(".") { continue }
      names.insert(parts.count > 1 ? parts[0] + "/" : String(parts[0]))
    }
    return names
  }

  private static let untidied: Set<String> = [".git", ".build", "build", "__pycache__"]

  private static func walk(_ folder: URL, _ path: String, into files: inout [SourceFile]) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] where !untidied.contains(name) {
      let child = folder.appending(path: name)
      let childPath = path.isEmpty ? name : path + "/" + name
      if (try? child.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
        walk(child, childPath, into: &files)
      } else {
        files.append(SourceFile(path: childPath, url: child))
      }
    }
  }
}

struct SourceFile {
  let path: String
  let url: URL
  /// Nothing when the file is not text, or is a specimen: bytes that stand for what they are.
  let text: String?
  let lines: [String]
  let swift: SwiftText

  init(path: String, url: URL) {
    (self.path, self.url) = (path, url)
    let isSpecimen = path.wholeMatch(of: /Tests\/(Decoding|Firing\/Recordings|Robustness\/Fuzz)\/.*/) != nil && !path.hasSuffix(".swift")
    text = isSpecimen ? nil : (try? Data(contentsOf: url)).flatMap { String(data: $0, encoding: .utf8) }
    lines = text.map { $0.components(separatedBy: "\n") } ?? []
    swift = SwiftText(path.hasSuffix(".swift") ? text ?? "" : "")
  }

  var isCode: Bool { ["swift", "c", "cpp", "h", "py", "sh"].contains(url.pathExtension) }
  var isSwift: Bool { url.pathExtension == "swift" }
  var isProduct: Bool { isSwift && path.hasPrefix("Sources/") }
}
