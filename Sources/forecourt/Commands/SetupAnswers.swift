import Core
import Host

/// What `forecourt setup` asks, in this order.
enum SetupQuestion: Int {
  case radio, purpose, name, site, broker, device, call, trigger, distance, group

  static let all: [SetupQuestion] = [.radio, .purpose, .name, .site, .broker, .device, .call, .trigger, .distance, .group]

  /// The option that answers it for a script.
  var option: String {
    switch self {
    case .radio: "radio"
    case .purpose: "purpose"
    case .name: "name"
    case .site: "site"
    case .broker: "broker"
    case .device: "match"
    case .call: "call"
    case .trigger: "trigger"
    case .distance: "distance"
    case .group: "group"
    }
  }

  /// An answer that most people keep; nil: there is none.
  func standard(_ answers: SetupAnswers) -> String? {
    switch self {
    case .radio: "hci0"
    case .purpose, .device: nil
    case .name: "gateway"
    case .site: "site"
    case .broker: "localhost"
    case .call, .group: ""
    case .trigger: answers[.name] ?? "gateway"
    case .distance: "1.5"
    }
  }
}

/// The answers so far, and the configuration that they make.
struct SetupAnswers {
  private var given: [String?] = SetupQuestion.all.map { _ in nil }
  /// The kernel's adapters.
  let machine: [KernelAdapter.Found]
  /// The file is written to another folder than the one where paths are typed.
  var liesElsewhere = false
  /// What `match` was found by, for the comment above it.
  var origin = ""
  /// What the broker wants to know of us, if it does.
  var login: Login?

  struct Login {
    let name: String
    let password: String
    /// Stands beside the configuration.
    static let file = "mqtt.password"
  }

  init(_ machine: [KernelAdapter.Found] = []) { self.machine = machine }

  subscript(question: SetupQuestion) -> String? {
    get { given[question.rawValue] }
    set { given[question.rawValue] = newValue }
  }

  func inForce(_ question: SetupQuestion) -> String { self[question] ?? question.standard(self) ?? "" }

  /// What the configuration's own reading says against an answer; empty: it is good.
  func faults(of question: SetupQuestion, _ answer: String) -> [String] {
    var trial = self
    trial[question] = answer
    if question == .distance, decimalNumber(answer) == nil { return ["write a number of metres, such as 1.5"] }
    // arm_m is three times as far, and at most 200.
    if question == .distance, let metres = decimalNumber(answer), metres > 66 { return ["(\(answer)) must be at most 66 m"] }
    if question == .broker, trial.broker == nil { return ["write HOST or HOST:PORT, such as localhost or 192.168.1.5:1883"] }
    do throws(Configuration.Refusal) {
      _ = try trial.configuration()
      return []
    } catch {
      var words: [String] = []
      for finding in error.findings where finding.severity == .error {
        // A trigger that takes the gateway's name has its faults, too.
        if !words.contains(where: { same($0, finding.words) }) { words.append(finding.words) }
      }
      return words
    }
  }

  func configuration(adding more: String = "") throws(Configuration.Refusal) -> Configuration {
    var trial = self
    if self[.purpose] == nil { trial[.purpose] = "not yet said" }
    if self[.device] == nil { trial[.device] = "*" }
    var read = try Configuration(reading: ConfigurationText(name: "setup", text: Array((trial.text + more).utf8), scope: .hearing))
    if let login { read.host.broker.password = Text(login.password) }
    return read
  }

  /// The host and the port that were written, if that is what they are.
  var broker: (host: String, port: String?)? {
    let parts = split(inForce(.broker), at: ":")
    if parts.count == 2 { return decimal(parts[1]) == nil ? nil : (parts[0], parts[1]) }
    // An IPv6 address has several colons, and a port only behind brackets.
    guard inForce(.broker).utf8.first == UInt8(ascii: "[") else { return (inForce(.broker), nil) }
    let sides = split(inForce(.broker), at: "]:")
    return (String(decoding: sides[0].bytes.dropFirst(), as: UTF8.self), sides.count == 2 ? sides[1] : nil)
  }

  // MARK: The file

  var text: String {
    var text = """
      # Written by `forecourt setup`. `forecourt check` finds mistakes here; /usr/share/doc/forecourt/examples/config.toml explains every key.

      [gateway]
      # The sentence by which you tell people why you listen; BASE/status publishes it.
      purpose = \(json(inForce(.purpose)))
      # BASE is forecourt/SITE/NAME.
      name = \(json(inForce(.name)))
      site = \(json(inForce(.site)))

      [[radio]]
      \(radio)


      """
    if let name = self[.call], !name.utf8.isEmpty {
      text += """
        # What people call it: the name stands beside its id.
        [[device]]
        name = \(json(name))
        match = \(json(inForce(.device)))


        """
    }
    if inForce(.device).rest(after: "peer:") != nil {
      text += """
        [peer]
        # A phone shows its installation id only to whoever connects to it and asks.
        identify = true


        """
    }
    return text + spot + """

      [mqtt]
      host = \(json(broker?.host ?? ""))
      \(broker?.port.map { "port = " + $0 } ?? "# port = 1883")
      \(login.map { "username = \(json($0.name))\npassword_file = \(json(Login.file))\n" } ?? "")
      """
  }

  /// Of several adapters each may have another number after a restart, but not another address.
  private var radio: String {
    let answer = inForce(.radio)
    let isKernels = answer.rest(after: "hci") != nil
    guard machine.count > 1, let chosen = machine.first(where: { same("hci\($0.number)", answer) }), let address = chosen.address,
      machine.filter({ $0.address == address }).count == 1
    else { return "name = \(json(isKernels ? answer : "radio"))\nadapter = \(json(placed(answer)))" }
    return """
      name = "radio"
      # It was \(answer) when this was written. A restart may give it another number, but not another address.
      adapter = \(json(address.written))
      """
  }

  /// The answer's path begins at the working directory, the file's at its own folder.
  private func placed(_ answer: String) -> String {
    guard liesElsewhere else { return answer }
    for kind in ["capture:", "simulate:", "unix:"] {
      if let path = answer.rest(after: kind), let place = FileSystem.real(path) { return kind + place }
    }
    return answer
  }

  private var spot: String {
    let distance = decimalNumber(inForce(.distance)) ?? 1.5
    var text = """
      # The arrival at one spot: BASE/trigger/NAME.
      [[trigger]]
      name = \(json(inForce(.trigger)))
      \(origin.utf8.isEmpty ? "# Whom it is for." : "# " + origin)
      match = \(json(inForce(.device)))
      # `fire` says that somebody stays nearer than this, in metres.
      fire_m = \(inForce(.distance))

      """
    // A leave is further than the fire, with room for a level that wavers: check would warn of less.
    // The reading of the whole says what is wrong with 0 or a billion.
    let (fire, usual) = (Meters(Float(min(max(distance, 0.1), 100))), TriggerSettings().leave)
    if PhysicsWarnings.tooSmallStep(from: fire, to: usual, PathLoss(Settings().calibration)) != nil {
      text += "leave_m = \(fixed(distance * 2, 1))\narm_m = \(fixed(distance * 3, 1))\n"
    }
    let group = inForce(.group)
    if group.utf8.isEmpty {
      return text + "# Where another spot hears the same phone, give both one group: then one of them fires.\n# group = \"pumps\"\n"
    }
    return text + "# Of all spots of this group that hear the same phone, here and at other gateways, one fires.\ngroup = \(json(group))\n"
  }
}
