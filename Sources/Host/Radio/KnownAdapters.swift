package import Core

/// Which controller each radio had in the last run, and which it has now: whether a restart has swapped the kernel's numbers.
///
/// A controller is known by its public address. One that is remembered for another radio stands at that radio's pump: what it hears happens
/// there. One that nobody remembers has replaced the radio's old one, unless the old one is at another radio now.
package struct KnownAdapters {
  private struct Place {
    let name: Name
    /// The configuration names it by its address.
    let isNamed: Bool
    var remembered: Address?
    /// nil: none, or one that tells nothing.
    var present: Address?
    var hasAnswered = false
  }

  /// Why what a radio hears must not count.
  package enum Misplacement: Equatable {
    /// It has the controller of another radio.
    case hasThatOf(Int)
    /// Another radio has its controller, and nobody knows the one that is here.
    case lostItsOwnTo(Int)

    package var other: Int {
      switch self {
      case .hasThatOf(let other), .lostItsOwnTo(let other): other
      }
    }
  }

  package struct Entry: Equatable {
    package let radio: Name
    package let address: Address

    package init(_ radio: Name, _ address: Address) { (self.radio, self.address) = (radio, address) }
  }

  private var places: [Place] = []

  package init(_ settings: borrowing Settings, _ adapters: [Adapter], _ entries: [Entry] = []) {
    for (index, adapter) in adapters.enumerated() {
      let name = settings.radios[index].name
      guard case .hci(.address(let address), _) = adapter else {
        places.append(Place(name: name, isNamed: false, remembered: entries.last { $0.radio == name }?.address))
        continue
      }
      places.append(Place(name: name, isNamed: true, remembered: address))
    }
    // What the configuration says counts more than what was remembered.
    for index in places.indices where !places[index].isNamed {
      if places.contains(where: { $0.isNamed && $0.remembered == places[index].remembered }) { places[index].remembered = nil }
    }
  }

  /// A radio's controller has said its address, which may be none; `isThere`: its line is open.
  package mutating func record(_ address: Address?, of radio: Int, isThere: Bool = true) {
    places[radio].present = isThere ? address.flatMap { $0.isDistinctive ? $0 : nil } : nil
    places[radio].hasAnswered = isThere
  }

  package func address(of radio: Int) -> Address? { places[radio].present }
  package func before(_ radio: Int) -> Address? { places[radio].remembered }

  package func misplacement(of radio: Int) -> Misplacement? {
    guard !places[radio].isNamed, places[radio].present != nil, places[radio].present != places[radio].remembered else { return nil }
    if let other = owner(ofPresentAt: radio) { return .hasThatOf(other) }
    guard let own = places[radio].remembered else { return nil }
    for other in places.indices where other != radio && places[other].present == own {
      if owner(ofPresentAt: other) == radio { return .lostItsOwnTo(other) }
    }
    return nil
  }

  package func words(_ misplacement: Misplacement, of radio: Int) -> String {
    let (name, other) = (String(places[radio].name), String(places[misplacement.other].name))
    let (has, had) = if case .hasThatOf = misplacement { (name, other) } else { (other, name) }
    return "radio \(has) has the adapter that radio \(had) had: nothing will fire at either: write each adapter's address instead of hciN"
  }

  /// The other radio for which the controller is remembered that is at this one. Many cheap controllers are sold with the same address:
  /// what both have now tells nothing.
  private func owner(ofPresentAt radio: Int) -> Int? {
    guard !places[radio].isNamed, let address = places[radio].present, address != places[radio].remembered else { return nil }
    return places.indices.first { other in
      other != radio && places[other].remembered == address && (places[other].isNamed || places[other].present != address)
    }
  }

  /// Once all radios have their controllers: remembers what is new. Returns the radios whose controller was replaced, nil when there is
  /// nothing new. Not before: a controller that comes late may turn out to be the one that was replaced. And not while one has another's,
  /// unless that makes no difference.
  package mutating func settle(isAnyOrderRight: Bool = false) -> [(radio: Int, before: Address)]? {
    guard places.allSatisfy({ $0.hasAnswered }) else { return nil }
    guard isAnyOrderRight || places.indices.allSatisfy({ misplacement(of: $0) == nil }) else { return nil }
    var replaced: [(radio: Int, before: Address)] = []
    var isNew = false
    for radio in places.indices {
      guard let now = places[radio].present, now != places[radio].remembered else { continue }
      guard places.filter({ $0.present == now }).count == 1 else { continue }
      if let before = places[radio].remembered { replaced.append((radio, before)) }
      places[radio].remembered = now
      isNew = true
    }
    return isNew ? replaced : nil
  }

  package var entries: [Entry] { places.compactMap { place in place.remembered.map { Entry(place.name, $0) } } }
}

extension Settings {
  /// Whether it matters which radio hears what.
  package var tellsRadiosApart: Bool {
    for index in triggers.indices where triggers[index].radio != nil { return true }
    for index in radios.indices where radios[index].point != nil || radios[index].receiveOffset.value != 0 { return true }
    return false
  }
}
