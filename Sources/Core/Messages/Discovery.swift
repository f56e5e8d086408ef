/// Home Assistant's discovery: one retained message for each entity.
///
/// Keys abbreviated as in its MQTT documentation, and `~` for BASE: that keeps every message under a kilobyte. A rehearsal under our name
/// changes no state and no availability, for Home Assistant passes over an empty value; only the attributes show it, with its `simulated`.
package struct Discovery {
  private let topics: Topics
  private let short = Topics.abbreviated
  private let site: Name
  private let gateway: Name
  private let version: Name
  private let hasUsualPrefix: Bool
  /// Without the model and the version.
  private var isBrief = false

  @_optimize(size)
  package init(_ settings: borrowing Settings, version: Name) {
    topics = Topics(settings)
    hasUsualPrefix = settings.publish.prefix == PublishSettings().prefix
    site = settings.gateway.site
    gateway = settings.gateway.name
    self.version = version
  }

  /// On while any device is served.
  package func trigger(_ trigger: Name) -> Message {
    entity("binary_sensor", trigger.bytes, kind: "trigger", name: trigger.bytes, Self.monitoring) { payload in
      state(short.triggerState(trigger), &payload)
      payload.member("val_tpl", "{{ '' if 'simulated' in value_json else 'ON' if value_json.served_count > 0 else 'OFF' }}")
    }
  }

  package func region(_ region: Name) -> Message {
    entity("binary_sensor", region.bytes, kind: "region", name: region.bytes, Self.monitoring) { payload in
      payload.member("dev_cla", "occupancy")
      state(short.region(region), &payload)
      payload.member("val_tpl", "{{ '' if 'simulated' in value_json else 'ON' if value_json.state == 'inside' else 'OFF' }}")
    }
  }

  /// A device that the configuration asks for: where it is, how far away, how strong.
  package func tracker(_ identity: Identity, named name: Name = Name()) -> Message {
    var message = tracker(identity, name, namesZone: true)
    // Long names leave no room for everything: the zone matters more than what we are, and less than being there at all.
    if message.payload.overflowed {
      var brief = self
      brief.isBrief = true
      message = brief.tracker(identity, name, namesZone: true)
    }
    return message.payload.overflowed ? tracker(identity, name, namesZone: false) : message
  }

  private func tracker(_ identity: Identity, _ name: Name, namesZone: Bool) -> Message {
    device(identity, name, "device_tracker", kind: "tracker") { payload in
      payload.member("src_type", "bluetooth_le")
      if namesZone { payload.member("json_attr_tpl", Self.zones) }
      // No empty value: before 2024.6 the tracker was then at a place of the message's name.
      payload.member(
        "val_tpl", "{{'home' if (this.state=='home' if 'simulated' in value_json else value_json.zone!='unknown') else 'not_home'}}")
    }
  }

  /// Since 2026.7 Home Assistant counts who is in a zone by this attribute; in 2027 it stops going by the state.
  private static let zones: StaticString = """
    {%set v=value_json%}{{(v if 'simulated' in v else dict(v,in_zones=['zone.home']*(v.zone!='unknown')))|tojson}}
    """

  package func distance(_ identity: Identity, named name: Name = Name()) -> Message {
    device(identity, name, "sensor", kind: "distance", suffix: " distance") { payload in
      payload.member("dev_cla", "distance")
      payload.member("unit_of_meas", "m")
      payload.member("val_tpl", "{{ '' if 'simulated' in value_json else value_json.distance_m | default(none) }}")
    }
  }

  package func level(_ identity: Identity, named name: Name = Name()) -> Message {
    device(identity, name, "sensor", kind: "level", suffix: " level") { payload in
      payload.member("dev_cla", "signal_strength")
      payload.member("unit_of_meas", "dBm")
      payload.member("val_tpl", "{{ '' if 'simulated' in value_json else value_json.average | default(none) }}")
    }
  }

  /// `suffix`: its entities must not be called alike.
  private func device(
    _ identity: Identity, _ name: Name, _ component: StaticString, kind: StaticString, suffix: StaticString = "",
    _ body: (inout Payload) -> Void
  ) -> Message {
    var text = Text<128>()
    text.append(identity)
    var shown = name.isEmpty ? text : Text(name.bytes)
    shown.append(suffix)
    return entity(component, text.bytes, kind: kind, name: shown.bytes, Self.hearing) { payload in
      state(short.proximity(text.bytes), &payload)
      body(&payload)
    }
  }

  private func state(_ topic: Topic, _ payload: inout Payload) {
    payload.member("stat_t", text: topic.bytes)
    payload.member("json_attr_t", text: topic.bytes)
  }

  @inline(never) @_optimize(size)
  private func entity(
    _ component: StaticString, _ subject: RawSpan, kind: StaticString, name: RawSpan, _ availability: StaticString,
    _ body: (inout Payload) -> Void
  ) -> Message {
    let id = identifier
    var own = id
    own.append(byte: UInt8(ascii: "_"))
    own.append(kind)
    own.append(byte: UInt8(ascii: "_"))
    own.append(digest: subject)
    var message = Message()
    message.care = .state
    message.topic.append("homeassistant/")
    message.topic.append(component)
    message.topic.append(byte: UInt8(ascii: "/"))
    message.topic.append(own)
    message.topic.append("/config")
    message.payload.openObject()
    message.payload.member("~", text: topics.base.bytes)
    message.payload.member("uniq_id", text: own.bytes)
    message.payload.member("name", text: name, upTo: 64)
    body(&message.payload)
    message.payload.member("avty_t", text: short.status.bytes)
    message.payload.member("avty_tpl", availability)
    describe(id, &message.payload)
    message.payload.closeObject()
    return message
  }

  /// Of a gateway whose radios are all deaf nothing is known, as of one that is gone.
  private static let hearing: StaticString = """
    {{ '' if 'simulated' in value_json else 'online' if value_json.radios|d([])\
    |selectattr('state','in','scanning quiet')|list else 'offline' }}
    """

  /// Without permission to monitor nobody counts as inside or served, also while the radios listen for ranging. Who is gone has no radios,
  /// and says nothing of its permission.
  private static let monitoring: StaticString = """
    {{ '' if 'simulated' in value_json else 'online' if value_json.radios|d([])\
    |selectattr('state','in','scanning quiet')|list and value_json.authorization=='always' else 'offline' }}
    """

  /// Of a site's gateway, and of no other: Home Assistant takes letters, digits, `_` and `-` in an identifier, nothing else.
  private var identifier: Text<128> {
    var id = Text<128>("forecourt_")
    // Longer names would not leave room for the rest. Below another prefix another installation may have the same names.
    if hasUsualPrefix, site.bytes.isPlain, gateway.bytes.isPlain, site.count + gateway.count <= 48 {
      id.append(site)
      id.append(byte: UInt8(ascii: "_"))
      id.append(gateway)
    } else {
      id.append(digest: topics.base.bytes)
    }
    return id
  }

  private func describe(_ id: Text<128>, _ payload: inout Payload) {
    payload.object("dev")
    payload.member("ids", text: id.bytes)
    var name = Text<66>(site.bytes)
    name.append(byte: UInt8(ascii: " "))
    name.append(gateway)
    payload.member("name", text: name.bytes, upTo: 64)
    if !isBrief { payload.member("mdl", "forecourt") }
    payload.closeObject()
    payload.object("o")
    payload.member("name", "forecourt")
    if !isBrief { payload.member("sw", text: version.bytes) }
    payload.closeObject()
  }
}

extension Text {
  /// Stands for a name that an identifier cannot hold.
  fileprivate mutating func append(digest bytes: RawSpan) {
    var hash = Hash()
    hash.mix(bytes)
    for byte in 0..<8 { append(hex: UInt8(truncatingIfNeeded: hash.value >> UInt64(56 - byte * 8))) }
  }
}

extension RawSpan {
  /// Letters, digits and `-`: not the `_` that separates.
  fileprivate var isPlain: Bool {
    for index in 0..<byteCount {
      switch self[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        continue
      default: return false
      }
    }
    return true
  }
}
