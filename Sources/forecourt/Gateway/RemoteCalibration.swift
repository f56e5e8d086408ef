import Core
import Host

/// The command `calibrate`: listens for a while to one device that lies at a known distance; the reply says its level at 1 m.
struct RemoteCalibration {
  let until: Instant
  private let ticket: Ticket
  private let identity: Identity
  private let distance: Meters
  private var measurements = Array(repeating: PowerMeasurement(), count: PerRadio<RadioSettings>.capacity)
  private var lastHeard: Instant
  private var radio = 0

  init(_ identity: Identity, at distance: Meters, during span: Interval, _ ticket: Ticket, at now: Instant) {
    self.ticket = ticket
    self.identity = identity
    self.distance = distance
    until = now + span
    lastHeard = now
  }

  /// After each packet. Of several radios the one that hears the device best at last counts: the device lies there.
  mutating func observe(_ gateway: borrowing Gateway, radio: Int) {
    guard let slot = gateway.devices.find(identity), gateway.devices[slot].heard > lastHeard else { return }
    lastHeard = gateway.devices[slot].heard
    self.radio = gateway.devices.bestRadio(of: slot, at: lastHeard, gateway.settings)
    measurements[radio].observe(gateway.devices[slot].level)
  }

  func reply(_ settings: borrowing Settings) -> Message {
    let offset = settings.receiveOffset(of: radio)
    guard let result = measurements[radio].result(at: distance, along: PathLoss(settings.calibration), offset: offset) else {
      return .reply(to: ticket, settings, error: Sentence("the device was heard too rarely: ten adverts are needed"))
    }
    return .reply(to: ticket, settings) { payload in
      payload.member("measured_power_dbm", result.power.value, places: 1)
      payload.member("doubt_db", result.doubt.value, places: 1)
      payload.member("spread_db", result.spread.value, places: 1)
      payload.member("samples", Int64(measurements[radio].samples))
      if radio < settings.radios.count { payload.member("radio", text: settings.radios[radio].name.bytes) }
    }
  }
}

extension Message {
  static func reply(to ticket: Ticket, _ settings: borrowing Settings, error: Sentence?) -> Message {
    reply(to: ticket, from: Topics(settings), error: error, simulated: settings.gateway.simulated)
  }

  /// A reply that carries results.
  static func reply(to ticket: Ticket, _ settings: borrowing Settings, with members: (inout Payload) -> Void) -> Message {
    var message = Message()
    message.care = .reply
    message.sequence = ticket.number
    message.topic = Topics(settings).reply(ticket.command.name)
    message.payload.openReply(ok: true)
    message.payload.memberNull("error")
    members(&message.payload)
    message.payload.closeReply(ticket, simulated: settings.gateway.simulated)
    return message
  }
}
