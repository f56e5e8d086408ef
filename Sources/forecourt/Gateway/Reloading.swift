import Core
import Host

/// Reads the configuration anew, on the disk thread. One reading at a time: a request that comes meanwhile is answered after the
/// next one, which starts after the request.
struct Reloading {
  /// Used by one thread at a time: by the disk thread while it is at work, else by ours. nil: it is wrong, and the log says where.
  final class Reading: @unchecked Sendable {
    fileprivate let invocation: Invocation
    fileprivate let log: Log
    fileprivate var configuration: Configuration?

    fileprivate init(_ invocation: Invocation, _ log: Log) { (self.invocation, self.log) = (invocation, log) }

    fileprivate func refresh() {
      configuration = nil
      do throws(Exit) { configuration = try invocation.configuration(.whole, log) } catch {}
    }

    func taken() -> Configuration? { configuration.take() }
  }

  private let diskThread: DiskThread
  private let reading: Reading
  private var isWanted = false
  private var isUnderWay = false
  /// Answered after the next reading, and after the one under way.
  private var next: [Ticket] = []
  private var current: [Ticket] = []
  private static let mostTickets = 16

  init(_ invocation: Invocation, _ diskThread: DiskThread, _ log: Log) {
    self.diskThread = diskThread
    reading = Reading(invocation, log)
  }

  /// False when too many wait for an answer already.
  mutating func request(_ ticket: Ticket? = nil) -> Bool {
    guard next.count < Self.mostTickets else { return false }
    if let ticket { next.append(ticket) }
    isWanted = true
    return true
  }

  /// Whether the next turn has something to do.
  var hasWork: Bool { isUnderWay ? isRead : isWanted }
  private var isRead: Bool { !diskThread.isBusy(.configuration) }

  /// Once a turn: what has been read, and who asked for it.
  mutating func turned(_ notify: Notify, at now: Instant) -> (reading: Reading, tickets: [Ticket])? {
    if isUnderWay, isRead {
      isUnderWay = false
      notify.ready()
      return (reading, current)
    }
    let reading = reading
    guard isWanted, !isUnderWay, diskThread.submit(.configuration, at: now, { reading.refresh() }) else { return nil }
    notify.reloading(at: now)
    (isWanted, isUnderWay, current, next) = (false, true, next, [])
    return nil
  }
}
