import Core
import Host

/// From --config and --radio to a configuration.
extension Option {
  static var radio: Option {
    Option("radio", .text("ADAPTER"), "Listen through this adapter instead of the configuration's: \(listed(Adapter.forms, with: "or")).")
  }
}

extension Invocation {
  /// The configuration after `--config` and `--radio`. Prints its warnings; if it is wrong, prints every error and throws.
  func configuration(_ scope: ConfigurationText.Scope) throws(Exit) -> Configuration { try configuration(from: value("config"), scope) }

  /// The same from one file among several.
  func configuration(from name: String?, _ scope: ConfigurationText.Scope) throws(Exit) -> Configuration {
    let source = try source(named: name, scope)
    var configuration: Configuration
    do throws(Configuration.Refusal) {
      configuration = try Configuration(reading: source)
    } catch {
      for finding in error.findings { say(finding.line(in: source.name)) }
      throw .configuration
    }
    for finding in configuration.warnings { say(finding.line(in: source.name)) }
    if declares("radio"), let radio = value("radio") {
      do throws(Adapter.Refusal) {
        try configuration.replaceRadios(by: radio)
      } catch {
        throw refused("--radio \(radio): \(error.words)")
      }
    }
    return configuration
  }

  func source(named name: String?, _ scope: ConfigurationText.Scope) throws(Exit) -> ConfigurationText {
    do throws(SourceRefusal) {
      return try ConfigurationText(named: name, scope: scope)
    } catch {
      say("forecourt: " + error.sentence)
      throw error.isForbidden ? .forbidden : .configuration
    }
  }
}
