import Core
import Host

/// `forecourt identify`: connects to one device; prints text or JSON.
extension Command {
  static var identify: Command {
    Command(
      name: "identify", summary: "connect to one device and read its identity",
      description: [
        "Waits until it hears the device at ADDRESS, connects, and reads its services. Prints each with its handles, and then the installation id that [peer] id_prefix finds among them: peer:ID. Uses only the radios and [peer] of the configuration; peer.identify need not be on.",
        "Gives up after --seconds, 15 unless given. A phone changes its address every quarter of an hour: take one that was heard just now.",
      ],
      operands: .one("ADDRESS"), options: [.config, .liveRadio, .seconds, .json],
      examples: [
        Example(line: "forecourt identify 4a:00:c1:7e:55:02", words: "Whose address is this?"),
        Example(line: "forecourt identify 4a:00:c1:7e:55:02 --json", words: "The same for a script."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runIdentify(invocation) })
  }
}

private func runIdentify(_ invocation: Invocation) throws(Exit) {
  let address = try invocation.address(invocation.operands[0])
  let signals = Signals()
  let configuration = try invocation.configuration(.hearing)
  for adapter in configuration.host.adapters where adapter.isRehearsal {
    throw invocation.refused("\(adapter.written) is no radio: it cannot connect to a device")
  }
  let radios = try Radios(attendedBy: invocation, configuration, duties: .errand(address))
  let conditions = RadioConditions(radios.adapters, configuration.knownAdapters)
  var loop = CoreLoop(IdentifyListener(invocation, conditions), radios.bell, radios.all, signals)
  loop.run()
  let end = loop.listener.end
  invocation.out.bar.clear()
  radios.stop()
  if end != .done { throw end }
}

extension Invocation {
  /// The 48 bits of an address as people write it.
  func address(_ text: String) throws(Exit) -> UInt64 {
    guard let address = Address(written: text) else { throw refused("\"\(text)\" is no address: write it as aa:bb:cc:dd:ee:ff") }
    return address.word
  }
}

/// Waits for the answers of one device.
struct IdentifyListener: AttendedListener, ~Copyable {
  private let invocation: Invocation
  private let span: TimeSpan
  private var services: [ServiceGroup] = []
  private var conditions: RadioConditions
  private var isOver = false
  private(set) var end = Exit.failed

  init(_ invocation: Invocation, _ conditions: RadioConditions) {
    (self.invocation, self.conditions) = (invocation, conditions)
    span = TimeSpan(seconds: invocation.number("seconds") ?? 15)
  }

  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) {
    guard !isOver, let news = PeerNews(packet: packet) else { return }
    switch news {
    case .offers(_, let service): services.append(service)
    case .identified(let peer): finish(peer.address, peer.written, nil)
    case .stranger(let address): finish(address, nil, "it has no installation id: no service begins with peer.id_prefix")
    case .failed(let address, let failure): finish(address, nil, String(Text<64>(failure.sentence)))
    case .level, .sends, .withheld: break
    }
  }

  private mutating func finish(_ address: Address, _ id: String?, _ refusal: String?) {
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
    conditions.print(report, radio: radio, over: invocation.out.bar)
    guard let refusal = conditions.end else { return }
    isOver = true
    end = refusal
  }

  mutating func asked(_ request: Signals.Order) { isOver = true }
  var nextDeadline: Instant { min(span.end, invocation.out.bar.wakes) }

  mutating func turned(at moment: Instant) -> Bool {
    if !isOver { invocation.out.bar.show(span.part(at: moment)) }
    if !isOver && moment >= span.end {
      invocation.out.bar.clear()
      say("forecourt identify: \(invocation.operands[0]): it was not heard, or does not accept connections")
      isOver = true
    }
    return !isOver
  }
}
