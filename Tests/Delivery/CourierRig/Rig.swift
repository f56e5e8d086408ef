import Core
import Foundation
import Host
import struct Host.Thread

/// The courier with its rings, and the threads it would have around it, played.
final class Rig: @unchecked Sendable {
  let messages: Ring<Message>
  let courier: Courier
  private let answers: Ring<Message>
  private let newSettings: Ring<CourierSettings>
  private let outlet: Outlet
  private var settings: CourierSettings
  private var composer: Composer
  private var carrying: Thread?

  init(_ settings: CourierSettings) {
    self.settings = settings
    composer = Composer(settings.topics)
    let bytes =
      Ring<Message>.bytes(for: Limits.messagesQueued) + Ring<Message>.bytes(for: 64) + Ring<Request>.bytes(for: Limits.requestsQueued)
      + Ring<CourierSettings>.bytes(for: 4)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    messages = Ring(capacity: Limits.messagesQueued, in: &arena)
    answers = Ring(capacity: 64, in: &arena)
    newSettings = Ring(capacity: 4, in: &arena)
    outlet = Outlet(requests: Ring(capacity: Limits.requestsQueued, in: &arena), bell: Doorbell())
    courier = Courier(
      settings, Courier.Inlets(messages: [messages, answers], settings: newSettings), toCore: outlet,
      log: { severity, words in FileHandle.standardError.write(Data("\(severity): \(String(words))\n".utf8)) })
  }

  func start() {
    carrying = courier.start()
    _ = Thread("requests") { self.answer() }
    _ = Thread("witness") { self.witness() }
  }

  /// Stands for the core thread: shows what arrives, and answers it.
  private func answer() {
    let bell = outlet.bell
    while true {
      bell.willSleep()
      if outlet.requests.count == 0 { wait(bell.descriptor, nil, forAtMost: nil) }
      bell.didWake()
      while let request = outlet.requests.pop() {
        printLine(describe(request))
        guard case .command(_, let ticket) = request else { continue }
        _ = answers.push(.reply(to: ticket, from: composer.topics, simulated: false))
        courier.bell.ring()
      }
    }
  }

  private func describe(_ request: Request) -> String {
    switch request {
    case .command(let command, let ticket): "command \(String(Text<16>(command.kind.name))) \(String(ticket.request))"
    case .claim(let claim): "claim \(String(claim.gateway)) \(claim.standing) \(claim.level?.value ?? 0)"
    case .neighbour(let neighbour): "neighbour \(String(neighbour.name)) \(neighbour.isOnline)"
    case .hello(let hello): "hello \(String(hello.name)) \(hello.sequence)"
    case .fired(let fire): "fired \(String(fire.topic)) \(String(fire.id))"
    case .unfinished(let visit): "unfinished \(String(visit.topic)) \(String(visit.id))"
    case .caughtUp: "caught up"
    case .twin: "twin"
    case .peer(let peer): "peer \(String(peer.id, radix: 16)) \(String(peer.address.word, radix: 16))"
    }
  }

  /// Says when events have reached the disk: only those may not be lost.
  private func witness() {
    var told = 0
    while true {
      let stored = courier.counters.eventsStored.count
      if stored > told { printLine("stored \(stored)") }
      told = max(told, stored)
      usleep(500)
    }
  }

  func printLine(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private func push(_ message: Message) {
    while messages.push(message) != nil { usleep(100) }
    courier.bell.ring()
  }

  private func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

  // MARK: What the driver may say

  /// False to end.
  func obey(_ words: [String]) -> Bool {
    switch words.first {
    case "events":
      let lasting = words.count > 3 ? Double(words[3]) : nil
      for number in Int(words[1])!...Int(words[2])! { push(composer.event(number, seconds: lasting)) }
    case "state": push(composer.state(words[1], words.count > 2 ? words[2] : ""))
    case "fleet":
      for number in 0..<Int(words[1])! {
        let message = composer.fleeting(number)
        while messages.push(message) != nil { usleep(100) }
      }
      courier.bell.ring()
    case "pace": pace(Double(words[1])!, Double(words[2])!)
    case "flood": flood(Double(words[1])!)
    case "durable": durable(Int(words[1])!)
    case "single": single(Int(words[1])!)
    case "reload":
      settings.read(Array(words.dropFirst()))
      _ = newSettings.push(settings)
      courier.bell.ring()
    case "figures": printLine(courier.counters.line)
    case "stop", nil: return false
    default: fatalError("courier-rig: unknown line \(words)")
    }
    return true
  }

  func stop() {
    let begun = seconds()
    courier.stop()
    carrying?.join()
    printLine(courier.counters.line)
    printLine("ended \(seconds() - begun)")
  }

  private func pace(_ rate: Double, _ length: Double) {
    let start = seconds()
    for number in 0..<Int(rate * length) {
      let due = start + Double(number) / rate
      while case let rest = due - seconds(), rest > 0 { usleep(useconds_t(rest * 1e6)) }
      _ = messages.push(composer.fleeting(number))
      courier.bell.ring()
    }
    printLine("paced")
  }

  private func flood(_ length: Double) {
    let (start, before) = (seconds(), courier.counters.published.count)
    var (number, refused) = (0, 0)
    while number % 64 != 0 || seconds() - start < length {
      let message = composer.fleeting(number)
      number += 1
      while messages.push(message) != nil {
        refused += 1
        courier.bell.ring()
        // Not spinning: the processor is for the courier and the broker.
        usleep(200)
      }
      if number % 16 == 0 { courier.bell.ring() }
    }
    courier.bell.ring()
    while messages.count > 0 { usleep(100) }
    printLine("flooded \(courier.counters.published.count - before) \(seconds() - start) \(courier.counters.droppedBusy.count) \(refused)")
  }

  private func durable(_ count: Int) {
    let (stored, delivered) = (courier.counters.eventsStored.count, courier.counters.eventsDelivered.count)
    let start = seconds()
    for number in 1...count { push(composer.event(number, seconds: 60)) }
    while courier.counters.eventsStored.count - stored < count { usleep(200) }
    let kept = seconds() - start
    while courier.counters.eventsDelivered.count - delivered < count { usleep(200) }
    printLine("durable \(count) \(kept) \(seconds() - start)")
  }

  /// One at a time: the next event comes when the last is on the disk.
  private func single(_ count: Int) {
    let start = seconds()
    for number in 1...count {
      let before = courier.counters.eventsStored.count
      push(composer.event(number, seconds: 60))
      while courier.counters.eventsStored.count == before { sched_yield() }
    }
    printLine("single \(count) \(seconds() - start)")
  }
}
