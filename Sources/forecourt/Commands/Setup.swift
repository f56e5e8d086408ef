import Core
import Host

/// `forecourt setup`: asks, writes the configuration, examines it and waits for the first fire.
extension Command {
  static var setup: Command {
    Command(
      name: "setup", summary: "write the first configuration, and wait for the first fire",
      description: [
        "Asks for what a gateway needs: the adapter, which it frees; the purpose, a name and a site; the broker, which it tries; whom to recognise: hold the phone or beacon at the radio; and where people stand. Writes the configuration, runs check, and waits for the first fire. Starts the service if you say so.",
        "At each question < goes back to the one before; at the end a number changes any answer. Nothing is written before you agree, and a file that is there only after asking; it is then kept as FILE.old. Options answer questions ahead; where there is no terminal they answer all of them, and --purpose and --match are needed.",
      ],
      options: [
        Option("config", .text("FILE"), "What to write: $FORECOURT_CONFIG or /etc/forecourt/config.toml unless given."),
        Option("radio", .text("ADAPTER"), "The adapter: hci0 unless given; \(listed(Adapter.forms, with: "or"))."),
        Option("purpose", .text("TEXT"), "The sentence by which you tell people why you listen."),
        Option("name", .text("NAME"), "The name of this gateway: gateway unless given."),
        Option("site", .text("SITE"), "The place: site unless given."),
        Option("broker", .text("HOST[:PORT]"), "The MQTT broker: localhost unless given."),
        Option("match", .text("SELECTOR"), "Whom to recognise, such as ibeacon:UUID:7:*."),
        Option("call", .text("NAME"), "What people call this device."), Option("trigger", .text("NAME"), "The name of the spot."),
        Option("distance", .text("METRES"), "How near somebody stands there: 1.5 unless given."),
        Option("group", .text("NAME"), "The group of all spots that hear the same phone, here and at other gateways: none unless given."),
        Option("seconds", .number("N", 0...3_600), "How long to wait for the first fire: 300 on a terminal, else 0."),
        .force,
      ],
      examples: [
        Example(line: "sudo forecourt setup", words: "The first thing after the installation."),
        Example(
          line: "forecourt setup --purpose \"Opens pump 1\" --match peer:BC00BD17", words: "The same for a script."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in
        var setup = try Setup(invocation)
        try setup.run()
      })
  }
}

struct Setup {
  let invocation: Invocation
  let prompt: Prompt
  let file: String
  let isAsking = Prompt.isPossible
  let service = StoppedService()
  var answers = SetupAnswers(KernelAdapter.all)

  init(_ invocation: Invocation) throws(Exit) {
    do throws(SourceRefusal) {
      var named = invocation.value("config")
      if named == nil { named = try ConfigurationText.variable() }
      file = named ?? ConfigurationText.systemPlace
    } catch {
      say("forecourt: " + error.sentence)
      throw .configuration
    }
    answers.liesElsewhere = !same(FileSystem.real(file.folder + ".") ?? file, FileSystem.real(".") ?? "")
    self.invocation = invocation
    prompt = Prompt(signals: Signals())
  }

  mutating func run() throws(Exit) {
    defer { if let words = service.startedAgain() { say(words) } }
    try mayWrite()
    for question in SetupQuestion.all {
      guard let answer = invocation.value(question.option) else { continue }
      if let fault = answers.faults(of: question, answer).first { throw invocation.refused("--\(question.option) \(answer): \(fault)") }
      answers[question] = answer
    }
    if isAsking {
      try askAll()
    } else if let missing = [SetupQuestion.purpose, .device].first(where: { answers[$0] == nil }) {
      throw invocation.refused("--\(missing.option) is missing, and there is no terminal to ask on")
    }
    try write()
    say("")
    let fault = examine()
    try watch()
    offerStart(fault == nil)
    // A person has read it; a script reads only this.
    if !isAsking, let fault { throw fault }
  }

  // MARK: Asking

  private mutating func askAll() throws(Exit) {
    sayFilled("Each question has its default in brackets: Enter takes it. < goes back. Nothing is written before the end.")
    var open = SetupQuestion.all.filter { answers[$0] == nil }
    var index = 0
    while index < open.count {
      if try ask(open[index]) { index += 1 } else { index = max(index - 1, 0) }
    }
    open = SetupQuestion.all
    while true {
      say("")
      for (index, question) in open.enumerated() { say("\(index + 1)  \(question.option.padded(to: 9)) \(answers.inForce(question))") }
      say("")
      sayFilled("Enter writes \(file); a number changes that answer; q ends and writes nothing.")
      switch prompt.ask("Enter, a number or q:") {
      case .ended: throw .failed
      case .back: _ = try ask(.group)
      case .line(let line):
        if line.utf8.isEmpty { return }
        if same(line, "q") { throw .failed }
        if let number = decimal(line), open.indices.contains(number - 1) { _ = try ask(open[number - 1]) }
      }
    }
  }

