import Core

/// The input is one packet, or a stream of them, as a controller might send it. Whatever it is: nothing traps, nothing is read past
/// its end, and what is read lies within what was given.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = RawSpan(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
  let services = watched()
  hear(input, services)
  var stream = PacketStream()
  var bytes = Cursor(input)
  while stream.advance(through: &bytes) {
    precondition(stream.packet.byteCount <= Packet.mostBytes, "a packet out of a stream fits")
    hear(stream.packet, services)
  }
  precondition(stream.discarded <= UInt64(count), "no more is discarded than there was")
  return 0
}

nonisolated(unsafe) private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: WatchedServices.bytes, alignment: 64)

private func watched() -> WatchedServices {
  var list = ServiceList(filledWith: ServiceUUID())
  _ = list.append(ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6))
  _ = list.append(ServiceUUID(short: 0xFD6F))
  var arena = Arena(lending: memory)
  return WatchedServices(list, in: &arena)
}

private func hear(_ packet: RawSpan, _ services: borrowing WatchedServices) {
  _ = try? AclPacket(packet).data.byteCount
  do throws(Malformed) {
    switch try HCIEvent(packet) {
    case .reports(var reports):
      var left = packet.byteCount
      while let report = try reports.next() {
        left -= report.data.byteCount
        precondition(left >= 0, "the reports of one packet lie beside each other")
        read(report, services)
      }
    case .packetsCompleted(var pairs): while pairs.next() != nil {}
    case .commandComplete(_, _, let rest), .lowEnergy(_, let rest), .other(_, let rest):
      precondition(rest.byteCount < packet.byteCount, "parameters are less than their packet")
    case .commandStatus, .connected, .disconnected, .hardwareError: break
    }
  } catch {}
}

private func read(_ report: borrowing Report, _ services: borrowing WatchedServices) {
  var left = report.data.byteCount
  var fields = Fields(report.data)
  while let field = fields.next() {
    let used = 2 + content(of: field)
    left -= used
    precondition(left >= 0, "fields lie beside each other")
  }
  let recognition = services.recognise(report)
  precondition(recognition.service.map { $0 < 2 } ?? true, "a service is one that is watched")
  if let identity = recognition.identity(at: report.address, services) {
    precondition(Int(identity.length) <= Identity.mostBytes, "an identity fits")
    precondition(identity == recognition.identity(at: report.address, services), "the same bytes are the same one")
  }
  var line = Text<2048>()
  line.openObject()
  line.members(of: report)
  line.closeObject()
  if line.overflowed { return }
  for index in 0..<line.count { precondition(line[index] >= 0x20, "a line has no control characters") }
}

private func content(of field: borrowing Field) -> Int {
  switch field {
  case .services(var list), .solicitations(var list):
    var bytes = 0
    while list.next() != nil { bytes += 2 }
    return bytes
  case .name(let text, _), .uri(let text), .unknown(_, let text): return text.byteCount
  case .serviceData(_, let data), .manufacturer(_, let data): return 2 + data.byteCount
  case .flags, .txPower: return 1
  case .appearance: return 2
  }
}
