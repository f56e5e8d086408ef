/// Beacons and ids whose senders the table knows by something better: by an id that was read, or by a key. A gateway that cannot read the
/// one, or lacks the other, asks by these names.
struct OtherNames: ~Copyable {
  private struct Entry: BitwiseCopyable {
    let name: Identity
    let device: DeviceReference
  }

  private var entries: Lent<Entry>
  private var count = 0
  /// The oldest is overwritten first.
  private var next = 0

  private static let most = 64

  init(in arena: inout Arena) { entries = arena.take(Self.most, of: Entry.self) }

  static var bytes: Int { Arena.bytes(for: most, of: Entry.self) }

  var indices: Range<Int> { 0..<count }

  func device(_ index: Int, named name: Identity) -> DeviceReference { entries[index].name == name ? entries[index].device : .none }

  func name(of device: DeviceReference) -> Identity? {
    for index in 0..<count where entries[index].device == device { return entries[index].name }
    return nil
  }

  mutating func note(_ name: Identity, of device: DeviceReference) {
    for index in 0..<count where entries[index].device == device && entries[index].name == name { return }
    entries[next] = Entry(name: name, device: device)
    next = (next + 1) % Self.most
    count = min(count + 1, Self.most)
  }
}

extension Devices {
  /// Another name by which a trigger may serve it; no other one, for all phones with one app may send the same beacon. Its visit may have begun
  /// before it was known by its better name.
  @inline(never) @_optimize(size)
  func otherName(of slot: Int, knownAs name: Identity, _ settings: borrowing Settings) -> Identity? {
    let better = self[slot].identity
    let other = better != name && !better.isBoundToAddress ? better : otherNames.name(of: reference(to: slot))
    guard let other, settings.interest(in: other).triggers != 0 else { return nil }
    return other
  }

  /// The device has this name, too.
  @inline(never) @_optimize(size)
  mutating func note(_ name: Identity, of slot: Int) {
    let better = self[slot].identity.kind
    if better.rawValue < name.kind.rawValue, !better.isBeacon, !name.isBoundToAddress { otherNames.note(name, of: reference(to: slot)) }
  }
}
