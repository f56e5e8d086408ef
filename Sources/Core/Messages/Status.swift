/// The payload of `BASE/status`: retained, and in its shortest form the last will.
package struct StatusReport: BitwiseCopyable, Sendable {
  package enum State: UInt8, BitwiseCopyable, Sendable {
    case online, offline, degraded

    package var name: StaticString {
      switch self {
      case .online: "online"
      case .offline: "offline"
      case .degraded: "degraded"
      }
    }
  }

  package struct RadioState: BitwiseCopyable, Sendable {
    package var name = Name()
    package var state = Name()

    package init(name: Name = Name(), state: Name = Name()) {
      self.name = name
      self.state = state
    }
  }

  /// One of the configuration's transmissions, or our own services.
  package struct Transmit: BitwiseCopyable, Sendable {
    package enum State: UInt8, BitwiseCopyable, Sendable {
      /// Not yet, or its radio does not work.
      case off
      case on
      /// The controller refuses it.
      case refused

      package var name: StaticString {
        switch self {
        case .off: "off"
        case .on: "on"
        case .refused: "refused"
        }
      }
    }

    /// nil: our services.
    package let kind: TransmitSettings.Kind?
    package var state = State.off
    /// The power that the controller chose.
    package var power: Int8?

    package init(_ kind: TransmitSettings.Kind?) { self.kind = kind }
  }

  package var state = State.online
  package var reason = Sentence()
  /// How many troubles there are beside the reason's.
  package var reasonsLeftOut = 0
  package var version = Name()
  package var boot = Name()
  package var purpose = Sentence()
  package var authorization = Authorization.always
  package var radios = PerRadio(filledWith: RadioState())
  /// Those of the first radio; our services are the last.
  package var transmits = Bounded<9, Transmit>(filledWith: Transmit(nil))
  /// The groups of its triggers, a slash between two; `*` when they do not fit: neighbours must know whether to wait for us.
  package var groups = Text<100>()
  /// How the site's gateways hear each other; nil when none of our triggers has a group.
  package var site: Site?
  /// Whether the site's messages are signed.
  package var isAuthenticated = false
  /// Nothing has synchronised the machine's clock since it started.
  package var isClockUnsynchronised = false
  package var simulated = false

  package struct Site: BitwiseCopyable, Sendable, Equatable {
    package var heard = 0
    /// Gateways that should be heard and are not: `island-2/island-3`.
    package var missing = Text<100>()
    package var missingLeftOut = 0

    package init() {}
  }

  package init() {}
}

extension StatusReport {
  fileprivate var roomForProof: Int { isAuthenticated ? Payload.proofBytes : 0 }
}

extension TransmitSettings.Kind {
  package var name: StaticString {
    switch self {
    case .iBeacon: "ibeacon"
    case .altBeacon: "altbeacon"
    case .eddystoneUID: "eddystone-uid"
    case .eddystoneURL: "eddystone-url"
    }
  }
}

extension Authorization {
  package var name: StaticString {
    switch self {
    case .always: "always"
    case .whenInUse: "when-in-use"
    case .denied: "denied"
    }
  }
}

extension Message {
  @_optimize(size)
  @export(interface) package static func status(_ report: StatusReport, topics: Topics, at now: Instant) -> Message {
    var message = begun(report.state, report.reason, topics: topics, at: now)
    if report.reasonsLeftOut > 0 { message.payload.member("reasons_left_out", Int64(report.reasonsLeftOut)) }
    message.payload.member("version", text: report.version.bytes, upTo: 34)
    message.payload.member("boot", text: report.boot.bytes, upTo: 20)
    message.payload.member("authorization", report.authorization.name)
    if report.isClockUnsynchronised { message.payload.member("clock", "unsynchronised") }
    if !report.groups.isEmpty { message.payload.member("groups", text: report.groups.bytes, upTo: 104) }
    if let site = report.site { message.payload.member(site, isAuthenticated: report.isAuthenticated) }
    message.payload.array("radios")
    for index in report.radios.indices {
      message.payload.openObject()
      message.payload.member("name", text: report.radios[index].name.bytes, upTo: 34)
      message.payload.member("state", text: report.radios[index].state.bytes, upTo: 34)
      message.payload.closeObject()
    }
    message.payload.closeArray()
    // The purpose comes last and is cut to the room left: all else is short.
    let rest = (report.transmits.isEmpty ? 40 : 80) + report.roomForProof
    message.payload.member("purpose", text: report.purpose.bytes, upTo: max(message.payload.free - rest, 0))
    if !report.transmits.isEmpty { message.payload.appendTransmits(of: report) }
    message.payload.close(simulated: report.simulated)
    return message
  }

  /// The last will, and the message at the end of a run.
  package static func offline(_ reason: StaticString, topics: Topics, boot: Text<16>, simulated: Bool) -> Message {
    var message = begun(.offline, Sentence(reason), topics: topics, at: .zero)
    if !boot.isEmpty { message.payload.member("boot", text: boot.bytes) }
    message.payload.close(simulated: simulated)
    return message
  }

  private static func begun(_ state: StatusReport.State, _ reason: Sentence, topics: Topics, at now: Instant) -> Message {
    var message = Message()
    message.care = .state
    message.isForSite = true
    message.at = now
    message.topic = topics.status
    message.payload.openObject()
    message.payload.member("v", 1)
    message.payload.member("state", state.name)
    if reason.isEmpty { message.payload.memberNull("reason") } else { message.payload.member("reason", text: reason.bytes, upTo: 160) }
    return message
  }
}

extension Payload {
  fileprivate mutating func member(_ site: StatusReport.Site, isAuthenticated: Bool) {
    object("site")
    member("trust", isAuthenticated ? "key" : "unauthenticated" as StaticString)
    member("heard", Int64(site.heard))
    if site.missing.isEmpty { memberNull("missing") } else { member("missing", text: site.missing.bytes, upTo: 60) }
    if site.missingLeftOut > 0 { member("missing_left_out", Int64(site.missingLeftOut)) }
    closeObject()
  }

  /// Behind the purpose, as many as fit: eight beacons and four radios with long names exceed a payload.
  fileprivate mutating func appendTransmits(of report: borrowing StatusReport) {
    array("transmits")
    var leftOut: Int64 = 0
    let least = 45 + report.roomForProof
    for index in report.transmits.indices {
      let before = count
      openObject()
      member("kind", report.transmits[index].kind?.name ?? "peer")
      if !report.radios.isEmpty { member("radio", text: report.radios[0].name.bytes, upTo: 34) }
      member("state", report.transmits[index].state.name)
      if let power = report.transmits[index].power { member("tx_power_dbm", Int64(power)) } else { memberNull("tx_power_dbm") }
      closeObject()
      // What must still fit: the bracket, the number left out, and the end.
      if leftOut > 0 || free < least {
        truncate(to: before)
        leftOut += 1
      }
    }
    closeArray()
    if leftOut > 0 { member("transmits_left_out", leftOut) }
  }

  package mutating func close(simulated: Bool) {
    if simulated { member("simulated", true) }
    closeObject()
  }
}
