package import Core

/// One thing of the machine that the gateway needs, and how it is.
package struct Examined {
  package enum Verdict: Sendable {
    case good
    /// The gateway will run, but somebody should know.
    case doubtful
    /// It will not, for this reason.
    case bad(Failure)
  }

  package enum Failure: Sendable { case unavailable, forbidden, other }

  package let subject: String
  package let verdict: Verdict
  /// How it is, and behind a colon what to do about it.
  package let words: String

  init(_ subject: String, _ verdict: Verdict, _ words: String) {
    (self.subject, self.verdict, self.words) = (subject, verdict, words)
  }

  /// Everything that this configuration needs of this machine. Nothing is changed but for one message to the broker.
  /// `meanwhile` is called a few times a second while somebody is waited for. Files are looked at as `owner` would; the adapters with what
  /// root may, as the unit gives the gateway that.
  @export(interface) package static func machine(
    _ settings: borrowing Settings, _ host: HostSettings, as owner: Owner?, meanwhile: @escaping () -> Void
  ) -> [Examined] {
    var found: [Examined] = []
    if host.adapters.contains(where: { $0.isKernels }) { found.append(.kernel) }
    for index in host.adapters.indices {
      found.append(.adapter(host.adapters[index], "radio \(String(settings.radios[index].name))"))
    }
    found.append(.clock)
    let isEntered = owner?.enter() ?? false
    defer { if isEntered { Owner.leave() } }
    found += Self.outbox(host, as: isEntered ? owner?.name ?? userName : userName)
    found += Self.broker(CourierSettings(settings, host, boot: SystemRandom.boot()), meanwhile)
    return found
  }
}
