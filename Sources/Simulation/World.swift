package import Core

/// One run of a scenario: the same scenario and seed give the same packets, bit for bit, on every machine.
///
/// Memory is taken at the start; `next` allocates nothing.
package struct World: ~Copyable {
  package let scenario: Scenario
  package let visits: [Stay]
  /// The phone that sent the last packet.
  package private(set) var speaker = 0
  private let air: AirModel
  private let cipher: Cipher?
  private var journeys: [Journey]
  private var transmitters: [Transmitter]
  private var timetable: Timetable
  private var links: [Fading]
  private var receivers: [Receiver]
  private var waiting = PacketQueue()
  private var obstacles: [Obstacle] = []

  /// `cipher` is needed for phones whose addresses resolve with a key.
  @export(interface) package init(_ scenario: Scenario, seed: UInt64, cipher: Cipher? = nil) {
    let populated = scenario.withBystanders(seed: seed)
    self.scenario = populated
    self.cipher = cipher
    air = AirModel(scenario.air)
    var journeys: [Journey] = []
    for index in populated.travellers.indices {
      var random = Random(seed: seed, 0x5741_4C4B, index)
      journeys.append(Journey(populated.travellers[index], until: scenario.seconds, random: &random))
    }
    self.journeys = journeys
    var transmitters: [Transmitter] = []
    for index in populated.phones.indices {
      transmitters.append(Transmitter(populated.phones[index], seed: seed, index: index, cipher: cipher))
    }
    self.transmitters = transmitters
    timetable = Timetable(transmitters)
    let pairs = transmitters.count * scenario.gateways.count
    links = (0..<pairs).map { Fading(seed: seed, index: $0) }
    receivers = scenario.gateways.indices.map { Receiver(scenario.gateways[$0], seed: seed, index: $0) }
    visits = Stay.all(in: scenario, journeys)
  }

  /// The next packet, and the gateway that receives it; nil when the scenario is over. Each gateway's packets come in order.
  @export(interface) package mutating func next(into packet: inout Packet) -> Int? {
    while true {
      if let gateway = waiting.take(into: &packet) { return gateway }
      guard let next = timetable.first, Double(next.due) * 1e-6 < scenario.seconds else { return nil }
      speaker = next.transmitter
      transmit(next.transmitter, at: next.due)
      transmitters[next.transmitter].transmitted(cipher)
      timetable.postponeFirst(to: transmitters[next.transmitter].due)
    }
  }

  /// Where a traveller is. Cheap while the times rise.
  package mutating func posture(of traveller: Int, at time: Double) -> Whereabouts { journeys[traveller].posture(at: time) }

  /// The phone behind an identity, by its advert or its recent addresses.
  package func phone(meantBy identity: Identity) -> Int? { transmitters.firstIndex { $0.isMeant(by: identity) } }

  private mutating func transmit(_ index: Int, at due: Int64) {
    let time = Double(due) * 1e-6
    let phone = transmitters[index].phone
    let posture = journeys[phone.bearer].posture(at: time)
    meetObstacles(of: phone.bearer, at: time)
    for gateway in receivers.indices {
      guard let channel = receivers[gateway].channel(at: time) else { continue }
      let open = transmitters[index].power - loss(of: phone, posture, to: receivers[gateway].station)
      guard open > receivers[gateway].station.sensitivity - 25 else { continue }
      let link = index * receivers.count + gateway
      let level = open + links[link].fading(on: channel, after: posture.way, at: time, in: air)
      receive(index, at: due, level: level, by: gateway, over: link)
    }
  }

  private mutating func receive(_ transmitter: Int, at due: Int64, level: Double, by gateway: Int, over link: Int) {
    let time = Double(due) * 1e-6
    receivers[gateway].traffic.record(level, at: time)
    let heard = receivers[gateway].chanceToHear(level, interference: air.settings.interference)
    guard links[link].happens(heard) else { return }
    let payload = transmitters[transmitter].payload
    let rssi = level + links[link].error(air.settings.reportError)
    var report = SimulatedAdvert(
      kind: .advert, isConnectable: payload.isConnectable, address: transmitters[transmitter].address, data: payload.advert,
      rssi: Int8(min(max(Arithmetic.rounded(rssi), -120), 20)))
    var events = Events(station: receivers[gateway].station, at: receivers[gateway].stamp(due))
    events.add(report)
    if receivers[gateway].station.activeScan, payload.response.count > 0, links[link].happens(heard) {
      report.kind = .response
      report.data = payload.response
      events.add(report)
    }
    waiting.put(events, for: gateway)
  }

  /// Everything between a phone and a gateway except chance.
  private func loss(of phone: Phone, _ posture: Whereabouts, to station: Station) -> Double {
    let line = station.place - posture.place
    let height = station.height - phone.height
    let distance = (line.dot(line) + height * height).squareRoot()
    var loss = air.pathLoss(over: distance) - station.gain + phone.carried.loss
    if posture.conveyance == .car {
      if !phone.carried.isOutside { loss += air.settings.carShell }
    } else {
      loss += phone.carried.body * (1 - phone.carried.facing * posture.heading.dot(line.direction)) / 2
    }
    for obstacle in obstacles where obstacle.place.distance(toLineFrom: posture.place, to: station.place) < obstacle.reach {
      loss += obstacle.loss
    }
    return loss
  }

  /// Other people and cars in the line. Bystanders are left out: they are too many, and their truth is not needed.
  private mutating func meetObstacles(of bearer: Int, at time: Double) {
    obstacles.removeAll(keepingCapacity: true)
    let named = scenario.travellers.count - scenario.bystanders.count
    guard bearer < named else { return }
    for other in 0..<named where other != bearer {
      let posture = journeys[other].posture(at: time)
      if let car = posture.conveyance == .car ? posture.place : posture.car {
        obstacles.append(Obstacle(place: car, reach: 0.9, loss: air.settings.carInLine))
      }
      if posture.conveyance == .foot {
        obstacles.append(Obstacle(place: posture.place, reach: 0.25, loss: air.settings.personInLine))
      }
    }
  }
}

private struct Obstacle: BitwiseCopyable, Sendable {
  var place: Point
  var reach: Double
  var loss: Double
}
