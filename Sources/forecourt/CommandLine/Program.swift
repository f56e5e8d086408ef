import CLinux
import Host

/// The program: from the arguments to a command, and from its end to the exit code.
enum Program {
  static func run() -> Exit {
    // A reader or a broker that goes away is an error value, not a signal that kills.
    linux_ignore_broken_pipes()
    linux_open_standard_files()
    let out = Output()
    var end = Exit.done
    do throws(Exit) {
      try runCommand(try arguments(), out)
    } catch {
      end = error
    }
    return out.close() ? end : .failed
  }

  private static func runCommand(_ words: [String], _ out: Output) throws(Exit) {
    guard let first = words.first else {
      say(Manual.usage)
      throw .usage
    }
    if same(first, "--help") || same(first, "-h") || same(first, "help") {
      guard words.count > 1 else { return out.write(Manual.page()) }
      let page = Manual.page(for: try command(words[1]))
      guard words.count == 2 else {
        say("forecourt help: \"\(words[2])\" is one word too many")
        throw .usage
      }
      return out.write(page)
    }
    let command = try command(same(first, "--version") ? "version" : first)
    let invocation = try Invocation(command, Array(words.dropFirst()), out)
    if invocation.asksForHelp { return out.write(Manual.page(for: command)) }
    try command.run(invocation)
  }

  private static func command(_ name: String) throws(Exit) -> Command {
    if let command = Command.named(name) { return command }
    let isOption = name.utf8.first == UInt8(ascii: "-")
    let meant = suggestion(for: name, among: Command.all.map { $0.name }).map { "; did you mean \"\($0)\"?" } ?? ""
    say("forecourt: unknown \(isOption ? "option" : "command") \"\(name)\"\(meant)")
    say(Manual.usage)
    throw .usage
  }

  private static func arguments() throws(Exit) -> [String] {
    var words: [String] = []
    for index in 1..<max(linux_argument_count(), 1) {
      // SAFETY: the arguments of the process are terminated and live as long as it does.
      guard let argument = unsafe linux_argument(index) else { continue }
      let word = unsafe String(cString: argument)
      // A String replaces what is not UTF-8, and would be the name of another file.
      guard unsafe word.withCString({ unsafe strcmp($0, argument) }) == 0 else {
        say("forecourt: \"\(shown(word))\" is not UTF-8, as every word must be: rename a file, or name a link to it (ln -s)")
        throw .usage
      }
      words.append(word)
    }
    return words
  }
}
