import Core
import Foundation
import Host
import Simulation

/// Our own gateways, one for each of a site, with a broker between them that delays and loses what they tell one another.
final class Gateways {
  struct Broker {
    var loss = 0.02
    var delay = 0.005...0.06
    /// When nothing comes through though everybody is connected, in seconds.
    var deaf = 0.0..<0.0
  }

  private var boards: [Board] = []
  private var inFlight: [Letter] = []
  private var random: Random
  /// What is said all the time must not change what chance does to claims.
  private var smallTalk: Random
  private let broker: Broker
  private let offsets: [Double]
  private var events: [Event] = []

  struct Event {
    var gateway: Int
    var identity: String
    var name: String
    var time: Double
  }

  private struct Letter {
    var due: Double
    var to: Int
    var word: Word
  }

  private enum Word {
    case claim(Claim)
    case hello(Neighbour)
  }

  init(
    _ scenario: Scenario, seed: UInt64, broker: Broker = Broker(), isPlaced: Bool = false, cipher: @escaping Cipher,
    _ configure: (inout Settings) -> Void = { _ in }
  ) {
    self.broker = broker
    random = Random(seed: seed, 0x42524F4B)
    smallTalk = Random(seed: seed, 0x48454C4F)
    offsets = scenario.gateways.map(\.clock)
    boards = scenario.gateways.map { Board($0, seed: seed, isPlaced: isPlaced, cipher: cipher, configure) }
    for index in boards.indices {
      guard scenario.gateways.count > 1 else { continue }
      if scenario.gateways[index].silentFrom > 0 { boards[index].gateway.connected(true, at: moment(0, index)) }
      for other in scenario.gateways.indices where other != index {
        var neighbour = Neighbour()
        neighbour.name = scenario.gateways[other].name
        neighbour.boot = Text<16>("b")
        neighbour.groups.append(Name("site"))
        neighbour.isOnline = scenario.gateways[other].silentFrom > 0
        boards[index].gateway.receive(status: neighbour, at: moment(0, index))
      }
    }
  }

  /// What each gateway has learnt from visits, as its file keeps it from one run to the next.
  struct Learnt {
    fileprivate var powers: [LearntPowers.Record] = []
    fileprivate var places: [PlaceRecord] = []
    fileprivate var site: [ReceiverRecord] = []
  }

  var learnt: [Learnt] {
    get {
      boards.map { board in
        var learnt = Learnt()
        for place in 0..<board.gateway.triggers.learnt.count { learnt.powers.append(board.gateway.triggers.learnt[place]) }
        let records = board.gateway.triggers.plan.records
        for index in records.indices { learnt.site.append(records[index]) }
        board.gateway.triggers.unplaced.forEachRecord { learnt.places.append($0) }
        return learnt
      }
    }
    set {
      for (board, learnt) in zip(boards, newValue) {
        for record in learnt.powers { board.gateway.restore(record) }
        for record in learnt.places { board.gateway.restore(record) }
        for record in learnt.site { board.gateway.restore(record) }
      }
    }
  }

  private func moment(_ time: Double, _ gateway: Int) -> Instant { Instant(microseconds: Int64((time + offsets[gateway]) * 1e6)) }

  func receive(_ packet: Packet, gateway: Int) {
    advance(to: (packet.at - .zero).seconds - offsets[gateway])
    boards[gateway].gateway.receive(packet.bytes.bytes, radio: 0, at: packet.at)
    collect(gateway, (packet.at - .zero).seconds - offsets[gateway])
  }

  func takeEvents() -> [Event] {
    defer { events.removeAll(keepingCapacity: true) }
    return events
  }

  /// Letters that have arrived by then, each at its own time.
  func advance(to time: Double) {
    while true {
      let next = inFlight.indices.min(by: { inFlight[$0].due < inFlight[$1].due })
      let arrival = next.map { inFlight[$0].due } ?? .infinity
      let speaker = boards.indices.min(by: { helloDue($0) < helloDue($1) })!
      guard min(arrival, helloDue(speaker)) <= time else { return }
      if helloDue(speaker) < arrival {
        let due = helloDue(speaker)
        boards[speaker].gateway.tick(at: boards[speaker].gateway.triggers.membership.due)
        collect(speaker, due)
      } else if let next {
        deliver(inFlight.remove(at: next))
      }
    }
  }

  private func helloDue(_ index: Int) -> Double {
    let due = boards[index].gateway.triggers.membership.due
    return due == .never ? .infinity : Double(due.microseconds) * 1e-6 - offsets[index]
  }

  private func deliver(_ letter: Letter) {
    switch letter.word {
    case .claim(let claim): boards[letter.to].gateway.receive(claim: claim, at: moment(letter.due, letter.to))
    case .hello(let hello): boards[letter.to].gateway.receive(hello: hello, at: moment(letter.due, letter.to))
    }
    collect(letter.to, letter.due)
  }

  func end(at time: Double) {
    advance(to: time)
    for index in boards.indices {
      boards[index].gateway.tick(at: moment(time, index))
      collect(index, time)
    }
    // Minutes later everybody is forgotten: what is left in the tables would never leave them.
    for index in boards.indices {
      boards[index].gateway.tick(at: moment(time + 400, index))
      let left = boards[index].gateway.rowsInUse
      if left > 0 { fatalError("\(left) rows of the tables are still in use at gateway \(index)") }
    }
  }

