import Foundation
import Testing

@testable import forecourt

@Suite("the command line answers")
struct CommandLineTests {
  let program: Program
  init() throws { program = try Program() }

  @Test("the version, in one line") func version() throws {
    for word in ["version", "--version"] {
      let result = try program(word)
      #expect(result.exit == 0 && result.error.isEmpty)
      #expect(result.out.wholeMatch(of: #/forecourt \S+ \((amd64|arm64|armhf)\)\n/#) != nil, "\(result.out)")
    }
  }

  @Test("a call without arguments is a usage error") func nothing() throws {
    let result = try program()
    #expect(result.exit == 64 && result.out.isEmpty)
    #expect(result.error.hasPrefix("Usage: forecourt COMMAND [OPTION]…; commands: "))
  }

  @Test("a misspelt word gets a suggestion") func misspelt() throws {
    let command = try program("chekc")
    #expect(command.exit == 64 && command.out.isEmpty)
    #expect(command.errorLines.first == #"forecourt: unknown command "chekc"; did you mean "check"?"#)
    #expect(try program("xyzzy").errorLines.first == #"forecourt: unknown command "xyzzy""#)
    #expect(try program("--verson").errorLines.first == #"forecourt: unknown option "--verson""#)
    let option = try program("check", "--confg", "x")
    #expect(option.exit == 64 && option.out.isEmpty)
    #expect(
      option.errorLines == ["forecourt check: unknown option --confg; did you mean --config?", "Try: forecourt check --help"])
  }

  @Test("words that fit nowhere are refused") func misplaced() throws {
    for (arguments, words) in [
      (["check", "extra"], "\"extra\" is one word too many"),
      (["check", "--", "--json"], "\"--json\" is one word too many"),
      (["check", "-"], "\"-\" is one word too many"),
      (["check", "site.toml"], "\"site.toml\" is one word too many: write --config site.toml"),
      (["check", "--config", "a", "site.toml"], "\"site.toml\" is one word too many"),
      (["check", "--config"], "--config needs a value: --config FILE"),
      (["check", "--config="], "--config needs a value: --config FILE"),
      (["check", "--json=yes"], "--json takes no value"),
      (["check", "--json", "--json"], "--json is given twice"),
      (["check", "--config", "a", "--config=b"], "--config is given twice"),
      (["check", "-x"], "unknown option -x"),
    ] {
      let result = try program.run(arguments)
      #expect(result.exit == 64 && result.out.isEmpty)
      #expect(result.errorLines.first == "forecourt check: " + words)
    }
  }

  @Test("a word that is not UTF-8 is refused, and not taken for another file's name") func otherBytes() throws {
    var program = program
    program.starter = ["/bin/sh", "-c", #"exec "$0" "$@" "$(printf 'b\344\033d.btsnoop')""#]
    for words in [["replay"], ["replay", "--config"], []] {
      let told = try program.run(words)
      #expect(told.exit == 64 && told.out.isEmpty)
      #expect(
        told.error
          == "forecourt: \"b??d.btsnoop\" is not UTF-8, as every word must be: rename a file, or name a link to it (ln -s)\n",
        "\(told.error)")
    }
    program.starter = []
    #expect(try program("bä\u{FFFD}").errorLines.first == "forecourt: unknown command \"bä\u{FFFD}\"")
  }

  @Test("a variable that is not UTF-8 is refused, too, where no --config takes its place") func otherBytesInVariable() throws {
    var program = program
    try program.write("right.toml", CheckTests.right)
    program.starter = ["/bin/sh", "-c", #"FORECOURT_CONFIG="$(printf 'b\344\033d.toml')" exec "$0" "$@""#]
    let words = "$FORECOURT_CONFIG \"b\u{FFFD}?d.toml\" is not UTF-8, as every word must be: rename the file, or name a link to it (ln -s)"
    for command in [["check", "--lint"], ["events"], ["setup", "--purpose", "told", "--match", "peer:*"]] {
      let told = try program.run(command)
      #expect(told.exit == 78 && told.out.isEmpty && told.error == "forecourt: \(words)\n", "\(command): \(told)")
    }
    let json = try program("check", "--lint", "--json")
    #expect(json.exit == 78 && json.out.contains("is not UTF-8, as every word must be") && json.out.contains("\"ok\":false"))
    #expect(try program("check", "--lint", "--config", "right.toml").exit == 0)
  }

  @Test("where no report can be written nothing is played") func noFolder() throws {
    let told = try program("replay", "any.btsnoop", "--report", "none/report.html")
    #expect(told.exit == 1 && told.out.isEmpty)
    #expect(told.error == "forecourt replay: none/report.html cannot be written: its folder does not exist\n", "\(told.error)")
  }

  @Test("help reads like a manual page, for every command") func help() throws {
    let all = try program("--help")
    #expect(all.exit == 0 && all.error.isEmpty)
    #expect(try program("-h").out == all.out)
    #expect(try program("help").out == all.out)
    let extra = try program("help", "check", "scan")
    #expect(extra.exit == 64 && extra.out.isEmpty && extra.error == "forecourt help: \"scan\" is one word too many\n")
    for command in Command.all {
      #expect(all.out.contains("\n       \(command.name) "))
      let page = try program(command.name, "--help")
      #expect(page.exit == 0 && page.error.isEmpty)
      #expect(try program("help", command.name).out == page.out)
      for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"] {
        #expect(page.out.contains(heading == "NAME" ? "NAME\n" : "\n\n\(heading)\n"), "\(command.name): \(heading)")
      }
      for option in command.options { #expect(page.out.contains("\n       \(option.written)")) }
      for line in (all.out + page.out).split(separator: "\n") { #expect(line.count <= 80 && !line.hasSuffix(" "), "\(line)") }
    }
  }

  @Test("the README's table has every command") func readme() throws {
    let readme = try String(contentsOf: GoldenCase.repository.appending(path: "README.md"), encoding: .utf8)
    for command in Command.all { #expect(readme.contains("\n| `forecourt \(command.name)"), "\(command.name)") }
  }

  @Test("--help works beside any error") func helpFirst() throws { #expect(try program("check", "extra", "--help").exit == 0) }

  @Test("a closed pipe is no failure") func closedPipe() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let result = try program("--help", to: pipe.fileHandleForWriting)
    #expect(result.exit == 0 && result.error.isEmpty)
  }

  @Test("a gateway that prints ends with its reader, or when the disk is full", .timeLimit(.minutes(2))) func printing() throws {
    try program.write("config.toml", "gateway.purpose = \"told\"\ngateway.authorization = \"always\"\n")
    try program.write("scenario.toml", "duration_s = 90\ngateway = [{ name = \"pump-1\", at_m = [0, 0] }]\n")
    let words = ["run", "--print", "--config", "config.toml", "--radio", "simulate:scenario.toml"]
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let unread = try program.run(words, to: pipe.fileHandleForWriting)
    #expect(unread.exit == 0, "\(unread)")
    let full = try program.run(words, to: FileHandle(forWritingTo: URL(filePath: "/dev/full")))
    #expect(full.exit == 1 && full.error.hasSuffix("forecourt: standard output: No space left on device\n"), "\(full)")
  }

  @Test("a radio whose name no gateway of the scenario has says whose ears it uses, unless there is one alone", .timeLimit(.minutes(2)))
  func foreignEars() throws {
    func said(_ names: [String], radio: String) throws -> String {
      try program.write("config.toml", "gateway.purpose = \"told\"\n[[radio]]\nname = \"\(radio)\"\nadapter = \"simulate:site.toml\"\n")
      let gateways = names.map { "{ name = \"\($0)\", at_m = [0, 0] }" }.joined(separator: ", ")
      try program.write("site.toml", "duration_s = 1\ngateway = [\(gateways)]\n")
      return try program("scan", "--json", "--seconds", "1", "--config", "config.toml").error
    }
    let words = "forecourt: site.toml: no gateway has the name of radio east: it hears what left hears\n"
    #expect(try said(["left", "right"], radio: "east").contains(words))
    #expect(try !said(["left", "right"], radio: "right").contains("no gateway has"))
    #expect(try !said(["left"], radio: "east").contains("no gateway has"))
  }

  @Test("a full disk is a failure") func fullDisk() throws {
    let result = try program("--help", to: FileHandle(forWritingTo: URL(filePath: "/dev/full")))
    #expect(result.exit == 1)
    #expect(result.error == "forecourt: standard output: No space left on device\n")
  }
}
