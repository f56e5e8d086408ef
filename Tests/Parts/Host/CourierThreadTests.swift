import Core
import Foundation
import Testing

@testable import Host
import struct Host.Thread

/// A courier with all its threads and no broker.
private final class Alone: Sendable {
  let messages: Ring<Message>
  let newSettings: Ring<CourierSettings>
  let courier: Courier

  init(_ settings: CourierSettings) {
    var arena = Arena.taken(
      bytes: Ring<Message>.bytes(for: 64) + Ring<CourierSettings>.bytes(for: 4) + Ring<Request>.bytes(for: 4))
    messages = Ring(capacity: 64, in: &arena)
    newSettings = Ring(capacity: 4, in: &arena)
    let outlet = Outlet(requests: Ring(capacity: 4, in: &arena), bell: Doorbell())
    courier = Courier(
      settings, Courier.Inlets(messages: [messages], settings: newSettings), toCore: outlet, log: { _, _ in })
  }

  func push(_ message: Message) {
    while messages.push(message) != nil { usleep(50) }
    courier.bell.ring()
  }
}

private func event(_ number: Int) -> Message {
  var message = Message()
  message.care = .event
  message.topic = Topic("forecourt/site/gateway/trigger/pump-1")
  message.payload = Payload(#"{"v":1,"number":\#(number)}"#)
  return message
}

@Suite("the courier's threads", .serialized) struct CourierThreadTests {
  @Test("every pushed event is stored once and in order, while settings change and no broker answers")
  func storing() throws {
    let scratch = Scratch()
    var settings = CourierSettings()
    // Nothing listens there.
    settings.broker.port = 1
    settings.outbox.path = scratch["outbox.db"]
    let alone = Alone(settings)
    let thread = alone.courier.start()
    for number in 1...2_000 {
      alone.push(event(number))
      if number % 500 == 0 {
        settings.outbox.maxEvents += 1
        settings.broker.keepalive = .seconds(Double(number))
        #expect(alone.newSettings.push(settings) == nil)
      }
      if number % 7 == 0 { alone.push(Message()) }
    }
    let begun = Clock.now()
    alone.courier.stop()
    thread.join()
    #expect(Clock.now() - begun < .seconds(2))
    #expect(alone.courier.counters.eventsStored.count == 2_000 && alone.courier.counters.droppedOffline.count == 285)
    var numbers: [String] = []
    try OutboxHistory(path: scratch.path + "/outbox.db").read { entry in
      numbers.append(String(entry.payload))
      return true
    }
    #expect(numbers.reversed() == (1...2_000).map { String(event($0).payload) })
  }

  @Test("when settings find no room, the latest are sent as soon as there is some")
  func pendingSettings() {
    var arena = Arena.taken(bytes: Ring<CourierSettings>.bytes(for: 2))
    let newSettings = Ring<CourierSettings>(capacity: 2, in: &arena)
    var pendingSettings = PendingSettings(newSettings)
    for number in 1...5 {
      var settings = CourierSettings()
      settings.outbox.maxEvents = number
      pendingSettings.send(settings)
    }
    let isSentTooSoon = pendingSettings.retry()
    var taken: [Int] = []
    func take() { while let settings = newSettings.pop() { taken.append(settings.outbox.maxEvents) } }
    take()
    let (isSent, isSentAgain) = (pendingSettings.retry(), pendingSettings.retry())
    take()
    #expect(taken == [1, 2, 5] && !isSentTooSoon && isSent && !isSentAgain)
  }

  @Test("a doorbell wakes its sleeper, whichever comes first")
  func doorbell() {
    let bell = Doorbell()
    let box = Box()
    let sleeper = Thread("sleeper") {
      var seen = 0
      while seen < 20_000 {
        bell.willSleep()
        if box.work.count == seen { wait(bell.descriptor, nil, forAtMost: .seconds(20)) }
        bell.didWake()
        seen = box.work.count
      }
      box.done.add()
    }
    for number in 0..<20_000 {
      box.work.add()
      bell.ring()
      if number % 64 == 0 { sched_yield() }
    }
    sleeper.join()
    #expect(box.done.count == 1)
  }

  @Test("a ringer that is interrupted before it writes wakes the sleeper once, not for ever", arguments: [false, true])
  func lateRing(isRungAgain: Bool) {
    let bell = Doorbell()
    /// Whether nothing woke it.
    func sleeps() -> Bool {
      bell.willSleep()
      defer { bell.didWake() }
      let began = Clock.now()
      wait(bell.descriptor, nil, forAtMost: .milliseconds(20))
      return Clock.now() - began >= .milliseconds(20)
    }
    bell.willSleep()
    let mustWrite = bell.isToWrite()
    // Something else has woken the sleeper.
    bell.didWake()
    bell.write()
    #expect(mustWrite)
    if isRungAgain {
      bell.willSleep()
      bell.ring()
      bell.didWake()
    } else {
      #expect(!sleeps())
    }
    #expect(sleeps() && sleeps())
  }

  private final class Box: Sendable {
    let work = Counter()
    let done = Counter()
  }
}
