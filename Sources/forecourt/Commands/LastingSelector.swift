import Core
import Host

/// What to match so that a device that is here now is known tomorrow, too.
struct LastingSelector {
  let selector: String
  let words: String

  /// Empty: nothing that it sends stays.
  static func all(for identity: Identity, addressStays: Bool?) -> [LastingSelector] {
    let id = identity.text
    switch identity.kind {
    case .irk: return [LastingSelector(selector: id, words: "this one: its key knows it by every address")]
    case .peer: return [LastingSelector(selector: id, words: "this installation of your app"), rest("peer:*", "everybody with your app")]
    case .eid: return [LastingSelector(selector: id, words: "this beacon: its key knows every id that it shows")]
    case .altBeacon: return [LastingSelector(selector: id, words: "this beacon, and every copy of it")]
    case .iBeacon:
      let parts = split(id, at: ":")
      return [
        LastingSelector(selector: id, words: "this beacon, and every copy of it"),
        rest("ibeacon:\(parts[1]):\(parts[2]):*", "all beacons with its UUID and major number"),
        rest("ibeacon:\(parts[1]):*", "all beacons with its UUID"),
      ]
    case .eddystone:
      return [
        LastingSelector(selector: id, words: "this beacon, and every copy of it"),
        rest("eddystone:\(split(id, at: ":")[1]):*", "all beacons with its namespace"),
      ]
    case .service, .name, .address: return bound(identity, id, addressStays ?? false)
    }
  }

  private static func rest(_ selector: String, _ words: String) -> LastingSelector { LastingSelector(selector: selector, words: words) }

  private static func bound(_ identity: Identity, _ id: String, _ addressStays: Bool) -> [LastingSelector] {
    var all: [LastingSelector] = []
    if addressStays {
      let address = String(decoding: id.bytes.suffix(17), as: UTF8.self)
      all.append(LastingSelector(selector: "address:" + address, words: "this device: its address stays the same"))
    }
    guard identity.kind != .address else { return all }
    let head = String(decoding: id.bytes.dropLast(17), as: UTF8.self)
    let words = identity.kind == .name ? "whatever has this name: anybody may take it" : "everybody whose device offers this service"
    return all + [rest(head + "*", words)]
  }

  static let none =
    "Nothing that it sends will be the same tomorrow: a phone changes its address about every quarter of an hour. To know it again it needs "
    + "your app, its own key after pairing, or a beacon on the key ring; the README, \"Give a phone an identity that lasts\", says how. "
    + "For a first try hold a beacon here, or an app that plays one."
}
