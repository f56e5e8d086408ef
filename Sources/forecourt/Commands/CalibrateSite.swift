import Core
import Host

/// `forecourt calibrate site`: what visits taught of the receivers.
func showSite(_ invocation: Invocation) throws(Exit) {
  for name in ["id", "place", "capture", "radio", "seconds"] where !invocation.values(name).isEmpty {
    throw invocation.refused("--\(name) is for fixed and walk")
  }
  let configuration = try invocation.configuration(.hearing)
  let path = SideFiles.path(LearntFile.name, beside: String(configuration.host.outbox.path))
  var receivers: [ReceiverRecord] = []
  var places = LearntPlaces(configuration.core)
  var strange = 0
  do throws(FileRefusal) {
    strange = try LearntFile.read(path, radios: configuration.core.radioNames) {
      switch $0 {
      case .receiver(let record): receivers.append(configuration.core.asSet(record))
      case .place(let record): places.append(record)
      case .power: break
      }
    }
  } catch {
    say("forecourt: \(path) \(error.sentence)")
    throw error.isForbidden ? .forbidden : .failed
  }
  if strange > 0 { say("forecourt: \(path): \(counted(strange, "line")) skipped: not readable") }
  guard !receivers.isEmpty || !places.isEmpty else {
    let isLost = strange > 0
    say(
      "forecourt: nothing \(isLost ? "that can be read " : "")is known of the receivers" + (isLost ? "" : ": \(reason(configuration.core))")
    )
    throw .failed
  }
  for record in receivers { say(line(record)) }
  places.show(configuration.core) { invocation.out.line($0) }
  for record in receivers where record.isWrong { for line in fragment(record, configuration.core) { invocation.out.line(line) } }
}

private func reason(_ settings: borrowing Settings) -> String {
  guard settings.calibration.learns else { return "[calibration] learn is false" }
  for index in settings.triggers.indices where !settings.triggers[index].group.isEmpty {
    return "no visit has taught it yet; one that lasts twenty seconds does, and is saved within a minute"
  }
  return "no [[trigger]] has a group, so there are no others to compare with"
}

private func line(_ record: ReceiverRecord) -> String {
  let name = "\(String(record.gateway)) \(record.point.written)".padded(to: 24)
  let offset = (record.offset.value < 0 ? "" : "+") + fixed(record.offset.value, 1)
  let figures = "\(name) \(offset) ± \(fixed(record.doubt.value, 1)) dB after \(counted(Int(record.visits), "visit"))"
  if record.isWrong { return figures + ": looks wrong. Antenna, cable, or at_m?" }
  return figures + (record.isKnown ? "" : ": too few to tell")
}

private func fragment(_ record: ReceiverRecord, _ settings: borrowing Settings) -> [String] {
  let radio = "the [[radio]] at \(record.point.written)"
  let place = "# If nothing is broken there: in the configuration of \(String(record.gateway)), in \(radio),"
  if let index = settings.radio(of: record) {
    let now = settings.receiveOffset(of: index).value
    return [place + " instead of \(fixed(now, 1)):", "# receive_offset_db = \(fixed(now + record.offset.value, 1))"]
  }
  // What a neighbour's configuration says is not known here.
  return [place + " add to what it has:", "# receive_offset_db: \(fixed(record.offset.value, 1))"]
}

extension Settings {
  /// What is left to be learnt under the present `receive_offset_db`, which may have been set since.
  fileprivate func asSet(_ record: ReceiverRecord) -> ReceiverRecord {
    radio(of: record).map { record.under(receiveOffset(of: $0)) } ?? record
  }

  /// nil: it is a neighbour's, or none any more.
  fileprivate func radio(of record: ReceiverRecord) -> Int? {
    guard record.gateway == gateway.name else { return nil }
    return radios.indices.first { radios[$0].point == record.point && (record.radio < 0 || Int(record.radio) == $0) }
  }
}

extension ReceiverRecord {
  fileprivate var isKnown: Bool { doubt.value < 2 && visits >= 6 }
  /// Antennas of one make differ by less.
  fileprivate var isWrong: Bool { isKnown && offset.value.magnitude - doubt.value > 3.5 }
}
