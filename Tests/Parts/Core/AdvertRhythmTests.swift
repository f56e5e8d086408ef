import Testing

@testable import Core

@Suite("When a device advertises next") struct AdvertRhythmTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(1_000 + milliseconds) }

  private func rhythm(_ adverts: [Int64]) -> AdvertRhythm {
    var rhythm = AdvertRhythm(at: at(adverts[0]))
    for moment in adverts.dropFirst() { rhythm.hear(at: at(moment)) }
    return rhythm
  }

  @Test("two adverts show the interval, also where one was missed; a scan response is none; after six seconds it begins anew")
  func interval() {
    let cases: [([Int64], Int64?)] = [
      ([0], nil), ([0, 10], nil), ([0, 10, 1_000], 1_000), ([0, 1_000, 1_004, 2_010], 1_000), ([0, 1_000, 3_000], 1_000),
      ([0, 2_000, 3_000], 1_000), ([0, 100, 200, 1_200, 2_205], 1_000), ([0, 6_000], 6_000), ([0, 1_000, 7_001], nil),
    ]
    for (adverts, interval) in cases { #expect(rhythm(adverts).interval == interval.map { Interval.milliseconds($0) }, "\(adverts)") }
  }

  @Test("a slow one is due shortly before its next advert, also after missed ones; one that is very fast, or unknown, always")
  func due() {
    let slow = rhythm([0, 1_600])
    let moments: [(Int64, Bool)] = [
      (0, false), (1_499, false), (1_500, true), (1_570, true), (1_571, false), (1_601, false), (3_099, false), (3_100, true),
    ]
    for (moment, isDue) in moments { #expect(slow.isDue(at: at(1_600 + moment)) == isDue, "\(moment)") }
    #expect(slow.nextCall(after: at(1_600)) == at(3_100) && slow.nextCall(after: at(3_180)) == at(4_700))
    #expect(slow.nextCall(after: at(3_100)) == .never, "it is due")
    for always in [rhythm([0]), rhythm([0, 100]), rhythm([0, 150])] {
      for moment in 0..<200 as Range<Int64> { #expect(always.isDue(at: at(200 + moment))) }
      #expect(always.nextCall(after: at(200)) == .never)
    }
    #expect(!rhythm([0, 151]).isDue(at: at(152)))
  }

  @Test("a call meets several adverts of a fast one, and one of a slow one") func patience() {
    #expect(rhythm([0, 320]).patience == .milliseconds(260) && rhythm([0, 160]).patience == .milliseconds(955))
    #expect(rhythm([0]).patience == .seconds(2) && rhythm([0, 300]).isFast && !rhythm([0, 301]).isFast && !rhythm([0]).isFast)
  }
}
