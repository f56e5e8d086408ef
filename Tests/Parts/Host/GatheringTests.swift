import Glibc
import Seeds
import Testing

@testable import Core
@testable import Host

@Suite("Packets come together") struct GatheringTests {
  /// At a rate, after two seconds: how many of the packets waited, the longest wait, and looks a second.
  private func waits(_ rate: Double, seconds: Double = 60, _ seed: UInt64 = 1) -> (share: Double, longest: Interval, wakes: Double) {
    var random = Seeded(seed)
    var gathering = Gathering(for: .milliseconds(10), from: 80, phase: .zero)
    var now = Instant(microseconds: 1)
    let settled = now + .seconds(2)
    var looked = 0
    var (waited, packets) = (0, 0)
    var longest = Interval.zero
    var came = now
    let end = now + .seconds(seconds)
    while came < end {
      // One look: everything that came before the end of the last wait, or else the next packet.
      now = max(came, gathering.end)
      var count = 0
      while came <= now {
        if came > settled {
          packets += 1
          if now > came { waited += 1 }
          longest = max(longest, now - came)
        }
        count += 1
        came = came + .seconds(-log(Double.random(in: 1e-9...1, using: &random)) / rate)
      }
      if now > settled { looked += 1 }
      gathering.observe(count, at: now)
    }
    return (Double(waited) / Double(packets), longest, Double(looked) / (seconds - 2))
  }

  @Test("below fifty a second nearly each is read at once", arguments: [1, 10, 30, 45] as [Double]) func few(rate: Double) {
    #expect(waits(rate).share < 0.01)
  }

  @Test("above a hundred they wait for each other, ten milliseconds at most", arguments: [150, 1_000, 5_000] as [Double])
  func many(rate: Double) {
    let seen = waits(rate)
    #expect(seen.share > 0.5 && seen.longest <= .milliseconds(10) && seen.wakes <= 102, "\(seen)")
  }

  @Test("after a full batch, and after a silence, nobody waits") func exceptions() {
    var gathering = Gathering(for: .milliseconds(10), from: 80, phase: .zero)
    var now = Instant.zero
    for _ in 0..<1_000 {
      now = now + .milliseconds(1)
      gathering.observe(1, at: now)
    }
    #expect(gathering.end > now && gathering.end - now <= .milliseconds(10))
    gathering.observe(64, isAll: false, at: now)
    #expect(gathering.end == now)
    gathering.observe(1, at: now)
    #expect(gathering.end > now)
    gathering.observe(0, at: now)
    #expect(gathering.end == now)
    now = now + .seconds(10)
    gathering.observe(1, at: now)
    #expect(gathering.end == now)
  }

  @Test("radios and the broker's line are looked at in the same moments") func together() {
    var gatherings = [Gathering.radio, .radio, .broker]
    for index in gatherings.indices {
      for step in 0..<1_000 { gatherings[index].observe(1, at: Instant(microseconds: Int64(step * 1_000 + index * 300))) }
    }
    for other in gatherings[1...] { #expect((gatherings[0].end - other.end).microseconds % 10_000 == 0) }
  }
}
