/// The levels at which zones end, for one transmitter.
package struct ZoneEdges: BitwiseCopyable {
  private let immediate: Decibels
  private let near: Decibels
  private let hysteresis: Decibels

  fileprivate init(immediate: Decibels, near: Decibels, hysteresis: Decibels) {
    self.immediate = immediate
    self.near = near
    self.hysteresis = hysteresis
  }

  /// A device enters a nearer zone at its edge, and leaves it beyond the edge plus the hysteresis.
  package func zone(at average: Decibels, from zone: Zone) -> Zone {
    if average >= immediate - (zone == .immediate ? hysteresis : Decibels(0)) { return .immediate }
    return average >= near - (zone >= .near ? hysteresis : Decibels(0)) ? .near : .far
  }

  /// The levels that keep a device in its zone.
  package func band(of zone: Zone) -> Band {
    switch zone {
    case .unknown: .empty
    case .far: Band(low: Decibels(-.infinity), high: near)
    case .near: Band(low: near - hysteresis, high: immediate)
    case .immediate: Band(low: immediate - hysteresis, high: Decibels(.infinity))
    }
  }
}

extension ZoneSettings {
  package func edges(for power: MeasuredPower, along path: PathLoss) -> ZoneEdges {
    switch edges {
    case .levels(let immediate, let near): ZoneEdges(immediate: immediate, near: near, hysteresis: hysteresis)
    case .distances(let immediate, let near):
      ZoneEdges(
        immediate: power.level - path.loss(at: immediate), near: power.level - path.loss(at: near), hysteresis: hysteresis)
    }
  }
}

extension PublishSettings {
  /// The levels at which the distance stays within `skip` of the estimate.
  package func band(around estimate: Estimate, along path: PathLoss) -> Band {
    let power = estimate.average + estimate.loss
    let nearer = Meters(estimate.distance.value - skip.value)
    return Band(
      low: power - path.loss(at: Meters(estimate.distance.value + skip.value)),
      high: nearer.value > 0 ? power - path.loss(at: nearer) : Decibels(.infinity))
  }
}

extension Band {
  package func clamped(to other: Band) -> Band { Band(low: max(low, other.low), high: min(high, other.high)) }
}
