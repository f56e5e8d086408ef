import Core
import Host

extension Option {
  static var report: Option {
    Option(
      "report", .text("OUT.html"),
      "Write a page for people, too: levels, thresholds, events, visits. One file that needs no other; with two --config, side by side.")
  }
}

/// Runs the captures under each configuration and writes the page; the messages of the first go to standard output.
func writeReport(_ path: String, _ invocation: Invocation) throws(Exit) {
  var page: ReportPage
  do throws(FileRefusal) {
    page = try ReportPage(creating: path)
  } catch {
    say("forecourt replay: \(path) \(error.sentence)")
    throw .failed
  }
  var names: [String?] = invocation.values("config").map { $0 }
  if names.isEmpty { names = [nil] }
  var runs: [ReportRun] = []
  var epoch: Int64?
  var faults: [Captures.Fault] = []
  for name in names {
    let captures = Captures(opening: invocation.operands)
    runs.append(try run(captures, name, invocation, number: runs.count, of: names.count))
    epoch = captures.epoch
    faults = captures.faults
  }
  invocation.out.bar.clear()
  page.write(runs, captures: invocation.operands, epoch: epoch)
  let failure = page.close()
  for fault in faults { say("forecourt: \(fault.name) \(fault.reason.sentence)") }
  guard failure == 0 else {
    say("forecourt replay: \(path) cannot be written: \(systemWords(failure))")
    throw .failed
  }
  if !faults.isEmpty { throw .unreadable }
}

private func run(
  _ captures: Captures, _ name: String?, _ invocation: Invocation, number: Int, of runs: Int
) throws(Exit) -> ReportRun {
  let source = try invocation.source(named: name, .hearing)
  let configuration = try invocation.configuration(from: name, .hearing)
  let radios = max(configuration.core.radios.count, 1)
  guard radios == 1 || invocation.operands.count <= radios else {
    throw invocation.refused("there are \(invocation.operands.count) captures for \(radios) radios")
  }
  var report = ReportRun(source.name, withoutKeys(String(decoding: source.text, as: UTF8.self)), configuration.core)
  var rehearsal = Rehearsal(configuration, epoch: captures.epoch)
  var packet = Packet()
  while let capture = captures.next(into: &packet) {
    invocation.out.bar.show(captures.part.map { (Double(number) + $0) / Double(runs) })
    let radio = radios == 1 ? 0 : capture
    rehearsal.receive(packet, radio: radio)
    report.look(rehearsal.gateway, radio: radio, at: packet.at)
    while rehearsal.take({ message in
      report.told(message)
      if number == 0 { invocation.out.line(message) }
    }) {}
  }
  return report
}

/// A configuration may hold keys, and a page is passed on: 32 hexadecimal digits in a row are one.
func withoutKeys(_ text: String) -> String {
  var bytes: [UInt8] = []
  var run: [UInt8] = []
  func isDigit(_ byte: UInt8) -> Bool { hexDigit(byte) != nil }
  for byte in Array(text.utf8) + [0] {
    if isDigit(byte) {
      run.append(byte)
      continue
    }
    bytes += run.count == 32 ? Array("(a key)".utf8) : run
    run = []
    if byte != 0 { bytes.append(byte) }
  }
  return String(decoding: bytes, as: UTF8.self)
}
