import Core
import Host
import Simulation

/// Starts the radios of a configuration, each on a thread of its own, for `run` and for the commands that listen.
struct Radios: ~Copyable {
  let bell = Doorbell()
  let all: [Radio]
  let adapters: [Adapter]
  private let threads: [Thread]

  /// Captures and simulations are played in real time. `echoes`: our own commands to the controllers come back, too, for a recording.
  /// `isAsked`: a person wants to listen now, which authorization "when-in-use" permits.
  init(
    _ settings: borrowing Settings, _ adapters: [Adapter], echoes: Bool = false, isAsked: Bool, _ invocation: Invocation,
    duties: Duties = .none, in arena: inout Arena
  ) throws(Exit) {
    var sources: [RadioSource] = []
    for index in settings.radios.indices { sources.append(try RadioSource(adapters[index], settings, radio: index, invocation)) }
    let authorization = settings.gateway.authorization
    let isPermitted = authorization == .always || isAsked && authorization == .whenInUse
    if isAsked && !isPermitted { throw invocation.denied }
    var all: [Radio] = []
    var threads: [Thread] = []
    for index in settings.radios.indices {
      let radio = Radio(
        name: settings.radios[index].name, listener: bell, echoes: echoes, isPermitted: isPermitted, in: &arena)
      all.append(radio)
      threads.append(sources[index].start(radio, settings.radios[index], duties.peers(settings, radio: index)))
    }
    self.all = all
    self.adapters = adapters
    self.threads = threads
  }

  static func bytes(_ settings: borrowing Settings) -> Int { settings.radios.count * Radio.bytes }

  consuming func stop() {
    for radio in all { radio.stop() }
    for thread in threads { thread.join() }
  }
}

/// What the radios do besides listening.
enum Duties {
  case none
  /// What the configuration says.
  case configured
  /// Connect to one device and read its services: the 48 bits of its address.
  case errand(UInt64)

  /// Only the first radio transmits: a place has one beacon, and a gateway one set of services.
  func peers(_ settings: borrowing Settings, radio: Int) -> PeerDuties {
    switch self {
    case .none: return .none
    case .configured:
      var peer = settings.peer
      peer.serve = peer.serve && radio == 0
      var duties = PeerDuties(peer, name: settings.gateway.name, index: radio)
      if radio == 0 { duties.transmissions = settings.transmissions }
      return duties
    case .errand(let address):
      var peer = settings.peer
      (peer.identify, peer.serve, peer.hold) = (false, false, false)
      return PeerDuties(peer, name: settings.gateway.name, errand: address)
    }
  }
}

/// Where a radio's packets come from.
private enum RadioSource {
  case live(Adapter)
  case capture(file: String)
  case scenario(Scenario, gateway: Int)

  init(_ adapter: Adapter, _ settings: borrowing Settings, radio: Int, _ invocation: Invocation) throws(Exit) {
    switch adapter {
    case .hci, .h4, .tcp, .unix: self = .live(adapter)
    case .capture(let file):
      if let fault = Captures(opening: [file], orPipes: false).faults.first {
        say("forecourt: \(file) \(fault.reason.sentence)")
        throw .unreadable
      }
      self = .capture(file: file)
    case .simulate(let file):
      let scenario = try invocation.scenario(file)
      // Hears as the scenario's gateway of the radio's name, or of ours, else as the first.
      let names = (settings.radios[radio].name, settings.gateway.name)
      let place = scenario.gateways.firstIndex { $0.name == names.0 } ?? scenario.gateways.firstIndex { $0.name == names.1 }
      if place == nil, scenario.gateways.count > 1 {
        let first = String(scenario.gateways[0].name)
        say("forecourt: \(file): no gateway has the name of radio \(radioName(radio, settings)): it hears what \(first) hears")
      }
      self = .scenario(scenario, gateway: place ?? 0)
    }
  }

  func start(_ radio: Radio, _ settings: RadioSettings, _ duties: PeerDuties) -> Thread {
    switch self {
    case .live(let adapter): return RadioThread.start(radio, adapter, settings, duties)
    case .capture(let file):
      return Playback.start(radio) {
        let captures = Captures(opening: [file], orPipes: false)
        return {
          var packet = Packet()
          let isThere = captures.next(into: &packet) != nil
          if let doubt = captures.takeDoubt() { sayOrDrop("forecourt: \(doubt)") }
          if isThere { return .packet(packet) }
          return captures.faults.first.map { .failed($0.reason.offset > 0 ? .damagedSource : .noSource) } ?? .over
        }
      }
    case .scenario(let scenario, let gateway):
      return Playback.start(radio, since: .zero + scenario.gateways[gateway].ahead) {
        let run = ScenarioRun(scenario)
        return { run.next(to: gateway) }
      }
    }
  }
}

/// A run of a scenario, in a class so that a closure can hold it.
private final class ScenarioRun {
  private var world: World

  init(_ scenario: Scenario) { world = World(scenario, seed: 1, cipher: aes128()) }

  func next(to gateway: Int) -> Playback.Scene {
    var packet = Packet()
    while let hearer = world.next(into: &packet) {
      if hearer == gateway { return .packet(packet) }
    }
    return .over
  }
}

extension Invocation {
  fileprivate var denied: Exit {
    say(
      "forecourt \(command.name): gateway.authorization is \"denied\": the radios stay off. Set purpose and match, then make it \"always\"; "
        + "until then only scan listens: scan --radio hci0")
    return .forbidden
  }
}

extension Trouble {
  var exit: Exit { self == .noPermission ? .forbidden : isOfRecording ? .unreadable : .unavailable }
  var isOfRecording: Bool { self == .noSource || self == .damagedSource }
}
