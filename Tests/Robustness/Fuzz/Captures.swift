import Core
import Glibc
import Host

// In CI 10000 runs: each opens a file, twice.

/// The input is a capture's file. Whatever it holds: reading ends, what is read lies within the file, times count from the first packet,
/// and whoever wants the packets for himself gets those that fit, the same ones.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  precondition(ftruncate(file, 0) == 0 && pwrite(file, start, count, 0) == count, "a file in memory takes what it is given")
  let path = "/proc/self/fd/\(file)"
  guard var capture = open(path) else { return 0 }
  var (packets, bytes, fitting, ended) = (0, 0, 0, false)
  do throws(CaptureFault) {
    while try capture.advance() {
      let packet = capture.packet
      precondition(packet.bytes.byteCount > 0 && (packets > 0 || packet.at == .zero), "the first packet is the beginning of time")
      packets += 1
      bytes += packet.bytes.byteCount
      if packet.bytes.byteCount <= Packet.mostBytes { fitting += 1 }
      _ = try? HCIEvent(packet.bytes)
    }
    ended = true
  } catch {
    precondition(error.offset <= UInt64(count), "what could not be read lies in the file")
    _ = error.sentence
  }
  // The type of a packet may stand in its header.
  precondition(bytes <= count && (capture.epoch != nil) == (packets > 0), "packets lie beside each other")
  precondition(!ended || capture.progress == (UInt64(count), UInt64(count)), "a whole capture is read to its end")
  copy(path, fitting)
  return 0
}

/// Without a name, in memory.
private let file: CInt = {
  var name = Array("/dev/shm/forecourt-XXXXXX".utf8CString)
  let file = mkstemp(&name)
  unlink(name)
  return file
}()

private func open(_ path: String) -> CaptureReader? {
  do throws(CaptureFault) {
    return try CaptureReader(opening: path)
  } catch {
    _ = error.sentence
    return nil
  }
}

private func copy(_ path: String, _ fitting: Int) {
  guard var capture = open(path) else { return }
  var packet = Packet()
  var copied = 0
  do throws(CaptureFault) {
    while try capture.next(into: &packet) { copied += 1 }
  } catch {}
  precondition(copied == fitting, "all that fit, however the reading ended")
}
