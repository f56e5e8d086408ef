import Core
import Host

/// `forecourt replay --report`: one or two runs, and the page about them.
extension Option {
  static var report: Option {
    Option(
      "report", .text("OUT.html"),
      "Also write one HTML file that shows levels, thresholds, events and visits; with two --config, of both runs side by side.")
  }
}

/// Runs the captures under each configuration and writes the page; the first run's messages go to standard output.
func writeReport(_ path: String, _ invocation: Invocation) throws(Exit) {
  var names: [String?] = invocation.values("config").map { $0 }
  if names.isEmpty { names = [nil] }
  try invocation.mayWrite(path, reading: invocation.operands + invocation.values("config"))
  var runs: [ReportRun] = []
  var epoch: Int64?
  var faults: [Captures.Fault] = []
  for name in names {
    // A pipe is over after the first run.
    let captures = Captures(opening: invocation.operands, orPipes: names.count == 1)
    if names.count > 1, let fault = captures.faults.first(where: { $0.reason.isPipe }) {
      say("forecourt: \(fault.name) \(fault.reason.sentence)")
      throw .unreadable
    }
    runs.append(try run(captures, name, invocation, number: runs.count, of: names.count))
    epoch = captures.epoch
    if runs.count == names.count { while let doubt = captures.takeDoubt() { say("forecourt: \(doubt)") } }
    faults = captures.faults
  }
  invocation.out.bar.clear()
  for fault in faults { say("forecourt: \(fault.name) \(fault.reason.sentence)") }
  // When nothing could be read there is nothing to show.
  guard faults.isEmpty || runs.contains(where: { $0.seconds > 0 || !$0.devices.isEmpty }) else { throw .unreadable }
  var page: ReportPage
  do throws(FileRefusal) {
    page = try ReportPage(creating: path, force: invocation.has("force"))
  } catch { throw invocation.unwritable(path, error) }
  page.write(runs, captures: invocation.operands, epoch: epoch, faults: faults)
  let failure = page.close()
  guard failure == 0 else { throw invocation.unwritable(path, code: failure) }
  if !faults.isEmpty { throw .unreadable }
}

private func run(
  _ captures: Captures, _ name: String?, _ invocation: Invocation, number: Int, of runs: Int
) throws(Exit) -> ReportRun {
  let source = try invocation.source(named: name, .hearing)
  let configuration = try invocation.configuration(from: name, .hearing)
  let radios = max(configuration.core.radios.count, 1)
  try invocation.mustSuit(invocation.operands, configuration.core)
  invocation.sayUncaptured(invocation.operands, configuration.core)
  invocation.sayIfOff(configuration, named: name)
  var report = ReportRun(source.name, withoutKeys(String(decoding: source.text, as: UTF8.self)), configuration.core)
  var offline = OfflineGateway(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = captures.next(into: &packet) {
    invocation.out.bar.show(captures.part.map { (Double(number) + $0) / Double(runs) })
    let radio = radios == 1 ? 0 : capture
    offline.receive(packet, radio: radio)
    report.observe(offline.gateway, radio: radio, at: packet.at)
    while offline.take({ message in
      report.record(message)
      if number == 0 { invocation.out.line(message) }
    }) {}
  }
  return report
}

/// A page is passed on, and a configuration may hold keys. A key is 32 hexadecimal digits in a row, or 16 pairs with one and the same
/// separator between them; as the value of `key` also with any separators, as an id may have them elsewhere.
func withoutKeys(_ text: String) -> String {
  let bytes = Array(text.utf8)
  var kept: [UInt8] = []
  var place = 0
  while place < bytes.count {
    let isInside = place > 0 && hexDigit(bytes[place - 1]) != nil
    if !isInside, let end = endOfKey(bytes, place) {
      kept += Array("(a key)".utf8)
      place = end
    } else {
      kept.append(bytes[place])
      place += 1
    }
  }
  return String(decoding: kept, as: UTF8.self)
}

/// Where the key that starts here ends, if one starts here.
private func endOfKey(_ bytes: [UInt8], _ start: Int) -> Int? {
  func isDigit(_ place: Int) -> Bool { place < bytes.count && hexDigit(bytes[place]) != nil }
  let isValue = isValueOfKey(bytes, start)
  var mark: UInt8?
  if start + 2 < bytes.count, [UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: " ")].contains(bytes[start + 2]) {
    mark = bytes[start + 2]
  }
  var place = start
  for pair in 0..<16 {
    if pair > 0, isValue {
      while place < bytes.count, isBetweenPairs(bytes[place]) { place += 1 }
    } else if pair > 0, let mark {
      guard place < bytes.count, bytes[place] == mark else { return nil }
      place += 1
    }
    guard isDigit(place), isDigit(place + 1) else { return nil }
    place += 2
  }
  return isDigit(place) ? nil : place
}

/// Whether what stands here is the value of a TOML key whose name is `key`.
private func isValueOfKey(_ bytes: [UInt8], _ start: Int) -> Bool {
  var place = start
  func back(over skipped: String) { while place > 0, skipped.utf8.contains(bytes[place - 1]) { place -= 1 } }
  back(over: "\"' \t\r\n:-")
  guard place > 0, bytes[place - 1] == UInt8(ascii: "=") else { return false }
  place -= 1
  back(over: "\"' \t")
  guard place >= 3, bytes[place - 3..<place].elementsEqual("key".utf8) else { return false }
  return place == 3 || !"_-".utf8.contains(bytes[place - 4]) && !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= bytes[place - 4] | 0x20)
}
