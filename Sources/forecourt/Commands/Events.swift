import Core
import Host

/// `forecourt events`: lists what the outbox holds.
extension Command {
  static var events: Command {
    Command(
      name: "events", summary: "list the events of the outbox and its history",
      description: [
        "Prints the events that the gateway has stored, oldest first. A line has the time, `?` if the disk has changed it beyond the calendar; the state (waiting, delivered, expired before the broker could be reached, or damaged on the disk and therefore not sent); the event, its trigger or region, the identity, and the event id; `simulated` if it was a rehearsal's.",
        "Only reads the outbox; the gateway may go on running.",
      ],
      options: [
        .config, .json,
        Option("last", .number("N", 1...1_000_000), "The newest N that match; 20 unless given."),
        Option("trigger", .text("NAME"), "Only events of this trigger."),
        Option("region", .text("NAME"), "Only events of this region."),
        Option("id", .text("ID"), "Only events of this device: its id, or the name that a [[device]] gives it."),
        Option("since", .text("TIME"), "Only events since then: 90s, 30m, 12h or 7d ago, or a date or time in UTC, 2026-11-21T10:00."),
      ],
      examples: [
        Example(line: "forecourt events --trigger pump-3 --since 2h", words: "What happened at pump-3 in the last two hours."),
        Example(
          line: "forecourt events --json --last 1000", words: "For a script: one JSON object a line, with the payload as it was sent."),
      ],
      exits: [.done, .failed, .usage, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runEvents(invocation) })
  }
}

/// Which events to print.
private struct EventFilter {
  let trigger: Name?
  let region: Name?
  let identity: Text<128>?
  let since: Int64?

  init(_ invocation: Invocation, _ settings: borrowing Settings) throws(Exit) {
    trigger = invocation.value("trigger").map { Name($0) }
    region = invocation.value("region").map { Name($0) }
    if trigger != nil, region != nil { throw invocation.refused("--trigger and --region exclude each other: an event is of one of them") }
    if let word = invocation.value("id") {
      var text = Text<128>()
      text.append(try invocation.identity(word, settings))
      identity = text
    } else {
      identity = nil
    }
    guard let words = invocation.value("since") else {
      since = nil
      return
    }
    since = parseTime(words, before: Clock.wall() ?? 0)
    guard since == nil else { return }
    let forms = "90s, 30m, 12h, 7d, 2026-11-21 or 2026-11-21T10:00"
    throw invocation.refused("--since \(words): must be a time like \(forms), on a day that exists")
  }

  func matches(_ entry: borrowing OutboxHistory.Entry) -> Bool {
    if let since, (entry.stored ?? 0) < since { return false }
    if let trigger, entry.trigger != trigger { return false }
    if let region, entry.region != region { return false }
    if let identity, entry.identity != identity { return false }
    return true
  }
}

private func runEvents(_ invocation: Invocation) throws(Exit) {
  let configuration = try invocation.configuration(.hearing)
  let filter = try EventFilter(invocation, configuration.core)
  let path = String(configuration.host.outbox.path)
  let most = invocation.number("last") ?? 20
  do throws(FileRefusal) { try FileSystem.mustBeFile(path) } catch {
    say("forecourt: \(path) \(error.sentence)")
    throw error.isForbidden ? .forbidden : .failed
  }
  // Only their rows: a board has no room for all events, and a reader that pauses must not keep the gateway from clearing its log.
  var found: [Int64] = []
  do throws(StoreFault) {
    let history = try OutboxHistory(path: path)
    try history.read { entry in
      if filter.matches(entry) { found.append(entry.row) }
      return found.count < most
    }
    for row in found.reversed() {
      if let entry = try history.entry(row) { invocation.out.line(invocation.has("json") ? entry.json : entry.line) }
    }
  } catch {
    say("forecourt: \(path): \(error.said)")
    throw .failed
  }
  if found.isEmpty { sayWhyEmpty(invocation, configuration.core) }
}

/// The outbox may still hold events of a place that has gone from the configuration: only an empty list needs an explanation.
private func sayWhyEmpty(_ invocation: Invocation, _ settings: borrowing Settings) {
  var triggers: [String] = []
  for index in settings.triggers.indices { triggers.append(String(settings.triggers[index].name)) }
  var regions: [String] = []
  for index in settings.regions.indices { regions.append(String(settings.regions[index].name)) }
  if sayIfUnknown("trigger", among: triggers, invocation) || sayIfUnknown("region", among: regions, invocation) { return }
  let isChosen = ["trigger", "region", "id", "since"].contains { invocation.has($0) }
  say("forecourt: nothing to list: the outbox holds no \(isChosen ? "such event" : "event")")
}

