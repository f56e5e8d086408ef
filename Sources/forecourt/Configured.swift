import Core
import Host

extension Option {
  static var radio: Option {
    Option("radio", .text("ADAPTER"), "Listen through this adapter instead of the configuration's: \(listed(Adapter.forms, with: "or")).")
  }
}

extension Invocation {
  /// The configuration in force, after `--config` and `--radio`; warnings are said. Without one: every reason, and the end.
  func configuration(_ scope: Source.Scope) throws(Exit) -> Configuration { try configuration(from: value("config"), scope) }

  /// As above, from one file among several.
  func configuration(from name: String?, _ scope: Source.Scope) throws(Exit) -> Configuration {
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

  func source(named name: String?, _ scope: Source.Scope) throws(Exit) -> Source {
    do throws(SourceRefusal) {
      return try Source(named: name, scope: scope)
    } catch {
      say("forecourt: " + error.sentence)
      throw error.isForbidden ? .forbidden : .configuration
    }
  }
}

extension Configuration {
  /// Of the tables and threads that were made at start, what this configuration wants otherwise; nil: nothing.
  func refit(of settings: borrowing Settings, _ host: HostSettings) -> StaticString? {
    if core.gateway.devices != settings.gateway.devices { return "gateway.devices is" }
    guard core.radios.count == settings.radios.count, self.host.adapters.count == host.adapters.count else { return "[[radio]] is" }
    for index in self.host.adapters.indices where !same(self.host.adapters[index].written, host.adapters[index].written) {
      return "the radios' adapters are"
    }
    if core.gateway.simulated != settings.gateway.simulated { return "what is a rehearsal is" }
    for index in core.radios.indices where !core.radios[index].asksTheSame(as: settings.radios[index]) {
      return "[[radio]], but for receive_offset_db, is"
    }
    var peer = core.peer
    // It is not in the file.
    peer.ownID = settings.peer.ownID
    if peer != settings.peer { return "[peer] is" }
    return core.hasSameVoice(as: settings) ? nil : "[[transmit]] is"
  }
}

extension Settings {
  fileprivate func hasSameVoice(as other: borrowing Settings) -> Bool {
    guard transmissions.count == other.transmissions.count else { return false }
    for index in transmissions.indices where transmissions[index] != other.transmissions[index] { return false }
    return true
  }
}

extension RadioSettings {
  /// The offset may change at any time; what a controller was told at its bring-up may not.
  fileprivate func asksTheSame(as other: RadioSettings) -> Bool {
    name == other.name && activeScan == other.activeScan && interval == other.interval && window == other.window
      && codedPhy == other.codedPhy && oneMegabitPhy == other.oneMegabitPhy
  }
}
