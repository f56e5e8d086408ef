/// What the broker brought, checked at the door: a permitted command, or a neighbour's message.
package enum Request: BitwiseCopyable, Sendable {
  case command(RemoteCommand, Ticket)
  case claim(Claim)
  case neighbour(Neighbour)
  /// From a neighbour, or our own that came back.
  case hello(Neighbour)
  case peer(KnownPeer)
  /// A sign of another gateway with our site and name.
  case twin
  /// From the outbox: a fire of the run before, a visit that it left open, and the end of the list.
  case fired(Unfinished)
  case unfinished(Unfinished)
  case caughtUp
}

/// A command from the broker. README.md, Topics.
package enum RemoteCommand: BitwiseCopyable, Sendable, Equatable {
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    case ranging, calibrate, reload, trigger, authorization, capture, ping, forgetNeighbour
  }

  package enum RangingOrder: BitwiseCopyable, Sendable, Equatable {
    case start, stop
    case during(Interval)
  }

  /// Of one region; without a name, of all.
  case ranging(RangingOrder, region: Name)
  /// Measure one device at a known distance.
  case calibrate(Identity, at: Meters, during: Interval)
  case reload
  /// The driver typed the pump's number.
  case trigger(Name, Identity)
  case authorization(Authorization)
  /// The gateway chooses the file: no command names a path.
  case capture(Interval)
  case ping
  /// A gateway that will not come back: no trigger waits for it any more.
  case forgetNeighbour(Name)

  package var kind: Kind {
    switch self {
    case .ranging: .ranging
    case .calibrate: .calibrate
    case .reload: .reload
    case .trigger: .trigger
    case .authorization: .authorization
    case .capture: .capture
    case .ping: .ping
    case .forgetNeighbour: .forgetNeighbour
    }
  }

  /// Whether it undoes what the other one ordered.
  package func supersedes(_ other: RemoteCommand) -> Bool {
    switch (kind, other.kind) {
    case (.authorization, .authorization), (.authorization, .ranging), (.ranging, .ranging): self != other
    default: false
    }
  }
}

extension RemoteCommand.Kind {
  /// Carried out twice it does what it does once. Whoever sends it again wants it again, under whatever id.
  package var mayRepeat: Bool { self == .ping || self == .reload }

  package static let all: InlineArray<8, Self> = [
    .ranging, .calibrate, .reload, .trigger, .authorization, .capture, .ping, .forgetNeighbour,
  ]

  package var name: StaticString {
    switch self {
    case .ranging: "ranging"
    case .calibrate: "calibrate"
    case .reload: "reload"
    case .trigger: "trigger"
    case .authorization: "authorization"
    case .capture: "capture"
    case .ping: "ping"
    case .forgetNeighbour: "forget-neighbour"
    }
  }
}

/// Accompanies a command to the part that executes it, and returns with the reply.
package struct Ticket: BitwiseCopyable, Sendable {
  /// The courier's own number; never zero for a command from the broker.
  package var number: UInt64 = 0
  package var command = RemoteCommand.Kind.ping
  /// The command's `request` member, repeated in the reply. Empty when there was none.
  package var request = Text<64>()

  package init(_ command: RemoteCommand.Kind = .ping, number: UInt64 = 0) {
    self.command = command
    self.number = number
  }
}

/// An installation id read over GATT by a neighbour: each phone is asked once for the whole site.
package struct KnownPeer: BitwiseCopyable, Sendable {
  package var address: Address
  package var id: UInt32
  /// How long ago it was read.
  package var age = Interval.zero
  /// The gateway that read it, which of its runs, and that run's age: an id of another run, or older than an address lives, is a recording.
  package var gateway = Name()
  package var boot = Text<16>()
  package var uptime = Interval.zero

  package init(address: Address, id: UInt32) {
    self.address = address
    self.id = id
  }
}

extension Message {
  /// `{"v":1,"ok":…,"error":…,"request":…}`: every command gets a reply.
  @export(interface) package static func reply(
    to ticket: Ticket, from topics: Topics, error: Sentence? = nil, simulated: Bool
  ) -> Message {
    var message = Message()
    message.care = .reply
    message.sequence = ticket.number
    message.topic = topics.reply(ticket.command.name)
    message.payload.openReply(ok: error == nil)
    if let error { message.payload.member("error", text: error.bytes) } else { message.payload.memberNull("error") }
    message.payload.closeReply(ticket, simulated: simulated)
    return message
  }

  @export(interface) package static func reply(
    to ticket: Ticket, from topics: Topics, refusing error: StaticString, simulated: Bool
  ) -> Message {
    reply(to: ticket, from: topics, error: Sentence(error), simulated: simulated)
  }
}

extension Payload {
  /// What a gateway publishes of an installation id that it has read.
  mutating func members(of peer: KnownPeer) {
    member("random", peer.address.kind == .random)
    member("id", installation: peer.id)
  }

  mutating func member(_ key: StaticString, installation id: UInt32) {
    self.key(key)
    append(byte: UInt8(ascii: "\""))
    for byte in 0..<4 { append(hex: UInt8(truncatingIfNeeded: id >> UInt32(24 - byte * 8)), upperCase: true) }
    append(byte: UInt8(ascii: "\""))
  }

  /// For replies with more members: open, add members, close.
  package mutating func openReply(ok: Bool) {
    openObject()
    member("v", 1)
    member("ok", ok)
  }

  package mutating func closeReply(_ ticket: Ticket, simulated: Bool) {
    if ticket.request.isEmpty { memberNull("request") } else { member("request", text: ticket.request.bytes) }
    close(simulated: simulated)
  }
}
