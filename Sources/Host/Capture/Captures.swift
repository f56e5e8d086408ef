package import Core

/// Several captures merged in the order of time; each packet comes with the number of its capture.
package final class Captures {
  private final class Source {
    let name: String
    /// Its place among all that were named, also of those that cannot be read.
    let number: Int
    var reader: CaptureReader
    var packet = Packet()
    /// How much later it begins than the earliest capture.
    var shift = Interval.zero
    var isOver = false
    /// More than a year lies between it and the earliest: their clocks were not the same.
    var isApart = false
    var isEmpty = false
    var isTold = false

    init(opening name: String, _ number: Int, orPipe: Bool) throws(CaptureFault) {
      (self.name, self.number) = (name, number)
      reader = try CaptureReader(opening: name, orPipe: orPipe)
    }
  }

  package struct Fault {
    package let name: String
    package let reason: CaptureFault
  }

  private var sources: [Source] = []
  /// The captures that could not be read to their end.
  package private(set) var faults: [Fault] = []
  /// Microseconds since 1970 at the first packet; nil if the stamps are no dates.
  package private(set) var epoch: Int64?

  package init(opening names: [String], orPipes: Bool = true) {
    for (number, name) in names.enumerated() {
      do throws(CaptureFault) {
        let source = try Source(opening: name, number, orPipe: orPipes)
        sources.append(source)
        advance(source)
      } catch {
        faults.append(Fault(name: name, reason: error))
      }
    }
    var first: Int64?
    for source in sources { if let epoch = source.reader.epoch { first = min(first ?? epoch, epoch) } }
    guard let first else { return }
    for source in sources {
      guard let epoch = source.reader.epoch else { continue }
      source.isApart = epoch &- first < 0 || epoch &- first > Self.longestPause
      if !source.isApart { source.shift = Interval(microseconds: epoch - first) }
    }
    // A board without a clock stamps its captures with the time since it was switched on; a damaged one with anything.
    if Self.dates.contains(first) { epoch = first }
  }

  /// The years 2000 to 2199 in microseconds.
  private static let dates: Range<Int64> = 946_684_800_000_000..<7_258_118_400_000_000

  private static let longestPause: Int64 = 366 * 86_400_000_000

  /// What is to be said of a capture without packets, and of stamps that cannot be right; once for each capture.
  package func takeDoubt() -> String? {
    let isDoubtful = { (source: Source) in source.isEmpty || source.isApart || source.reader.hasLeapt || source.reader.hasSeveral }
    guard let source = sources.first(where: { !$0.isTold && isDoubtful($0) }) else { return nil }
    source.isTold = true
    if source.isEmpty { return source.name + " holds no packet" }
    if source.reader.hasSeveral { return source.name + " has the adverts of several controllers: they are taken for one radio's" }
    let words =
      source.isApart
      ? "is years away from the others: its clock was not set, and it is taken to begin with them"
      : "leaps back, or by half a day or more: its clock was set, or a stamp is damaged, and no time passes there"
    return source.name + " " + words
  }

  /// The oldest remaining packet. Its time counts from the first packet of all.
  package func next(into packet: inout Packet) -> Int? {
    var oldest: Int?
    for index in sources.indices where !sources[index].isOver {
      if let known = oldest, time(of: sources[known]) <= time(of: sources[index]) { continue }
      oldest = index
    }
    guard let oldest else { return nil }
    packet = sources[oldest].packet
    packet.at = time(of: sources[oldest])
    advance(sources[oldest])
    return sources[oldest].number
  }

  /// The share that has been read, from 0 to 1; nil if the total is unknown.
  package var part: Double? {
    var (behind, all): (UInt64, UInt64) = (0, 0)
    for source in sources {
      let progress = source.reader.progress
      guard progress.all > 0 else { return nil }
      (behind, all) = (behind + progress.behind, all + progress.all)
    }
    return Double(behind) / Double(max(all, 1))
  }

  private func time(of source: Source) -> Instant { source.packet.at + source.shift }

  private func advance(_ source: Source) {
    do throws(CaptureFault) {
      source.isOver = !(try source.reader.next(into: &source.packet))
      source.isEmpty = source.isOver && source.reader.epoch == nil
    } catch {
      source.isOver = true
      faults.append(Fault(name: source.name, reason: error))
    }
  }
}
