package import Core

/// New settings on their way to the courier. If its ring is full, the latest wait here: the courier may be blocked by a slow disk, and the
/// core thread must not wait for it.
package struct PendingSettings {
  private let ring: Ring<CourierSettings>
  private var latest: CourierSettings?

  package init(_ ring: Ring<CourierSettings>) { self.ring = ring }

  package mutating func send(_ settings: CourierSettings) { latest = ring.push(settings) == nil ? nil : settings }

  /// Every turn; whether something was sent.
  package mutating func retry() -> Bool {
    guard let settings = latest else { return false }
    send(settings)
    return latest == nil
  }
}
