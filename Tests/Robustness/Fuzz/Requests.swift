import Core
import Host

/// The input's first byte chooses a topic, what follows is the payload, as a stranger on the broker would send them. Whatever it
/// is: nothing traps, every refusal is one well-formed reply, and what passes is within its bounds and reads back as it is written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let (topic, payload) = split(choice, Array(input.dropFirst()))
  let intake = Intake(door.settings, toCore: door.core, CourierCounters())
  intake.receive(topic.span.bytes, payload.span.bytes, isRetained: choice & 0x80 != 0)
  var requests = 0
  while let request = door.core.requests.pop() {
    check(request)
    requests += 1
  }
  let replies = intake.takeReplies()
  precondition(requests + replies.count <= 1, "one message is one request or one refusal")
  for reply in replies { check(reply) }
  return 0
}

private struct Door: @unchecked Sendable {
  var settings = CourierSettings()
  let core: Outlet

  init() {
    settings.commands = true
    settings.claims = true
    settings.peers = true
    var arena = Arena.taken(bytes: Ring<Request>.bytes(for: 4))
    core = Outlet(requests: Ring(capacity: 4, in: &arena), bell: Doorbell())
  }
}

private let door = Door()

private func split(_ choice: UInt8, _ rest: [UInt8]) -> (topic: [UInt8], payload: [UInt8]) {
  let kinds = RemoteCommand.Kind.all
  switch Int(choice & 0x7F) {
  case let index where index < 7: return (Array("forecourt/site/gateway/command/\(kinds[index].name)".utf8), rest)
  case 7: return (Array("forecourt/site/claim/island/peer:BC00BD17/other".utf8), rest)
  case 8: return (Array("forecourt/site/peer/aa:bb:cc:dd:ee:0f/other".utf8), rest)
  case 9: return (Array("forecourt/site/claim/site/hello/other".utf8), rest)
  // Later than the corpora.
  case 10: return (Array("forecourt/site/gateway/command/\(kinds[7].name)".utf8), rest)
  default:
    let parts = rest.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    let beginning: StaticString = choice & 1 == 0 ? "forecourt/site/" : ""
    return (Array("\(beginning)".utf8) + (parts.first ?? []), parts.count > 1 ? Array(parts[1]) : [])
  }
}

private func check(_ request: Request) {
  switch request {
  case .command(let command, let ticket):
    precondition(command.kind == ticket.command && ticket.number > 0, "a ticket is for its command")
    check(.reply(to: ticket, from: door.settings.topics, simulated: false))
    switch command {
    case .ranging(.during(let span), _): precondition(span > .zero && span <= .hours(24), "ranging lasts a day at most")
    case .calibrate(_, let distance, let span): precondition(distance > Meters(0) && span > .zero, "there is something to measure")
    case .capture(let span): precondition(span <= .hours(1), "a capture ends")
    case .trigger(let name, _): precondition(!name.isEmpty, "a trigger has a name")
    case .ranging, .reload, .authorization, .ping, .forgetNeighbour: break
    }
  case .claim(let claim):
    precondition(claim.samples >= 0 && claim.dwell >= .zero && claim.age >= .zero, "a claim is possible")
    precondition(!claim.gateway.isEmpty && !claim.group.isEmpty, "a claim says whose it is, and of what")
    precondition(!door.settings.topics.claim(group: claim.group, claim.identity, gateway: claim.gateway).overflowed, "its topic fits")
  case .neighbour, .hello, .peer, .fired, .unfinished, .caughtUp, .twin: break
  }
}

private func check(_ reply: Message) {
  precondition(!reply.payload.overflowed && !reply.topic.overflowed && reply.payload.count < 1_024, "a reply fits")
  var index = 0
  while index < reply.payload.count {
    let length = reply.payload.bytes.characterLength(at: index)
    precondition(length > 0 && (length > 1 || reply.payload[index] >= 0x20), "a reply is printable UTF-8")
    index += length
  }
}
