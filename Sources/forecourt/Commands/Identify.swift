import Core
import Host

extension Command {
  static var identify: Command {
    Command(
      name: "identify", summary: "connect to one device and read who it is",
      description: [
        "Waits until the device at ADDRESS is heard, connects, reads its services and prints each with its handles, and at last the installation id that [peer] id_prefix finds among them: peer:ID. Nothing of the configuration but the radios and [peer] is used; whether peer.identify is on does not matter.",
        "Ends after --seconds (15) at the latest. A phone's address changes every quarter of an hour: take it from what is heard now.",
      ],
      operands: .one("ADDRESS"), options: [.config, .radio, .seconds, .json],
      examples: [
        Example(line: "forecourt identify 4a:00:c1:7e:55:02", words: "Who is that?"),
        Example(line: "forecourt identify 4a:00:c1:7e:55:02 --json", words: "The same for a script."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try inquire(invocation) })
  }
}

private func inquire(_ invocation: Invocation) throws(Exit) {
  let address = try invocation.address(invocation.operands[0])
  let signals = Signals()
  let configuration = try invocation.configuration(.hearing)
  for adapter in configuration.host.adapters where adapter.isRehearsal {
    throw invocation.refused("\(adapter.written) is no radio: nobody can be asked there")
  }
  var arena = Arena.taken(bytes: Radios.bytes(configuration.core) + 4_096)
  let radios = try Radios(
    configuration.core, configuration.host.adapters, isAsked: true, invocation, duties: .errand(address), in: &arena)
  let inquiry = Inquiry(invocation, RadioConditions(radios.adapters))
  var loop = CoreLoop(inquiry, radios.bell, radios.all, signals)
  loop.run()
  let end = loop.listener.end
  invocation.out.bar.clear()
  radios.stop()
  if end != .done { throw end }
}

extension Invocation {
  /// The 48 bits of an address as people write it.
  fileprivate func address(_ text: String) throws(Exit) -> UInt64 {
    var word: UInt64 = 0
    let bytes = Array(text.utf8)
    var isRight = bytes.count == 17
    for (index, byte) in bytes.enumerated() {
      if index % 3 == 2 {
        isRight = isRight && byte == UInt8(ascii: ":")
      } else if let digit = hexDigit(byte) {
        word = word << 4 | UInt64(digit)
      } else {
        isRight = false
      }
    }
    guard isRight else { throw refused("\"\(text)\" is no address: it is written aa:bb:cc:dd:ee:ff") }
    return word
  }
}

/// Waits for the answers of one device.
private struct Inquiry: Listener, ~Copyable {
  private let invocation: Invocation
  private let stretch: Stretch
  private var services: [ServiceGroup] = []
  private var conditions: RadioConditions
  private var isOver = false
  private(set) var end = Exit.failed

  init(_ invocation: Invocation, _ conditions: RadioConditions) {
    (self.invocation, self.conditions) = (invocation, conditions)
    stretch = Stretch(seconds: invocation.number("seconds") ?? 15)
  }

  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) {
    guard !isOver, let news = PeerNews(packet: packet) else { return }
    switch news {
    case .offers(_, let service): services.append(service)
    case .identified(let peer): conclude(peer.address, peer.written, nil)
    case .stranger(let address): conclude(address, nil, "it has no installation id: no service begins with peer.id_prefix")
    case .failed(let address, let failure): conclude(address, nil, String(Text<64>(failure.sentence)))
    case .level, .sends, .withheld: break
    }
  }

  private mutating func conclude(_ address: Address, _ id: String?, _ refusal: String?) {
    isOver = true
    invocation.out.bar.clear()
    if id != nil { end = .done }
    if invocation.has("json") {
      var line = "{\"v\":1,\"address\":\"\(address.written)\",\"id\":\(id.map { json($0) } ?? "null"),"
      line += "\"error\":\(refusal.map { json($0) } ?? "null"),\"services\":["
      for (index, service) in services.enumerated() {
        line += (index > 0 ? "," : "") + "{\"uuid\":\"\(service.uuid.written)\",\"first\":\(service.first),\"last\":\(service.last)}"
      }
      return invocation.out.line(line + "]}")
    }
    for service in services { invocation.out.line("\(service.uuid.written)  \(service.first)-\(service.last)") }
    if let id { invocation.out.line(id) }
    if let refusal { say("forecourt identify: \(address.written): " + refusal) }
  }

  mutating func reported(_ report: Radio.Status, radio: Int) {
    if let news = conditions.reported(report, radio: radio) {
      invocation.out.bar.clear()
      say(news)
    }
    guard let refusal = conditions.end else { return }
    isOver = true
    end = refusal
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  mutating func tick(at moment: Instant) {}
  var nextDeadline: Instant { min(stretch.end, invocation.out.bar.wakes) }
  var hasWork: Bool { false }

  mutating func turned(at moment: Instant) -> Bool {
    if !isOver { invocation.out.bar.show(stretch.part(at: moment)) }
    if !isOver && moment >= stretch.end {
      invocation.out.bar.clear()
      say("forecourt identify: \(invocation.operands[0]): nobody there lets others connect, or nobody was heard")
      isOver = true
    }
    return !isOver
  }
}
