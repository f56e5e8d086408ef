import Core
import Foundation
import Synchronization
import Seeds
import Testing

@testable import Host
import struct Host.Thread

/// A courier with its threads, at a broker that answers as the test wants.
///
/// Not for the thread sanitizer: it takes an array that leaves its lock as a copy for a race.
final class Talk: @unchecked Sendable {
  let broker = ModelBroker()
  let messages: Ring<Message>
  let newSettings: Ring<CourierSettings>
  let requests: Ring<Request>
  /// The core thread's.
  let bell = Doorbell()
  let courier: Courier
  let scratch = Scratch()
  var settings: CourierSettings
  private let log = Log()
  private var thread: Thread?

  private final class Log: Sendable { let lines = Mutex<[String]>([]) }

  init(_ change: (inout CourierSettings) -> Void = { _ in }) {
    var arena = Arena.taken(
      bytes: Ring<Message>.bytes(for: 64) + Ring<CourierSettings>.bytes(for: 4) + Ring<Request>.bytes(for: 16))
    messages = Ring(capacity: 64, in: &arena)
    newSettings = Ring(capacity: 4, in: &arena)
    requests = Ring(capacity: 16, in: &arena)
    var settings = CourierSettings()
    settings.broker.port = broker.port
    settings.broker.host = Text("127.0.0.1" as StaticString)
    settings.outbox.path = scratch["outbox.db"]
    settings.boot = Text("run" as StaticString)
    change(&settings)
    self.settings = settings
    let log = log
    courier = Courier(
      settings, Courier.Inlets(messages: [messages], settings: newSettings), toCore: Outlet(requests: requests, bell: bell),
      log: { severity, words in log.lines.withLock { $0.append("\(severity): \(String(words))") } })
  }

  func start() { thread = courier.start() }

  func stop() {
    courier.stop()
    thread?.join()
    thread = nil
    until("the end of the connection") { !broker.isTalking }
    broker.close()
  }

  var said: [String] { log.lines.withLock { $0 } }
  func told(_ words: String, times: Int = 1) -> Bool { said.count { $0.contains(words) } >= times }

  func push(_ care: Message.Care, _ topic: String, _ payload: String, lasting: Interval? = nil) {
    var message = Message()
    message.care = care
    message.topic = Topic(topic)
    message.payload = Payload(payload)
    message.at = Clock.now()
    if let lasting { message.expires = message.at + lasting }
    #expect(messages.push(message) == nil)
    courier.bell.ring()
  }

  func reload(_ change: (inout CourierSettings) -> Void) {
    change(&settings)
    #expect(newSettings.push(settings) == nil)
    courier.bell.ring()
  }

  /// Waits for something that the threads will do.
  func until(_ words: String, seconds: Double = 20, _ test: () -> Bool) {
    let end = Clock.now() + .seconds(seconds)
    while !test(), Clock.now() < end { usleep(2_000) }
    #expect(test(), "\(words); said: \(said); broker: \(broker.record)")
  }

  func online() { until("connected") { courier.counters.isOnline } }
  func published(_ topic: String) -> [ModelBroker.Publication] { broker.record.published.filter { $0.topic == topic } }
}
