package import Core

/// One thing that the gateway needs of this machine, and its state.
package struct Examined {
  package enum Verdict: Sendable {
    case good
    /// The gateway will run, but somebody should look at this.
    case doubtful
    /// The gateway will not run.
    case bad(Failure)
  }

  package enum Failure: Sendable { case unavailable, forbidden, other }

  package let subject: String
  package let verdict: Verdict
  /// Its state and, after a colon, what to do.
  package let words: String
  /// What root may run to mend it, if one line does.
  package let command: String?

  init(_ subject: String, _ verdict: Verdict, _ words: String, command: String? = nil) {
    (self.subject, self.verdict, self.words, self.command) = (subject, verdict, words, command)
  }

  package var isBad: Bool { if case .bad = verdict { true } else { false } }

  /// Checks all that this configuration needs of this machine. It changes nothing, but publishes a message to the broker. It calls
  /// `meanwhile` a few times a second while it waits. It checks files with the rights of `owner`, and adapters with root's, which the unit
  /// grants the gateway.
  @export(interface) package static func machine(
    _ settings: borrowing Settings, _ host: HostSettings, as owner: Owner?, meanwhile: @escaping () -> Void
  ) -> [Examined] {
    var found: [Examined] = []
    if host.adapters.contains(where: { $0.isKernels }) { found.append(.kernel) }
    let isInUse = FileLock.isHeld(host.outbox.path)
    for index in host.adapters.indices {
      found.append(.adapter(host.adapters[index], "radio \(String(settings.radios[index].name))", isInUse: isInUse))
    }
    let entries = (try? AdapterFile.read(SideFiles.path(AdapterFile.name, beside: String(host.outbox.path)))) ?? []
    if let numbers = numbering(settings, host.adapters, entries, addressOf: { KernelAdapter.address(of: $0) }) { found.append(numbers) }
    found.append(.clock)
    // Only root sees what the running service sees.
    let service = Self.service(settings, host, as: owner?.name ?? userName)
    let isEntered = owner?.enter() ?? false
    defer { if isEntered { Owner.leave() } }
    let user = isEntered ? owner?.name ?? userName : userName
    found += Self.outbox(host, as: user, isInUse: isInUse)
    found += Self.files(settings, host, as: user)
    found += service
    if host.lacksLogin {
      found.append(Examined("broker", .doubtful, "is not asked: for that it takes credentials that only the service has"))
    } else {
      found += Self.broker(settings, host, meanwhile)
    }
    return found
  }

  @export(interface) package static func broker(
    _ settings: borrowing Settings, _ host: HostSettings, _ meanwhile: @escaping () -> Void
  ) -> [Examined] { broker(CourierSettings(settings, host, boot: SystemRandom.boot()), meanwhile) }
}
