import Testing

@testable import Core

@Suite("What a silence means after what was heard") struct SilenceTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  /// So many devices, ten reports a second together, for so many windows of 4 s.
  private func heard(_ devices: UInt64, windows: Int, from start: Double = 0) -> SilenceDetector {
    var detector = SilenceDetector()
    detector.start(at: at(start))
    hear(devices, from: start, to: start + Double(windows) * 4, &detector)
    return detector
  }

  private func hear(_ devices: UInt64, from start: Double, to end: Double, _ detector: inout SilenceDetector) {
    for step in 0..<Int(((end - start) * 10).rounded()) {
      detector.observe(Address(word: 0x1_C000_0000_0000 | UInt64(step) % devices), at: at(start + Double(step) / 10))
    }
  }

  @Test("a past is lively after fifteen windows in a row with four devices in two of them") func lively() {
    for (devices, windows, isLively) in [(4, 15, false), (4, 16, true), (3, 60, false), (9, 30, true)] as [(UInt64, Int, Bool)] {
      var detector = heard(devices, windows: windows)
      #expect(detector.isLively == isLively, "\(devices) devices, \(windows) windows")
      // A window's end is noticed at the next report.
      detector.observe(Address(word: 7), at: at(Double(windows) * 4))
      #expect(detector.isLively == (isLively || windows == 15 && devices > 3), "\(devices) devices, \(windows) windows and a report")
    }
    // Two in one window and two others in the next make a crowd as well; a window without anybody ends it.
    var detector = heard(2, windows: 0)
    for window in 0..<20 {
      let first = UInt64(window % 2 * 2)
      for device in first...first + 1 { detector.observe(Address(word: device), at: at(Double(window) * 4 + Double(device - first))) }
    }
    #expect(detector.isLively)
    detector.observe(Address(word: 1), at: at(19 * 4 + 7.9))
    #expect(detector.isLively, "the window before had two, and so had the one before that")
    detector.observe(Address(word: 1), at: at(19 * 4 + 16))
    #expect(!detector.isLively)
  }

  @Test("a time without listening ends no lively past and adds nothing to the rate") func resumed() {
    for pause in [3.9, 4, 60, 600] {
      var detector = heard(5, windows: 20)
      let rate = detector.rate
      // Half a window more, then nothing was listened to.
      hear(5, from: 80, to: 82, &detector)
      detector.resumed(at: at(80 + pause))
      hear(5, from: 80 + pause, to: 80 + pause + 4, &detector)
      detector.observe(Address(word: 1), at: at(80 + pause + 4))
      #expect(detector.isLively, "\(pause) s")
      // What came within the window still counts.
      let expected = pause < 4 ? rate + (21 / 4 - rate) / 8 : rate
      #expect((detector.rate - expected).magnitude < 0.15, "\(pause) s: \(detector.rate)")
    }
    var interrupted = heard(5, windows: 20)
    interrupted.observe(Address(word: 1), at: at(88))
    #expect(!interrupted.isLively, "it listened, and a window was empty")
  }

  @Test("the rate is reports a second, of all windows at first and of eight later; a silent window takes an eighth") func rates() {
    for windows in [1, 2, 5, 30] {
      var detector = heard(5, windows: windows)
      detector.observe(Address(word: 1), at: at(Double(windows) * 4))
      #expect((detector.rate - 10).magnitude < 0.01, "after \(windows) windows: \(detector.rate)")
    }
    // From 10 to 20 a second: the second window is half of all, the thirtieth an eighth.
    for (windows, expected) in [(1, 15), (29, 11.25)] as [(Int, Float)] {
      var detector = heard(5, windows: windows)
      let start = Double(windows) * 4
      for step in 0..<80 { detector.observe(Address(word: UInt64(step % 5)), at: at(start + Double(step) / 20)) }
      detector.observe(Address(word: 1), at: at(start + 4))
      #expect((detector.rate - expected).magnitude < 0.01, "\(windows): \(detector.rate)")
    }
    for skipped in [1, 2, 9, 63, 64, 100] {
      var detector = heard(5, windows: 20)
      detector.observe(Address(word: 1), at: at(80))
      let before = detector.rate
      detector.observe(Address(word: 1), at: at(80 + Double(skipped) * 4))
      let counted = before + (1 / 4 - before) / 8
      let steps = skipped == 1 ? 0 : min(skipped, 64) - 1
      let expected = (0..<steps).reduce(counted) { rate, _ in rate * 7 / 8 }
      #expect((detector.rate - expected).magnitude < 0.001, "\(skipped): \(detector.rate), not \(expected)")
    }
    // Windows keep their places: a report late in one does not shift the next.
    var detector = heard(5, windows: 1)
    detector.observe(Address(word: 1), at: at(7))
    detector.observe(Address(word: 1), at: at(8))
    #expect((detector.rate - (10 + (0.25 - 10) / 2)).magnitude < 0.01, "\(detector.rate)")
  }

  @Test("a silence is remarkable after five missed adverts: three seconds at least, five minutes at most") func patience() {
    #expect(SilenceDetector().patience == .seconds(3))
    #expect(heard(5, windows: 30).patience == .seconds(3))
    var sparse = SilenceDetector()
    sparse.start(at: at(0))
    for step in 0..<200 { sparse.observe(Address(word: 1), at: at(Double(step) * 2)) }
    #expect((sparse.patience.seconds - 10).magnitude < 0.1, "one in two seconds: \(sparse.patience.seconds)")
    var rare = SilenceDetector()
    rare.start(at: at(0))
    for step in 0..<20 { rare.observe(Address(word: 1), at: at(Double(step) * 2_000)) }
    #expect(rare.patience == .seconds(300))
  }

  @Test("the last advert is the latest, whatever comes late; before the first it is the start") func last() {
    var detector = SilenceDetector()
    detector.start(at: at(50))
    #expect(detector.last == at(50))
    for (time, last) in [(60, 60), (59, 60), (61, 61)] as [(Double, Double)] {
      detector.observe(Address(word: 1), at: at(time))
      #expect(detector.last == at(last))
    }
  }

  /// What is done in a silence that begins with the last advert: after how long, and what.
  private func remedies(after hearing: SilenceDetector, isShared: Bool = false, for seconds: Double) -> [(age: Double, remedy: Remedy)] {
    var silence = Silence()
    silence.listening(since: hearing.last)
    var done: [(Double, Remedy)] = []
    while true {
      let due = silence.deadline(hearing)
      let age = (due - hearing.last).seconds
      guard age < seconds else { return done }
      done.append((age, silence.remedy(hearing, isShared: isShared, at: due)))
      silence.listening(since: due)
      #expect(silence.tries == done.count)
    }
  }

  @Test("after a lively past a remedy comes every four seconds for ten minutes: rescan, reset, reopen, then mostly rescans") func alarm() {
    let hearing = heard(5, windows: 30)
    let done = remedies(after: hearing, for: 600)
    #expect(done.map(\.age).prefix(4) == [3, 7, 11, 15] && done.count == 150)
    for (index, one) in done.enumerated() {
      let number = index + 1
      let expected: Remedy = number == 3 || number % 15 == 0 ? .reopen : number == 2 || number % 5 == 0 ? .reset : .rescan
      #expect(one.remedy == expected && one.age == 3 + 4 * Double(index), "\(number): \(one)")
    }
    let silence = Silence()
    for (age, isAlarming) in [(0, true), (599.999, true), (600, false)] {
      #expect(silence.isAlarming(hearing, at: hearing.last + .seconds(age)) == isAlarming)
      #expect(silence.isQuiet(hearing, at: hearing.last + .seconds(age)) == !isAlarming)
    }
    #expect(remedies(after: hearing, for: 1_000).dropFirst(150).map(\.age).prefix(2).allSatisfy { $0 >= 603 })
  }

  @Test("after any other past the pauses grow from two minutes on to five, and a shared adapter is not reset", arguments: [true, false])
  func concern(isShared: Bool) {
    let hearing = heard(1, windows: 30)
    let done = remedies(after: hearing, isShared: isShared, for: 20_000)
    #expect(done.prefix(3).map(\.age) == [3, 7, 11])
    for (index, one) in done.enumerated().dropFirst() {
      let (number, before) = (index + 1, done[index - 1].age)
      let pause = before < 120 ? 4 : min(before / 8, 300)
      #expect((one.age - before - pause).magnitude < 0.001, "\(number): \(one.age) after \(before)")
      let expected: Remedy = number % 60 == 0 ? .reopen : (number == 2 || number % 6 == 0) && !isShared ? .reset : .rescan
      #expect(one.remedy == expected, "\(number)")
    }
    #expect(done.count > 60 && done.last!.age - done[done.count - 2].age == 300)
    let silence = Silence()
    for (age, isQuiet) in [(299.999, false), (300, true), (601, true)] {
      #expect(silence.isQuiet(hearing, at: hearing.last + .seconds(age)) == isQuiet)
      #expect(!silence.isAlarming(hearing, at: hearing.last + .seconds(age)))
    }
    // Where the next advert is awaited for longer than four seconds, so is a remedy's success.
    var sparse = SilenceDetector()
    sparse.start(at: at(0))
    for step in 0..<200 { sparse.observe(Address(word: 1), at: at(Double(step) * 2)) }
    #expect(remedies(after: sparse, for: 45).map { $0.age.rounded() } == [10, 20, 30, 40])
  }

  @Test("an advert ends all that was tried; listening that resumes begins the patience anew") func ended() {
    let hearing = heard(1, windows: 30)
    var silence = Silence()
    for _ in 0..<5 { _ = silence.remedy(hearing, isShared: false, at: hearing.last) }
    silence.ended()
    #expect(silence.tries == 0)
    silence.listening(since: hearing.last + .seconds(7))
    #expect(silence.deadline(hearing) == hearing.last + .seconds(10))
    silence.listening(since: hearing.last - .seconds(7))
    #expect(silence.deadline(hearing) == hearing.last + .seconds(3))
  }

  @Test("ten seconds with five impossible events, and no fewer than possible ones, are babble; each ten seconds are judged alone")
  func babble() {
    for (nonsense, sense, isBabble) in [(5, 5, true), (5, 6, false), (4, 0, false), (5, 0, true), (50, 50, true), (50, 51, false)] {
      var detector = NoiseDetector()
      _ = detector.observe(true, at: at(100))
      for period in 0..<2 {
        let start = 100 + Double(period) * 10
        for number in 0..<nonsense + sense - 1 {
          let verdict = detector.observe(number >= nonsense, at: at(start + 9.999 * Double(number + 1) / 101))
          #expect(verdict == nil)
        }
        let last = detector.observe(sense > 0, at: at(start + 10))
        #expect(last == isBabble, "\(nonsense) of \(nonsense + sense), period \(period)")
      }
    }
  }

  @Test("whenever listening begins, it is judged in the same way", arguments: [0.001, 3.9, 4, 50, 1_000_000]) func late(start: Double) {
    for windows in [1, 15, 16, 30] {
      var (early, late) = (heard(5, windows: windows), heard(5, windows: windows, from: start))
      for words in ["before", "after"] {
        #expect(late.rate == early.rate && late.isLively == early.isLively, "\(words) the report behind \(windows) windows")
        #expect(late.patience == early.patience, "\(words) the report behind \(windows) windows")
        early.observe(Address(word: 1), at: at(Double(windows) * 4))
        late.observe(Address(word: 1), at: at(start + Double(windows) * 4))
      }
    }
  }
}