  private func collect(_ index: Int, _ time: Double) {
    while let message = boards[index].messages.pop() {
      let topic = String(decoding: (0..<message.topic.count).map { message.topic[$0] }, as: UTF8.self)
      guard topic.contains("/trigger/") || topic.contains("/claim/") else { continue }
      let payload = String(decoding: (0..<message.payload.count).map { message.payload[$0] }, as: UTF8.self)
      let json = try! JSONSerialization.jsonObject(with: Data(payload.utf8)) as! [String: Any]
      if topic.contains("/hello/") {
        greet(json, from: index, at: time)
      } else if topic.contains("/claim/") {
        post(json, from: index, at: time)
      } else {
        let at = Double(message.at.microseconds) * 1e-6 - offsets[index]
        events.append(
          Event(gateway: index, identity: json["id"] as! String, name: json["event"] as! String, time: at))
      }
    }
  }

  private func post(_ json: [String: Any], from sender: Int, at time: Double) {
    var claim = Claim()
    claim.gateway = boards[sender].name
    claim.group = Name("site")
    claim.boot = Text<16>("b")
    claim.identity = Self.identity(json["id"] as! String)
    claim.sequence = UInt32(json["seq"] as! Int)
    claim.standing = ["withdrawn": .withdrawn, "candidate": .candidate, "holding": .holding, "fired": .fired][json["state"] as! String]!
    claim.level = (json["level_db"] as? Double).map { Decibels(Float($0)) }
    claim.steady = (json["steady_db"] as? Double).map { Decibels(Float($0)) }
    claim.isListening = json["listens"] as? Bool ?? false
    claim.rate = Float(json["rate_hz"] as? Double ?? 0)
    claim.age = .milliseconds(Int64(json["age_ms"] as? Int ?? 0))
    if let x = json["x_m"] as? Double, let y = json["y_m"] as? Double { claim.point = PlanPoint(x: Float(x), y: Float(y)) }
    for index in boards.indices where index != sender {
      guard !random.happens(broker.loss), !broker.deaf.contains(time) else { continue }
      claim.echo = echo(to: index, in: json)
      let delay = random.between(broker.delay.lowerBound, broker.delay.upperBound)
      inFlight.append(Letter(due: time + delay, to: index, word: .claim(claim)))
    }
  }

  private func greet(_ json: [String: Any], from sender: Int, at time: Double) {
    var hello = Neighbour()
    hello.name = boards[sender].name
    hello.boot = Text<16>("b")
    hello.groups.append(Name("site"))
    hello.sequence = UInt32(json["seq"] as! Int)
    hello.isOnline = true
    for index in boards.indices {
      guard !smallTalk.happens(broker.loss), !broker.deaf.contains(time) else { continue }
      hello.echo = echo(to: index, in: json)
      let delay = smallTalk.between(broker.delay.lowerBound, broker.delay.upperBound)
      inFlight.append(Letter(due: time + delay, to: index, word: .hello(hello)))
    }
  }

  private func echo(to index: Int, in json: [String: Any]) -> UInt32 {
    let (heard, runs) = (Text<520>(json["heard"] as! String), Text<200>(json["runs"] as! String))
    return Claim.echo(to: boards[index].name, Text<16>("b"), in: heard.bytes, runs: runs.bytes, mustName: true)
  }

  private static func identity(_ text: String) -> Identity {
    let written = Text<128>(text)
    return try! Identity(written: written.bytes)
  }
}

/// One gateway with its memory.
private final class Board {
  let name: Name
  let messages: Ring<Message>
  var gateway: Gateway
  private let memory: UnsafeMutableRawBufferPointer

  init(_ station: Station, seed: UInt64, isPlaced: Bool, cipher: @escaping Cipher, _ configure: (inout Settings) -> Void) {
    name = station.name
    var settings = Settings()
    settings.gateway.name = station.name
    settings.gateway.devices = 64
    settings.publish.skip = Meters(1e6)
    settings.publish.interval = .hours(100)
    var trigger = TriggerSettings()
    // Stricter than the default, which would hide second fires: nobody's visit may look like two.
    trigger.refractory = .seconds(12)
    trigger.name = station.name
    trigger.group = Name("site")
    trigger.match = Slice(start: 0, count: 1)
    _ = settings.selectors.append(.any)
    _ = settings.triggers.append(trigger)
    if isPlaced {
      var radio = RadioSettings()
      radio.point = PlanPoint(x: Float(station.place.x), y: Float(station.place.y))
      _ = settings.radios.append(radio)
    }
    configure(&settings)
    let bytes = Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 256)
    memory = .allocate(byteCount: bytes, alignment: 128)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    messages = Ring(capacity: 256, in: &arena)
    let clock = WallClock(started: Instant(microseconds: Int64(station.clock * 1e6)), epoch: nil)
    let publisher = Publisher(into: messages, boot: Text<16>("b"), clock: clock, pseudonyms: Pseudonyms(cipher, salt: Block(repeating: 0)))
    gateway = Gateway(settings, seed: seed, cipher: cipher, publisher: publisher, in: &arena)
  }

  deinit { memory.deallocate() }
}
