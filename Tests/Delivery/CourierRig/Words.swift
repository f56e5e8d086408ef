import Core
import Foundation
import Host

extension CourierSettings {
  /// KEY=VALUE words.
  mutating func read(_ words: [String]) {
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      read(parts[0], parts.count > 1 ? parts[1] : "")
    }
  }

  private mutating func read(_ key: String, _ value: String) {
    switch key {
    case "host": broker.host = Text(value)
    case "port": broker.port = UInt16(value)!
    case "version": broker.version = value == "4" ? .v311 : .v5
    case "username": broker.username = Text(value)
    case "password": broker.password = Text(value)
    case "keepalive": broker.keepalive = .seconds(Double(value)!)
    case "tls_ca": broker.authorities = Path(value)
    case "tls_cert": broker.certificate = Path(value)
    case "tls_key": broker.key = Path(value)
    case "tls_insecure": broker.isInsecure = value == "1"
    case "outbox": outbox.path = Path(value)
    case "max_events": outbox.maxEvents = Int(value)!
    case "prefix": prefix = Name(value)
    case "site": site = Name(value)
    case "name": name = Name(value)
    case "simulated": simulated = value == "1"
    case "commands": commands = value == "1"
    case "claims": claims = value == "1"
    case "peers": peers = value == "1"
    case "signing_key": signingKey = Text(try! String(contentsOfFile: value, encoding: .utf8))
    default: fatalError("courier-rig: unknown setting \(key)")
    }
  }
}

extension CourierCounters {
  var line: String {
    let list: [(String, Int)] = [
      ("online", isOnline ? 1 : 0), ("connections", connections.count), ("failed", failedAttempts.count),
      ("published", published.count), ("dropped_offline", droppedOffline.count), ("dropped_busy", droppedBusy.count),
      ("waiting", eventsWaiting.count), ("stored", eventsStored.count), ("delivered", eventsDelivered.count),
      ("expired", eventsExpired.count), ("lost", eventsLost.count), ("refused", refused.count), ("store_failures", storeFailures.count),
      ("commands", commands.count), ("claims", claims.count), ("requests_refused", requestsRefused.count),
      ("requests_limited", requestsLimited.count), ("oversized", oversized.count), ("wake_ups", wakeUps.count),
      ("troubles", Int(troubles.rawValue)), ("replies_dropped", repliesDropped.count), ("states_unkept", statesUnkept.count),
    ]
    return "figures {" + list.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}

/// Messages as Core would make them.
struct Composer {
  let topics: Topics
  private var proximity = Message()

  init(_ topics: Topics) {
    self.topics = topics
    proximity.topic = Topic("gw/b/")
  }

  func event(_ number: Int, seconds: Double?) -> Message {
    var message = Message()
    message.care = .event
    message.at = Clock.now()
    if let seconds { message.expires = message.at + .seconds(seconds) }
    message.sequence = UInt64(number)
    message.topic = topics.trigger(Name("pump-\(number % 4)"))
    message.payload.openObject()
    message.payload.member("v", 1)
    message.payload.member("event", "fire" as StaticString)
    message.payload.member("trigger", text: Array("pump-\(number % 4)".utf8).span.bytes)
    message.payload.member("id", "peer:BC00BD17" as StaticString)
    message.payload.member("event_id", text: Array("rig-\(number)".utf8).span.bytes)
    message.payload.member("number", Int64(number))
    message.payload.closeObject()
    return message
  }

  func state(_ name: String, _ payload: String) -> Message {
    var message = Message()
    message.care = .state
    message.at = Clock.now()
    message.topic = topics.region(Name(name))
    message.payload = Payload(payload)
    return message
  }

  /// 200 bytes, the time first, as the bare loop in C sends them.
  mutating func fleeting(_ number: Int) -> Message {
    proximity.topic.truncate(to: 5)
    proximity.topic.append(decimal: UInt64(number % 200))
    proximity.payload.truncate(to: 0)
    proximity.payload.openObject()
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    proximity.payload.key("ts")
    proximity.payload.append(decimal: UInt64(time.tv_sec))
    proximity.payload.append(byte: UInt8(ascii: "."))
    var nine = Text<20>()
    nine.append(decimal: UInt64(time.tv_nsec) + 1_000_000_000)
    proximity.payload.append(nine.bytes.extracting(1..<10))
    proximity.payload.member("seq", Int64(number))
    proximity.payload.member("mac", "F5:67:92:6D:93:50" as StaticString)
    proximity.payload.member("type", "ibeacon" as StaticString)
    proximity.payload.member("id", "38729647cfde01c2ce28b26c574727370008006e" as StaticString)
    proximity.payload.member("rssi", -71)
    proximity.payload.member("ema", -70.4, places: 1)
    proximity.payload.member("distance", 2.31, places: 2)
    proximity.payload.key("pad")
    proximity.payload.append(byte: UInt8(ascii: "\""))
    while proximity.payload.count < 198 { proximity.payload.append(byte: UInt8(ascii: "x")) }
    proximity.payload.append("\"}")
    return proximity
  }
}
