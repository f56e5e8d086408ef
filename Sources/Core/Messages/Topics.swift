/// All topics, in one place. README.md, Topics.
package struct Topics: BitwiseCopyable, Sendable {
  /// `{prefix}/{site}`
  package private(set) var site = Text<66>()
  /// `{prefix}/{site}/{gateway}`
  package private(set) var base = Text<100>()

  /// Home Assistant's short form: `~` stands for BASE.
  static var abbreviated: Topics {
    var topics = Topics()
    topics.base.append("~")
    return topics
  }

  init() {}

  @export(interface) package init(prefix: Name, site: Name, gateway: Name) {
    self.site.append(level: prefix.bytes)
    self.site.append(byte: UInt8(ascii: "/"))
    self.site.append(level: site.bytes)
    base.append(self.site)
    base.append(byte: UInt8(ascii: "/"))
    base.append(level: gateway.bytes)
  }

  @export(interface) package init(_ settings: borrowing Settings) {
    self.init(prefix: settings.publish.prefix, site: settings.gateway.site, gateway: settings.gateway.name)
  }

  package var status: Topic { own("/status") }
  /// `check` publishes here to see whether it may.
  package var check: Topic { own("/check") }
  package var telemetry: Topic { own("/telemetry") }
  /// Every command at once, for the subscription.
  package var commands: Topic { own("/command/+") }
  package var command: Topic { own("/command/") }

  package func reply(_ command: StaticString) -> Topic { own("/reply/", Name(command)) }
  package func ranging(_ region: Name) -> Topic { own("/ranging/", region) }
  package func region(_ region: Name) -> Topic { own("/region/", region) }
  package func regionEvent(_ region: Name) -> Topic { own("/region/", region, "/event") }
  package func trigger(_ trigger: Name) -> Topic { own("/trigger/", trigger) }
  package func triggerState(_ trigger: Name) -> Topic { own("/trigger/", trigger, "/state") }

  /// `name` is what subscribers may know the device by.
  package func proximity(_ name: RawSpan) -> Topic {
    var topic = own("/proximity/")
    topic.append(levelOf: name)
    return topic
  }

  // -- What neighbours share -----------------------------------------------------------------------------------------------

  package var claims: Topic { shared("/claim/+/+/+") }
  package var claim: Topic { shared("/claim/") }
  /// The status of every gateway, ours included.
  package var statuses: Topic { shared("/+/status") }
  package var neighbour: Topic { shared("/") }
  package var peers: Topic { shared("/peer/+/+") }
  package var peer: Topic { shared("/peer/") }

  /// No identity has this name: a hello uses the topics of claims, and so proves that claims arrive.
  package var hellos: Topic { shared("/claim/site/hello/") }

  /// `check` publishes here to see whether messages to the site come back; nothing reads it.
  package var siteChecks: Topic { shared("/claim/site/check") }

  /// `isDotted`: as a claim about a name with a dot.
  package func siteCheck(_ gateway: Name, isDotted: Bool = false) -> Topic {
    var topic = siteChecks
    topic.append(isDotted ? ".dot/" : "/")
    topic.append(level: gateway.bytes)
    return topic
  }

  package func hello(_ gateway: Name) -> Topic {
    var topic = hellos
    topic.append(level: gateway.bytes)
    return topic
  }

  package func claim(group: Name, _ identity: Identity, gateway: Name) -> Topic {
    var topic = shared("/claim/")
    topic.append(level: group.bytes)
    topic.append(byte: UInt8(ascii: "/"))
    topic.append(level: identity)
    topic.append(byte: UInt8(ascii: "/"))
    topic.append(level: gateway.bytes)
    return topic
  }

  /// The installation id that a gateway read at an address; retained while the address lives.
  package func peer(_ address: Address, gateway: Name) -> Topic {
    var topic = shared("/peer/")
    topic.append(address)
    topic.append(byte: UInt8(ascii: "/"))
    topic.append(level: gateway.bytes)
    return topic
  }

  private func own(_ tail: StaticString) -> Topic {
    var topic = Topic(base.bytes)
    topic.append(tail)
    return topic
  }

  private func own(_ folder: StaticString, _ name: Name, _ tail: StaticString = "") -> Topic {
    var topic = own(folder)
    topic.append(level: name.bytes)
    topic.append(tail)
    return topic
  }

  private func shared(_ tail: StaticString) -> Topic {
    var topic = Topic(site.bytes)
    topic.append(tail)
    return topic
  }
}

extension Text {
  /// One level of a topic: separators, wildcards and characters that a broker may refuse become `_`. README.md, Topics.
  package mutating func append(level bytes: RawSpan) {
    var index = 0
    while index < bytes.byteCount {
      let length = bytes.characterLength(at: index)
      if length == 0 || bytes.isForbiddenInTopic(at: index) {
        append(byte: UInt8(ascii: "_"))
      } else {
        append(bytes.extracting(index..<index + length))
      }
      index += max(length, 1)
    }
  }

  package mutating func append(level identity: Identity) {
    var text = Text<128>()
    text.append(identity)
    append(levelOf: text.bytes)
  }

  /// An id: a name's bytes stand there as they came, and what is no UTF-8 as `_`. For `%XX` Home Assistant's messages have no room.
  fileprivate mutating func append(levelOf id: RawSpan) {
    let prefix = Text<16>(Identity.prefix(of: .name))
    let isName = id.byteCount > prefix.count && id.extracting(first: prefix.count).equals(prefix.bytes)
    var plain = Text<128>()
    var index = 0
    while index < id.byteCount {
      var byte = id[index]
      if isName, byte == UInt8(ascii: "%"), index + 2 < id.byteCount, let high = hexDigit(id[index + 1]),
        let low = hexDigit(id[index + 2])
      {
        byte = high << 4 | low
        index += 2
      }
      plain.append(byte: byte)
      index += 1
    }
    append(level: plain.bytes)
  }

  package mutating func append(_ address: Address) {
    for index in 0..<6 {
      if index > 0 { append(byte: UInt8(ascii: ":")) }
      append(hex: address.written(index))
    }
  }
}

extension RawSpan {
  /// MQTT 5, 1.5.4: wildcards, the separator, control characters and non-characters. `index` is at a well-formed character.
  fileprivate func isForbiddenInTopic(at index: Int) -> Bool {
    switch self[index] {
    case 0..<0x20, 0x7F, UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "#"): true
    case 0xC2: self[index + 1] < 0xA0
    case 0xEF:
      // U+FDD0…U+FDEF, U+FFFE, U+FFFF.
      self[index + 1] == 0xB7 && 0x90...0xAF ~= self[index + 2] || self[index + 1] == 0xBF && self[index + 2] >= 0xBE
    case 0xF0...0xF4: self[index + 1] & 0x0F == 0x0F && self[index + 2] == 0xBF && self[index + 3] >= 0xBE
    default: false
    }
  }
}
