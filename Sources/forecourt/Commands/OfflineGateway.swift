import Core
import Host

/// A gateway without threads, broker and outbox: the commands feed it packets, recorded, simulated or live, and print what it says.
struct OfflineGateway: ~Copyable {
  private(set) var gateway: Gateway
  private let messages: Ring<Message>
  /// What one packet brings beyond what the ring holds: a gap in a recording ends all visits at once.
  private let overflow = Overflow()

  private final class Overflow {
    private var messages: [Message] = []
    private var next = 0

    func fill(from ring: Ring<Message>) { while let message = ring.pop() { messages.append(message) } }

    func take(_ use: (borrowing Message) -> Void) -> Bool {
      guard next < messages.count else { return false }
      use(messages[next])
      next += 1
      if next == messages.count { (messages, next) = ([], 0) }
      return true
    }
  }

  init(_ configuration: consuming Configuration, epoch: Int64?, started: Instant = .zero) {
    var settings = configuration.core
    settings.gateway.simulated = true
    // What is recorded or asked for is not kept from the person who asks; only the gateway's radios are.
    settings.gateway.authorization = .always
    let queued = Limits.messagesQueued
    var arena = Arena.taken(bytes: Gateway.bytes(for: settings) + Ring<Message>.bytes(for: queued))
    messages = Ring(capacity: queued, in: &arena)
    let cipher = aes128()
    let publisher = Publisher(
      into: messages, boot: Text("replay"), clock: WallClock(started: started, epoch: epoch),
      pseudonyms: Pseudonyms(cipher, salt: Block(repeating: 0)),
      whenFull: { [overflow] in overflow.fill(from: $0) })
    gateway = Gateway(settings, seed: Self.seed, cipher: cipher, publisher: publisher, in: &arena)
    gateway.caughtUp(at: started)
  }

  /// Fixed, so that every replay gives the same lines.
  private static let seed: UInt64 = 0x666F_7265_636F_7572

  mutating func receive(_ packet: borrowing Packet, radio: Int) { receive(packet.bytes.bytes, radio: radio, at: packet.at) }

  mutating func receive(_ bytes: RawSpan, radio: Int, at moment: Instant) {
    // A recording also holds our own commands to the controller.
    guard bytes.byteCount > 0, bytes[0] != PacketType.command.rawValue else { return }
    gateway.receive(bytes, radio: radio, at: moment)
  }

  mutating func tick(at moment: Instant) { gateway.tick(at: moment) }

  /// Takes the oldest message; false when there is none.
  mutating func take(_ use: (borrowing Message) -> Void) -> Bool { overflow.take(use) || messages.take(use) }

  /// For commands that only look at the devices.
  mutating func dropMessages() { while take({ _ in }) {} }

  /// Prints the messages so far.
  mutating func print(to out: Output) {
    while take({ out.line($0) }) {}
  }
}

extension Output {
  /// `{"t_us":…,"topic":…,"qos":…,"retain":…,"payload":{…}}`
  func line(_ message: borrowing Message, since start: Instant = .zero) {
    var head = Text<512>()
    head.openObject()
    head.member("t_us", (message.at - start).microseconds)
    head.member("topic", text: message.topic.bytes)
    head.member("qos", Int64(message.qos))
    head.member("retain", message.isRetained)
    head.key("payload")
    write(head.bytes)
    write(message.payload.bytes)
    line("}")
  }
}
