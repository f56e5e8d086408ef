import Core
import Host

/// From --config and --radio to a configuration.
extension Option {
  static var radio: Option { radioOption(Adapter.forms) }
  /// For what no recording can do.
  static var liveRadio: Option { radioOption(Adapter.liveForms) }

  private static func radioOption(_ forms: [String]) -> Option {
    Option(
      "radio", .text("ADAPTER"),
      "Listen through this adapter alone; if the configuration has several radios, through one of theirs: "
        + "\(listed(forms, with: "or")).")
  }
}

extension Invocation {
  /// The configuration after `--config` and `--radio`. Prints its warnings; if it is wrong, prints every error and throws. With a log they
  /// go there instead.
  func configuration(_ scope: ConfigurationText.Scope, _ log: Log? = nil) throws(Exit) -> Configuration {
    try configuration(from: value("config"), scope, orBuiltIn: false, log)
  }

  /// For a command that only listens, and where --radio says: it needs no configuration, and one that keeps the gateway's radios off
  /// does not bind it.
  func configurationToListen() throws(Exit) -> Configuration {
    guard value("radio") != nil else { return try configuration(.hearing) }
    var configuration = try configuration(from: value("config"), .hearing, orBuiltIn: true)
    if configuration.core.gateway.authorization == .denied {
      say("forecourt: authorization = \"denied\" keeps the gateway's radios off; this only listens, and publishes nothing")
      configuration.core.gateway.authorization = .always
    }
    return configuration
  }

  /// The same from one file among several.
  func configuration(
    from name: String?, _ scope: ConfigurationText.Scope, orBuiltIn: Bool = false, _ log: Log? = nil
  ) throws(Exit) -> Configuration {
    let source = try source(named: name, scope, orBuiltIn: orBuiltIn, log)
    var configuration: Configuration
    do throws(Configuration.Refusal) {
      configuration = try Configuration(reading: source)
    } catch {
      for finding in error.findings { tell(finding, in: source.name, log) }
      throw error.exit
    }
    for finding in configuration.warnings { tell(finding, in: source.name, log) }
    if declares("radio"), let radio = value("radio") {
      do throws(Adapter.Refusal) {
        let gone = try configuration.replaceRadios(by: radio)
        for name in gone { say("forecourt: --radio: trigger \(String(name)) stands at another radio, and is left out") }
      } catch {
        throw refused("--radio \(radio): \(error.words)")
      }
    }
    return configuration
  }

  private func tell(_ finding: Finding, in name: String, _ log: Log?) {
    guard let log else { return say(finding.line(in: name)) }
    log.say(finding.severity == .error ? .error : .warning, finding.line(in: name))
  }

  func source(
    named name: String?, _ scope: ConfigurationText.Scope, orBuiltIn: Bool = false, _ log: Log? = nil
  ) throws(Exit) -> ConfigurationText {
    do throws(SourceRefusal) {
      return try ConfigurationText(named: name, scope: scope)
    } catch {
      if orBuiltIn && error.isNone {
        say("forecourt: there is no configuration yet: every device is shown as it is heard, and nothing is published")
        return .builtIn
      }
      if let log { log.say(.error, error.sentence) } else { say("forecourt: " + error.sentence) }
      throw error.exit
    }
  }

  /// For a command that plays what was recorded or made up: nobody's radio is concerned, so authorization does not keep it back.
  func sayIfOff(_ configuration: borrowing Configuration, named name: String?) {
    let authorization = configuration.core.gateway.authorization
    guard authorization != .always else { return }
    let file = name.map { $0 + ": " } ?? ""
    say("forecourt: \(file)authorization is \"\(authorization.name)\": this is what the gateway would do with \"always\"")
  }
}

// systemd starts the gateway again unless only an editor helps: one bad read from a card must not keep it off.

extension SourceRefusal {
  var exit: Exit { isForbidden ? .forbidden : isPassing ? .failed : .configuration }
}

extension Configuration.Refusal {
  var exit: Exit {
    for finding in findings where finding.severity == .error && !finding.isPassing { return .configuration }
    return .failed
  }
}
