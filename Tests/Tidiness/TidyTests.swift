import Foundation
import Testing

/// Where pointers may be touched, and why there. A file joins this list in the commit that says why it must.
private let unsafeFiles: Set<String> = [
  "Sources/Core/Decode/Cursor.swift",  // bytes, after one check of their number
  "Sources/Core/Devices/Devices.swift",  // lends its rows
  "Sources/Core/Memory/Lent.swift",  // lends memory
  "Sources/Core/Memory/Ring.swift",  // two threads, one block of memory
  "Sources/Core/Memory/Text.swift",  // bytes without a bounds check each
  "Sources/Host/Files/NewFile.swift",  // writes a file
  "Sources/Host/Broker/JSONObject.swift",  // calls cJSON
  "Sources/Host/Broker/MQTTClient.swift",  // calls libmosquitto
  "Sources/Host/Broker/MQTTSecurity.swift",  // hands it paths
  "Sources/Host/Broker/MQTTNews.swift",  // is called by it
  "Sources/Host/Broker/EventSigner.swift",  // calls libcrypto
  "Sources/Host/Broker/SiteProof.swift",  // calls libcrypto
  "Sources/Host/Text/CText.swift",  // texts for C
  "Sources/Host/System/Crypto.swift",  // calls libcrypto
  "Sources/Host/Capture/CaptureSource.swift",  // reads a file through a buffer
  "Sources/Host/System/SystemRandom.swift",  // asks the system for random bytes
  "Sources/Host/System/Clock.swift",  // asks the system for the time
  "Sources/Host/Config/Document.swift",  // calls toml++
  "Sources/Host/System/Doorbell.swift",  // reads an eventfd
  "Sources/Host/Examination/AdapterExam.swift",  // asks for a service by a literal
  "Sources/Host/Files/File.swift",  // reads and writes files
  "Sources/Host/Files/FileSystem.swift",  // asks the file system
  "Sources/Host/System/Memory.swift",  // takes memory from the system
  "Sources/Host/System/Usage.swift",  // asks what the process has used
  "Sources/Host/System/ClockTrust.swift",  // asks whether the clock is set
  "Sources/Host/System/Notify.swift",  // sends to a socket
  "Sources/Host/System/Shell.swift",  // runs a line that a person has agreed to
  "Sources/Host/System/Owner.swift",  // asks whose a folder is
  "Sources/Host/Outbox/SQLite.swift",  // calls SQLite
  "Sources/Host/Radio/HCISocket.swift",  // asks for a process by a literal
  "Sources/Host/Radio/HCITransport.swift",  // opens sockets and terminals
  "Sources/Host/Radio/HCITransfer.swift",  // reads and writes them
  "Sources/Host/System/Signals.swift",  // reads a signalfd
  "Sources/Host/System/Thread.swift",  // starts threads
  "Sources/Host/System/Wait.swift",  // polls
  "Sources/forecourt/Terminal/KeyInput.swift",  // reads what is typed
  "Sources/forecourt/Terminal/Output.swift",  // writes to the standard streams
  "Sources/forecourt/CommandLine/Program.swift",  // reads the arguments
  "Sources/forecourt/Terminal/Screen.swift",  // asks for the terminal's size
  "Sources/forecourt/CommandLine/Version.swift",  // a C string
]

private let repository = Repository.here

@Suite("The repository checks itself")
struct TidyTests {
  @Test("no file is longer than 300 lines") func fileLength() {
    expectNone(repository.files.filter(\.isCode)) { file in
      let count = file.lines.count - 1
      return count > 300 ? ["\(file.path) has \(count) lines: two ideas?"] : []
    }
  }

  @Test("no function is longer than 60 lines") func functionLength() {
    expectNone(repository.files.filter(\.isSwift)) { file in
      file.swift.functions.filter { $0.count > 60 }
        .map { "\(file.path):\($0.lowerBound + 1) is a function of \($0.count) lines" }
    }
  }

  @Test("unsafe stands only in named files, each use under its SAFETY line") func unsafety() {
    var using: Set<String> = []
    expectNone(repository.files.filter(\.isProduct)) { file in
      var found: [String] = []
      for (index, code) in file.swift.code.enumerated() where code.contains("unsafe") && code.contains(/\bunsafe\b/) {
        using.insert(file.path)
        if !unsafeFiles.contains(file.path) { found.append("\(file.path):\(index + 1): unsafe in a file that is not named in TidyTests") }
        if !isExplained(index, file.lines) {
          found.append("\(file.path):\(index + 1): unsafe with no SAFETY line in the six lines above, nor directly above what encloses it")
        }
      }
      return found
    }
    #expect(unsafeFiles.subtracting(using) == [], "named, but with nothing unsafe in them (any more)")
  }