private func sayIfUnknown(_ kind: String, among names: [String], _ invocation: Invocation) -> Bool {
  guard let name = invocation.value(kind), !names.contains(where: { same($0, name) }) else { return false }
  let meant = suggestion(for: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
  say("forecourt: nothing to list, and the configuration names no \(kind) \"\(name)\"\(meant)")
  return true
}

extension OutboxHistory.Entry {
  /// For scripts; the payload is the very text that was sent.
  fileprivate var json: String {
    var line =
      "{\"v\":1,\"state\":\"\(state.name)\",\"stored\":\(written(stored)),\"settled\":\(written(settled)),\"expires\":\(written(expires)),"
    // A damaged payload may no longer be JSON.
    let shown = state == .damaged || !isObject ? Host.json(String(payload)) : String(payload)
    line += "\"topic\":\(Host.json(String(topic))),\"payload\":\(shown)}"
    return line
  }

  fileprivate var line: String {
    let what = event.map { shown(String($0)) } ?? "?"
    let place = shown((trigger ?? region).map { String($0) } ?? String(topic))
    let moment = (stored.map { String(Text<32>(moment: $0)) } ?? "clock not set").padded(to: 24)
    return "\(moment)  \("\(state.name)".padded(to: 9))  \(what.padded(to: 9))  \(place)  \(identity.map { shown(String($0)) } ?? "-")  "
      + (eventID.map { shown(String($0)) } ?? "-") + (isSimulated ? "  simulated" : "")
  }

  private func written(_ moment: Int64?) -> String {
    var text = Text<40>()
    WallClock(started: .zero, epoch: moment).write(.zero, to: &text)
    return String(text)
  }
}

extension Text {
  /// RFC 3339, without quotation marks; `?` for what can be no time: the disk may change any bit of a row.
  init(moment: Int64) {
    var quoted = Text<40>()
    WallClock(started: .zero, epoch: moment).write(.zero, to: &quoted)
    if quoted.count > 4 { self.init(quoted.bytes.extracting(1..<quoted.count - 1)) } else { self.init("?" as StaticString) }
  }
}

/// `90s`, `30m`, `12h`, `7d` before `now`, or a day or a moment of it in UTC; in microseconds since 1970.
func parseTime(_ words: String, before now: Int64) -> Int64? {
  let bytes = Array(words.utf8)
  guard let last = bytes.last else { return nil }
  if let unit = unit(last) {
    return decimal(String(decoding: bytes.dropLast(), as: UTF8.self)).flatMap { $0 < 100_000_000 ? now - Int64($0) * unit : nil }
  }
  // 2026-11-21, then T or a space, then 10:00 or 10:00:00, then perhaps Z.
  let time = last == UInt8(ascii: "Z") ? bytes.dropLast() : bytes[...]
  let fields = time.split(omittingEmptySubsequences: false) { $0 < UInt8(ascii: "0") || $0 > UInt8(ascii: "9") }.map {
    decimal(String(decoding: $0, as: UTF8.self))
  }
  let separators = time.filter { $0 < UInt8(ascii: "0") || $0 > UInt8(ascii: "9") }
  let patterns: [StaticString] = ["--", "--T:", "--T::", "-- :", "-- ::"]
  guard patterns.contains(where: { Text<8>($0) == Text<8>(String(decoding: separators, as: UTF8.self)) }) else { return nil }
  func field(_ index: Int, _ range: ClosedRange<Int>) -> Int64? {
    guard index < fields.count, let value = fields[index], range.contains(value) else { return nil }
    return Int64(value)
  }
  guard let year = field(0, 1970...9999), let month = field(1, 1...12), let day = field(2, 1...31) else { return nil }
  // To `days` a thirteenth month is the next January.
  guard days(year, month, day) < days(year, month + 1, 1) else { return nil }
  let hasTime = separators.count > 2
  guard let hour = hasTime ? field(3, 0...23) : 0, let minute = hasTime ? field(4, 0...59) : 0 else { return nil }
  guard let second = separators.count > 4 ? field(5, 0...59) : 0 else { return nil }
  return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000
}

private func unit(_ byte: UInt8) -> Int64? {
  switch byte {
  case UInt8(ascii: "s"): 1_000_000
  case UInt8(ascii: "m"): 60_000_000
  case UInt8(ascii: "h"): 3_600_000_000
  case UInt8(ascii: "d"): 86_400_000_000
  default: nil
  }
}

/// Since 1970: years are counted from March, so that the leap day comes last.
private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let era = shifted / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
