import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("what the manual says is so") struct ManualTests {
  /// As a shell would cut it.
  private func words(_ line: String) -> [String] {
    line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { place, part in
      place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }

  @Test("every example is a line that its command takes, with a sentence", arguments: Command.all.map(\.name)) func examples(name: String)
    throws
  {
    let command = try #require(Command.named(name))
    for example in command.examples {
      var line = words(example.line)[...]
      if line.first == "sudo" { line = line.dropFirst() }
      #expect(line.prefix(2) == ["forecourt", name], "\(example.line)")
      _ = try Invocation(command, Array(line.dropFirst(2)), Output())
      #expect(example.words.hasSuffix(".") || example.words.hasSuffix("?"), "\(example.words)")
      #expect(example.words.first?.isUppercase == true)
    }
  }

  @Test("each event and each reason that a subscriber may read stands in deploy/subscribers/README.md") func eventWords() throws {
    let page = GoldenCase.repository.appending(path: "deploy/subscribers/README.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    var events: [Encounter.Event] = [.arm, .fire, .manual]
    for raw in 0..<UInt8.max {
      if let doubt = Encounter.Doubt(rawValue: raw) { events.append(.undecided(doubt)) }
      if let departure = Encounter.Departure(rawValue: raw) { events.append(.leave(departure)) }
      if let anomaly = Encounter.Anomaly(rawValue: raw) { events.append(.anomaly(anomaly)) }
    }
    var words = ["restart"]
    for event in events { words += ["\(event.name)"] + (event.reason.map { ["\($0)"] } ?? []) }
    for raw in 0..<UInt8.max { if let reason = Regions.Reason(rawValue: raw) { words.append("\(reason.name)") } }
    for word in words { #expect(text.contains("`\(word)`"), "\(word)") }
    #expect(words.count > 30)
  }

  @Test("names are small, placeholders large, sentences end; exit codes rise and are those of what the command needs") func rules() {
    #expect(Set(Command.all.map(\.name)).count == Command.all.count)
    for command in Command.all {
      #expect(command.summary.first?.isLowercase == true && !command.summary.hasSuffix("."), "\(command.name)")
      for paragraph in command.description { #expect(paragraph.hasSuffix("."), "\(command.name): \(paragraph)") }
      for option in command.options {
        #expect(option.name.wholeMatch(of: #/[a-z]+(-[a-z]+)*/#) != nil && option.help.hasSuffix("."), "\(command.name) \(option.name)")
        if let placeholder = option.placeholder {
          #expect(placeholder.wholeMatch(of: #/[A-Z]+(\.html|\[:PORT\])?/#) != nil, "\(placeholder)")
        }
      }
      #expect(Set(command.options.map(\.name)).count == command.options.count)
      let codes = command.exits.map(\.rawValue)
      #expect(codes == codes.sorted() && Set(codes).count == codes.count && codes.starts(with: [0, 1, 64]), "\(command.name)")
      // A configuration may be wrong, or somebody else's.
      for code in [77, 78] as [Int32] {
        #expect(codes.contains(code) == command.options.contains { $0.name == "config" }, "\(command.name)")
      }
      #expect(command.options.contains { $0.name == "radio" } == (codes.contains(69) && command.name != "check"), "\(command.name)")
    }
    let exits: [(Exit, Int32)] = [
      (.done, 0), (.failed, 1), (.usage, 64), (.unreadable, 65), (.unavailable, 69), (.forbidden, 77), (.configuration, 78),
    ]
    for (exit, code) in exits { #expect(exit.rawValue == code) }
    #expect(Set(exits.map(\.0.meaning)).count == exits.count)
  }

  @Test("recordings stand among the adapters of the commands that take one") func recordings() {
    for command in Command.all {
      guard let help = command.options.first(where: { $0.name == "radio" })?.help else { continue }
      let takesNone = ["capture", "identify"].contains(command.name)
      #expect(help.contains("unix:PATH") && help.contains("simulate:SCENARIO") != takesNone, "\(command.name): \(help)")
      #expect(help.contains("capture:FILE") != takesNone, "\(command.name): \(help)")
    }
  }

  @Test("a page has its words in their columns, whatever their length") func page() {
    let command = Command(
      name: "fetch", summary: "bring a thing",
      description: [
        "Brings it, wherever it is, as long as it is not so far away that nobody could bring it at all before tonight.", "Or not.",
      ],
      operands: .oneOrMore("THING"),
      options: [
        Option("a", .none, "Short."), Option("twelve-chars", .none, "Beside."), Option("thirteen-char", .none, "Below."),
        Option(
          "from", .text("PLACE"), repeatable: true, needed: true,
          "A place, and another one, and so on, until there are no more places left."),
      ],
      examples: [Command.Example(line: "forecourt fetch it", words: "It comes.")], exits: [.done, .usage, .unreadable], run: { _ in })
    #expect(command.synopsis == "forecourt fetch THING… [--a] [--twelve-chars] [--thirteen-char] --from PLACE…")
    #expect(
      Manual.page(for: command) == """
        NAME
               forecourt fetch - bring a thing

        SYNOPSIS
               forecourt fetch THING… [--a] [--twelve-chars] [--thirteen-char] --from
                         PLACE…

        DESCRIPTION
               Brings it, wherever it is, as long as it is not so far away that nobody
               could bring it at all before tonight.

               Or not.

        OPTIONS
               --a             Short.
               --twelve-chars  Beside.
               --thirteen-char
                               Below.
               --from PLACE    A place, and another one, and so on, until there are no
                               more places left.
               --help          Print this page.

        EXAMPLES
               forecourt fetch it
                               It comes.

        EXIT STATUS
               0     Done.
               64    The command line is wrong.
               65    A capture cannot be read, or only in part.

        """)
    let bare = Command(name: "x", summary: "y", description: ["Z."], operands: .one("W"), options: [.config], run: { _ in })
    let page = Manual.page(for: bare)
    #expect(bare.synopsis == "forecourt x W [--config FILE]" && !page.contains("EXAMPLES"))
    #expect(page.contains("\nENVIRONMENT\n       FORECOURT_CONFIG\n                       The configuration, when --config names none.\n"))
    #expect(page.hasSuffix("       ./config.toml   The configuration when no other is named or installed.\n"))
  }

  @Test("each command takes what its synopsis says, each as often as it says, and numbers within these ranges") func synopses() throws {
    let lines = Command.all.flatMap { command -> [String] in
      [command.synopsis]
        + command.options.compactMap { option in
          guard case .number(_, let range) = option.value else { return nil }
          return "  --\(option.name) from \(range.lowerBound) to \(range.upperBound)"
        }
    }
    try Said("synopses").expect(lines.joined(separator: "\n"))
  }

  @Test("one operand is one; a number has its ends") func operands() throws {
    let command = Command(
      name: "x", summary: "", description: [], operands: .one("ID"), options: [Option("n", .number("N", 5...9), "")], run: { _ in })
    #expect(throws: Exit.usage) { try Invocation(command, ["a", "b"], Output()) }
    #expect(throws: Exit.usage) { try Invocation(command, [], Output()) }
    for (word, number) in [("5", 5), ("9", 9)] { #expect(try Invocation(command, ["a", "--n", word], Output()).number("n") == number) }
    for word in ["4", "10"] { #expect(throws: Exit.usage) { try Invocation(command, ["a", "--n", word], Output()) } }
    #expect(try Invocation(command, ["a", "-h", "b"], Output()).asksForHelp && Invocation(command, ["-"], Output()).operands == ["-"])
  }

  @Test("a key leaves the machine in no spelling, and what only looks like one stays") func keys() {
    let key = "EC0234a357c8ad05341010a60a397d9b"
    let pairs = stride(from: 0, to: 32, by: 2).map { key.dropFirst($0).prefix(2) }
    for text in ["\(key)", "k = \"\(key)\"", "0x\(key)"] + [":", "-", " "].map { pairs.joined(separator: $0) } {
      #expect(
        withoutKeys(text) == text.replacing(key, with: "(a key)").replacing(#/([0-9A-Fa-f]{2}[: -]){15}../#, with: "(a key)"), "\(text)")
      #expect(withoutKeys(text).contains("(a key)"))
    }
    for odd in ["ec0234a3 57c8ad05 341010a6 0a397d9b", "ec0234a3-57c8-ad05-3410-10a60a397d9b", "ec02:34a357c8ad05\n341010a60a397d9b"] {
      for line in ["key = \"\(odd)\"", "{ name = \"a\", key='\(odd)' }", "\"key\" = \"\"\"\n\(odd)\"\"\""] {
        #expect(withoutKeys(line) == line.replacing(odd, with: "(a key)"), "\(line)")
      }
    }
    #expect(withoutKeys(key + "\n" + key) == "(a key)\n(a key)")
    for text in [
      "", "abc", String(key.dropLast()), key + "0", "altbeacon:" + key + "0a1b2c3d", String(repeating: "g", count: 32),
      pairs.dropLast().joined(separator: ":"), pairs.joined(separator: "."),
      pairs.prefix(8).joined(separator: ":") + "-" + pairs.suffix(8).joined(separator: ":"),
      pairs.joined(separator: ":") + "0", "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6",
    ] { #expect(withoutKeys(text) == text, "\(text)") }
  }
}
