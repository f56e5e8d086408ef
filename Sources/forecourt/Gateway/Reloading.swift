import Core
import Host

/// The configuration read anew, by the clerk. One reading at a time: whoever asks meanwhile gets one more, begun after he asked.
struct Reloading {
  /// One side at a time: the clerk's while it is at work, else ours. nil: it is wrong, and the log says where.
  final class Read: @unchecked Sendable {
    fileprivate let invocation: Invocation
    fileprivate var configuration: Configuration?

    fileprivate init(_ invocation: Invocation) { self.invocation = invocation }

    fileprivate func again() {
      configuration = nil
      do throws(Exit) { configuration = try invocation.configuration(.whole) } catch {}
    }

    func taken() -> Configuration? { configuration.take() }
  }

  private let diskThread: DiskThread
  private let read: Read
  private var isWanted = false
  private var isUnderWay = false
  /// Whom to answer after the reading that is to begin, and after the one under way.
  private var next: [Ticket] = []
  private var current: [Ticket] = []
  private static let mostTickets = 16

  init(_ invocation: Invocation, _ diskThread: DiskThread) {
    self.diskThread = diskThread
    read = Read(invocation)
  }

  /// False where too many wait for an answer already.
  mutating func want(_ ticket: Ticket? = nil) -> Bool {
    guard next.count < Self.mostTickets else { return false }
    if let ticket { next.append(ticket) }
    isWanted = true
    return true
  }

  /// Whether something is to be done in the next turn.
  var hasWork: Bool { isUnderWay ? isRead : isWanted }
  private var isRead: Bool { !diskThread.isBusy(.configuration) }

  /// Once a turn: what has been read, and who asked for it.
  mutating func turned(_ notify: Notify, at now: Instant) -> (read: Read, tickets: [Ticket])? {
    if isUnderWay, isRead {
      isUnderWay = false
      notify.ready()
      return (read, current)
    }
    let read = read
    guard isWanted, !isUnderWay, diskThread.submit(.configuration, at: now, { read.again() }) else { return nil }
    notify.reloading(at: now)
    (isWanted, isUnderWay, current, next) = (false, true, next, [])
    return nil
  }
}
