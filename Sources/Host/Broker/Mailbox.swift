package import Core

/// New settings on their way to the courier. Where there is no room for them the latest wait here: the courier may be busy with a disk
/// that takes its time, and nobody waits for it.
package struct Mailbox {
  private let orders: Ring<Courier.Order>
  private var owed: CourierSettings?

  package init(_ orders: Ring<Courier.Order>) { self.orders = orders }

  package mutating func send(_ settings: CourierSettings) { owed = orders.push(.adopt(settings)) == nil ? nil : settings }

  /// Now and then; whether something was sent.
  package mutating func retry() -> Bool {
    guard let settings = owed else { return false }
    send(settings)
    return owed == nil
  }
}
