import Core
import Host

/// What the broker's clients command: most is done at once; a calibration and a recording take their time and are answered at the end.
struct RemoteCommands {
  private var calibration: RemoteCalibration?
  private var capture: RemoteCapture?
  private var recorders: [Recorder] = []

  var nextDeadline: Instant { min(calibration?.until ?? .never, capture?.due ?? .never) }

  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) { capture?.record(packet, radio: radio, at: moment) }

  mutating func observe(_ gateway: borrowing Gateway, radio: Int) { calibration?.observe(gateway, radio: radio) }

  /// nil when it has started, else why not.
  mutating func startCalibration(
    of identity: Identity, at distance: Meters, during span: Interval, _ ticket: Ticket, _ gateway: borrowing Gateway, _ now: Instant
  ) -> String? {
    if let refusal = refusal(isBusy: calibration != nil, gateway) { return refusal }
    // An answer would tell whether a stranger is here.
    var isMatched = gateway.settings.publish.unknown == .publish || gateway.settings.interest(in: identity).isMatched
    if let slot = gateway.devices.find(identity), gateway.devices[slot].interest.isMatched { isMatched = true }
    guard isMatched else { return "no match names this device: see [privacy] unknown" }
    calibration = RemoteCalibration(identity, at: distance, during: span, ticket, at: now)
    return nil
  }

  /// nil when it has started, else why not.
  mutating func startCapture(
    during span: Interval, _ ticket: Ticket, of radios: [Radio], beside outbox: String, _ gateway: borrowing Gateway, at now: Instant
  ) -> String? {
    // Its file would replace the recording of the real gateway of its name.
    if gateway.settings.gateway.simulated { return "a rehearsal records nothing" }
    if let refusal = refusal(isBusy: capture != nil, gateway) { return refusal }
    if recorders.isEmpty { recorders = RemoteCapture.recorders(radios.count) }
    capture = RemoteCapture(radios, recorders, beside: outbox, during: span, ticket, at: now)
    return nil
  }

  private func refusal(isBusy: Bool, _ gateway: borrowing Gateway) -> String? {
    if isBusy { return "another is under way" }
    return gateway.isListening ? nil : "the radios are off: see authorization"
  }

  /// Once a turn: the replies to whatever has ended.
  mutating func turned(_ settings: borrowing Settings, isOver: Bool, at now: Instant) -> [Message] {
    var replies: [Message] = []
    if let done = calibration, now >= done.until || isOver {
      replies.append(done.reply(settings))
      calibration = nil
    }
    if isOver { capture?.finish() }
    if capture?.turned(at: now) ?? false, let done = capture {
      replies.append(done.reply(settings))
      capture = nil
    }
    return replies
  }

  // MARK: Done at once

  /// nil when it is done, else why not.
  static func perform(_ command: RemoteCommand, on gateway: inout Gateway, at now: Instant) -> String? {
    switch command {
    case .ranging(let order, let name): return perform(order, name, on: &gateway, at: now)
    case .authorization(let authorization): gateway.authorize(authorization, at: now)
    case .trigger(let name, let identity):
      // The driver typed the pump's number.
      guard let trigger = gateway.settings.trigger(named: name) else { return "there is no trigger of that name" }
      return gateway.fireManually(trigger, for: identity, at: now)?.sentence
    case .ping: break
    // The daemon sees to these: they take their time, or are not the gateway's alone.
    case .calibrate, .capture, .reload, .forgetNeighbour: break
    }
    return nil
  }

  /// Without a name every region is meant.
  private static func perform(
    _ order: RemoteCommand.RangingOrder, _ name: Name, on gateway: inout Gateway, at now: Instant
  ) -> String? {
    let region = gateway.settings.region(named: name)
    guard region != nil || name.isEmpty else { return "there is no region of that name" }
    guard order == .stop || gateway.settings.gateway.authorization != .denied else { return "the radios are off: see authorization" }
    switch order {
    case .start: gateway.startRanging(region, for: nil, at: now)
    case .during(let span): gateway.startRanging(region, for: span, at: now)
    case .stop: gateway.stopRanging(region, at: now)
    }
    return nil
  }
}

extension FireRefusal {
  fileprivate var sentence: String {
    switch self {
    case .deaf: "the gateway may not listen now: see authorization"
    case .unheard: "this trigger's radio does not hear that identity: it was never there, or has left"
    case .unmatched: "the trigger does not look for that identity"
    case .fired: "the trigger has fired for it already"
    case .noRoom: "the table of encounters is full"
    }
  }
}
