package import Core

/// New settings on their way to the courier. If its ring is full, the latest wait here: the courier may be blocked by a slow disk, and the
/// core thread must not wait for it.
package struct PendingSettings {
  private let orders: Ring<Courier.Order>
  private var latest: CourierSettings?

  package init(_ orders: Ring<Courier.Order>) { self.orders = orders }

  package mutating func send(_ settings: CourierSettings) { latest = orders.push(.reload(settings)) == nil ? nil : settings }

  /// Every turn; whether something was sent.
  package mutating func retry() -> Bool {
    guard let settings = latest else { return false }
    send(settings)
    return latest == nil
  }
}