  /// Asks until the answer is good; false when the person goes back instead.
  private mutating func ask(_ question: SetupQuestion) throws(Exit) -> Bool {
    say("")
    sayFilled(question.words)
    if question == .device { return try askForDevice() }
    if question == .radio { sayAdapters() }
    while true {
      let standard = answers[question] ?? question.standard(answers)
      let shown = standard.map { $0.utf8.isEmpty ? " [none]" : " [\($0)]" } ?? ""
      switch prompt.ask("\(question.option)\(shown):") {
      case .ended: throw .failed
      case .back: return false
      case .line(let line):
        let answer = line.utf8.isEmpty ? standard ?? "" : line
        let faults = answers.faults(of: question, answer)
        for fault in faults { sayFilled(question.told(fault), indent: 2) }
        guard faults.isEmpty else { continue }
        answers[question] = answer
        if question == .radio, !(try freeRadio()) { continue }
        if question == .broker, !(try tryBroker()) { continue }
        return true
      }
    }
  }

  private func sayAdapters() {
    let found = answers.machine.map { adapter in "hci\(adapter.number)" + (adapter.address.map { " (\($0.written))" } ?? "") }
    if !found.isEmpty { return sayFilled("This machine has \(listed(found, with: "and")).", indent: 2) }
    sayFilled("This machine shows no adapter of its own: plug one in, or write \(listed(Adapter.forms, with: "or")).", indent: 2)
  }

  // MARK: Trying

  /// False: another adapter is wanted.
  private func freeRadio() throws(Exit) -> Bool {
    try mends { () throws(Exit) in
      let configuration = try configuration()
      return .adapter(configuration.host.adapters[0], "radio", isWanted: true)
    }
  }

  private mutating func tryBroker() throws(Exit) -> Bool {
    answers.login = nil
    while true {
      let examined = try examinedBroker()
      guard case .bad(.forbidden) = examined.verdict else { break }
      sayFilled(examined.words, indent: 2)
      guard case .line(let name) = prompt.ask("User name (Enter: none):", indent: 2) else { throw .failed }
      if name.utf8.isEmpty { break }
      guard let password = prompt.hidden("Password:", indent: 2) else { throw .failed }
      answers.login = SetupAnswers.Login(name: name, password: password)
    }
    return try mends { () throws(Exit) in try examinedBroker() }
  }

  private func examinedBroker() throws(Exit) -> Examined {
    let bar = invocation.out.bar
    let configuration = try configuration()
    let examined = Examined.broker(configuration.core, configuration.host) { bar.show(nil) }
    bar.clear()
    return examined[0]
  }

  /// Examines, and offers the command that mends; then examines again. False: the person wants to answer otherwise.
  private func mends(_ examine: () throws(Exit) -> Examined) throws(Exit) -> Bool {
    while true {
      let examined = try examine()
      sayFilled(examined.words, indent: 2)
      guard examined.isBad else { return true }
      if let command = examined.command {
        guard let agreed = prompt.agrees(to: "Run \"\(Shell.written(command))\"?", otherwise: true, indent: 2) else { throw .failed }
        if agreed, Shell.run(Shell.written(command)) {
          service.record(command)
          continue
        }
      }
      guard let keeps = prompt.agrees(to: "Keep this answer all the same?", otherwise: false, indent: 2) else { throw .failed }
      return keeps
    }
  }

  func configuration(adding more: String = "") throws(Exit) -> Configuration {
    do throws(Configuration.Refusal) {
      return try answers.configuration(adding: more)
    } catch {
      for finding in error.findings { say(finding.line(in: "setup")) }
      throw .configuration
    }
  }
}

extension SetupQuestion {
  /// Some of the configuration's sentences begin with the key's name already.
  func told(_ fault: String) -> String { fault.rest(after: option) == nil ? "\(option) \(fault)" : fault }

  fileprivate var words: String {
    switch self {
    case .radio: "Which Bluetooth adapter listens? The gateway wants it for itself."
    case .purpose: "Why do you listen? One sentence for the people whom it recognises; the gateway publishes it."
    case .name: "What is this gateway called? Its topics are forecourt/SITE/NAME."
    case .site: "And the place? Gateways of one site hear of each other."
    case .broker: "Where is the MQTT broker?"
    case .device: "Whom shall it recognise?"
    case .call: "What do people call this device? The name stands beside its id in every message."
    case .trigger: "What is the spot called at which somebody arrives: a pump, a door, a till?"
    case .distance: "How far from the radio does somebody stand there, at most, in metres?"
    case .group: "Does another spot hear the same phone, such as the next pump's? Give all of them one group, and one of them fires."
    }
  }
}