  private func isExplained(_ index: Int, _ lines: [String]) -> Bool {
    func explains(_ line: String) -> Bool { line.contains("// SAFETY: ") }
    if lines[max(0, index - 6)...index].contains(where: explains) { return true }
    var depth = indentation(lines[index])
    for above in stride(from: index - 1, through: 0, by: -1) where !lines[above].isEmpty && indentation(lines[above]) < depth {
      depth = indentation(lines[above])
      let comments = lines[..<above].reversed().prefix { $0.drop { $0 == " " }.hasPrefix("//") }
      if comments.contains(where: explains) { return true }
    }
    return false
  }

  private func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  @Test("the product's Swift stays small: no Foundation, no existentials, no vague names") func product() {
    let vague = "\\b(struct|class|enum|actor|protocol|typealias) \\w*(Manager|Helper|Utils?|Handler|Impl)\\b"
    let pattern = "\\bimport Foundation\\b|\\bany [A-Z]|\\bfatalError\\(|" + vague
    expectNone(repository.files.filter(\.isProduct)) { file in
      matches(in: file.swift.code, of: file) { $0.range(of: pattern, options: .regularExpression) != nil }
    }
  }

  @Test("nothing is left for later") func leftovers() {
    let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX"].map { "\\b\($0)\\b" }.joined(separator: "|")
    expectNone(repository.files) { file in matches(in: file.lines, of: file) { $0.range(of: words, options: .regularExpression) != nil } }
  }

  @Test("no line knows the machine it was written on, nor a registry's host") func places() {
    let folders = ["work", "root", "home", "opt/swift", "Users"].map { "(^|[^A-Za-z0-9_.])/\($0)/" }
    let hosts = ["deb\\.debian", "security\\.debian", "pypi", "pythonhosted", "npmjs", "crates"].map { "\\b\($0)\\.(org|io)\\b" }
    let pattern = (folders + hosts).joined(separator: "|")
    expectNone(repository.files) { file in matches(in: file.lines, of: file) { $0.range(of: pattern, options: .regularExpression) != nil } }
  }

  @Test("no line ends in a space, and every file ends with one newline") func whitespace() {
    expectNone(repository.files) { file in
      guard let text = file.text, !text.isEmpty else { return [] }
      let ending = text.hasSuffix("\n") && !text.hasSuffix("\n\n") ? [] : ["\(file.path) does not end with exactly one newline"]
      return ending + matches(in: file.lines, of: file) { $0.hasSuffix(" ") || $0.hasSuffix("\t") || $0.hasSuffix("\r") }
    }
  }

  @Test("a README's table of files is what lies in its folder") func readmes() {
    var tables = 0
    for readme in repository.files where readme.url.lastPathComponent == "README.md" {
      let folder = readme.path.split(separator: "/").dropLast().joined(separator: "/")
      let listing = repository.listing(of: folder).subtracting(["README.md"])
      guard let table = fileTable(readme.lines, listing) else { continue }
      tables += 1
      #expect(table.subtracting(listing) == [], "\(readme.path) names what is not there")
      #expect(listing.subtracting(table) == [], "\(readme.path) leaves out what is there")
    }
    #expect(tables >= 15, "nearly every README has one")
  }

  @Test("a table of files is known by its head or by what it names, with or without an ending") func tables() {
    let listing: Set = ["a.py", "b/", "c.toml"]
    for head in ["| file | what it is |", "|file|what|", "| `File` | |", "| files and folders | |", "| scenario | what it tries |"] {
      #expect(fileTable([head, "| --- |---|", "| `a.py` `b/` | |", "| `c` | |", "", "| `d` |"], listing) == listing, "\(head)")
    }
    #expect(fileTable(["| file | |", "|---|---|", "| `gone.py` | |"], listing) == ["gone.py"])
    #expect(fileTable(["| profile | what |", "|---|---|", "| `x` | |", "| `y` | |"], listing) == nil)
  }

  /// The names in the first cells of all tables whose head begins with `file`, or which mostly name what lies here.
  private func fileTable(_ lines: [String], _ listing: Set<String>) -> Set<String>? {
    func entry(_ name: String) -> String? { listing.contains(name) ? name : listing.first { $0.hasPrefix(name + ".") } }
    var named: Set<String> = []
    for index in lines.indices.dropLast() where lines[index].hasPrefix("|") && lines[index + 1].contains(/^\|\s*-/) {
      let rows = lines[(index + 2)...].prefix { $0.hasPrefix("|") }
      let names = rows.flatMap { $0.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { String($0.1) } }
      let known = names.count { entry($0) != nil }
      if lines[index].contains(/^\|\s*`?[Ff]iles?\b/) || known * 2 > names.count { named.formUnion(names.map { entry($0) ?? $0 }) }
    }
    return named.isEmpty ? nil : named
  }

  private func matches(in lines: [String], of file: SourceFile, where wrong: (String) -> Bool) -> [String] {
    lines.enumerated().filter { wrong($0.element) }.map { "\(file.path):\($0.offset + 1): \(file.lines[$0.offset])" }
  }

  private func expectNone(_ files: [SourceFile], _ findings: (SourceFile) -> [String]) {
    #expect(!files.isEmpty)
    let found = files.flatMap(findings)
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }
}
