import Core
import Foundation
import Testing

@testable import Host

@Suite("a recorder", .serialized) struct RecorderThreadTests {
  let scratch = Scratch()

  private func packet(_ number: Int) -> Packet {
    var packet = Packet()
    packet.at = Instant(microseconds: Int64(number))
    // An event of the controller's maker, as long as an advertising report.
    packet.bytes.append(byte: 0x04)
    packet.bytes.append(byte: 0xFF)
    packet.bytes.append(byte: 40)
    for _ in 0..<40 { packet.bytes.append(byte: UInt8(truncatingIfNeeded: number)) }
    return packet
  }

  @Test("a recorder ends at its size limit and can start another file")
  func bounded() throws {
    var arena = Arena.taken(bytes: Recorder.bytes + 64)
    let recorder = Recorder(in: &arena)
    for turn in 1...2 {
      let file = scratch.path + "/\(turn).btsnoop"
      let thread = recorder.start(writing: file, .own, atMost: 2_000)
      let begun = Clock.now()
      var number = 0
      while !recorder.isOver, Clock.now() - begun < .seconds(10) {
        recorder.record(packet(number))
        recorder.wake()
        number += 1
        usleep(2_000)
      }
      #expect(recorder.isOver)
      thread.join()
      let size = try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
      #expect((2_000...2_300).contains(size))
    }
    // Stopped at once, it writes what it was given and nothing of before.
    let file = scratch.path + "/3.btsnoop"
    let thread = recorder.start(writing: file, .own)
    for number in 0..<3 { recorder.record(packet(number)) }
    recorder.stop()
    thread.join()
    #expect(recorder.isOver && recorder.packetsRecorded == 3 && recorder.packetsDropped == 0)
    let captures = Captures(opening: [file])
    var (read, heard) = (Packet(), 0)
    while captures.next(into: &read) != nil { heard += 1 }
    #expect(heard == 3)
    // One that cannot be made leaves what was there, and says why.
    let again = recorder.start(writing: file + "/none", .own)
    again.join()
    #expect(recorder.isOver && recorder.refusal?.sentence == "cannot be written: its folder does not exist")
  }

  @Test("packets reach the file together, once a second, however often the listener wakes the recorder; and again after a pause")
  func together() throws {
    var arena = Arena.taken(bytes: Recorder.bytes + 64)
    let recorder = Recorder(in: &arena)
    let file = scratch.path + "/live.btsnoop"
    // Until its end it has another name.
    func size() -> Int { (try? FileManager.default.attributesOfItem(atPath: file + ".new")[.size] as? Int) ?? 0 }
    func until(_ words: String, _ test: () -> Bool) {
      let end = Clock.now() + .seconds(20)
      while !test(), Clock.now() < end { usleep(5_000) }
      #expect(test(), "\(words)")
    }
    let thread = recorder.start(writing: file, .own)
    var number = 0
    for _ in 1...3 {
      let (before, begun) = (size(), Clock.now())
      for _ in 0..<30 {
        recorder.record(packet(number))
        recorder.wake()
        number += 1
        usleep(5_000)
        // A busy machine may hold us up for longer than the recorder waits.
        if Clock.now() - begun < .seconds(0.9) { #expect(size() == before, "not one by one") }
      }
      until("they are in the file") { size() >= number * (24 + 43) && recorder.packetsRecorded == number }
      usleep(50_000)
    }
    recorder.stop()
    thread.join()
    #expect(recorder.packetsRecorded == 90 && recorder.packetsDropped == 0 && recorder.refusal == nil)
    var (read, heard) = (Packet(), 0)
    let captures = Captures(opening: [file])
    while captures.next(into: &read) != nil { heard += 1 }
    #expect(heard == 90 && scratch.names.contains("live.btsnoop"))
  }

  @Test("a recorder whose ring is full drops the newest packets, counts them, and says so in the file") func full() {
    var arena = Arena.taken(bytes: Recorder.bytes + 64)
    let recorder = Recorder(in: &arena)
    let file = scratch.path + "/full.btsnoop"
    // Nobody takes what comes before the start, and the start forgets it.
    for number in 0..<Limits.packetsQueued + 5 { recorder.record(packet(number)) }
    #expect(recorder.packetsDropped == 5 && recorder.packetsRecorded == Limits.packetsQueued)
    let thread = recorder.start(writing: file, .own)
    recorder.record(packet(1))
    recorder.stop()
    thread.join()
    #expect(recorder.packetsRecorded == 1 && recorder.packetsDropped == 0)
    recorder.record(packet(2))
    #expect(recorder.packetsRecorded == 1 && recorder.packetsDropped == 1, "what comes after the end is lost")
  }
}
