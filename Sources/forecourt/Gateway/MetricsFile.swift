import Core
import Host
import Synchronization

/// `metrics_file`, written on the disk's thread. It goes when the gateway stops or writes elsewhere: its last figures would pass for health.
struct MetricsFile {
  /// One path. Only the disk's thread uses it, and after that thread's end whoever closes.
  private final class Place: Sendable {
    let path: String
    private let isWritten = Atomic<Bool>(false)
    private let hasFailed = Atomic<Bool>(false)

    init(_ path: String) { self.path = path }

    /// Said once, and not at every telemetry: it may stay so for months.
    func write(_ text: [UInt8], _ log: Log) {
      do throws(FileRefusal) {
        try PrometheusFile.write(text, to: path)
        isWritten.store(true, ordering: .relaxed)
        if hasFailed.exchange(false, ordering: .relaxed) { log.say(.info, "metrics_file \(path) is written again") }
      } catch {
        if !hasFailed.exchange(true, ordering: .relaxed) { log.say(.warning, "metrics_file \(path) \(error.sentence)") }
      }
    }

    /// A file that this run has not written is somebody else's.
    func remove() {
      if isWritten.load(ordering: .relaxed) { PrometheusFile.remove(path) }
    }
  }

  /// nil: none is wanted.
  private var place: Place?
  /// Of earlier settings.
  private var left: [Place] = []

  init(_ configuration: borrowing Configuration) { place = Self.path(in: configuration).map { Place($0) } }

  /// A rehearsal's figures are nobody's.
  private static func path(in configuration: borrowing Configuration) -> String? {
    configuration.core.gateway.simulated ? nil : configuration.host.metricsFile
  }

  mutating func reload(_ configuration: borrowing Configuration) {
    let next = Self.path(in: configuration)
    if let place, let next, same(place.path, next) { return }
    if let place { left.append(place) }
    place = next.map { Place($0) }
  }

  func write(_ telemetry: Telemetry, of gateway: GatewaySettings, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    // One of those that are left may be where the new one belongs: first it goes.
    guard let place, left.isEmpty else { return }
    let text = PrometheusFile.text(telemetry, site: gateway.site, gateway: gateway.name)
    _ = diskThread.submit(.metrics, at: now) { place.write(text, log) }
  }

  /// Once a turn.
  mutating func turned(at now: Instant, _ diskThread: DiskThread) {
    guard !left.isEmpty, !diskThread.isBusy(.metrics) else { return }
    let gone = left
    left = []
    _ = diskThread.submit(.metrics, at: now) { for place in gone { place.remove() } }
  }

  /// When the disk's thread has ended: nothing is written any more.
  func close() {
    place?.remove()
    for place in left { place.remove() }
  }
}
