import Testing

@testable import Host

@Suite("whether the time of day can be trusted") struct ClockTrustTests {
  @Test("the kernel's word counts, whatever systemd wrote", arguments: [nil, 5, 10, 11] as [Int64?])
  func kernel(written: Int64?) {
    // TIME_OK, a leap second's four states, TIME_ERROR: never synchronised.
    for state in 0...4 as ClosedRange<Int32> { #expect(Clock.isTrustworthy(state, synchronised: written, now: 10)) }
    #expect(!Clock.isTrustworthy(5, synchronised: written, now: 10))
  }

  @Test("where the kernel may not be asked, systemd's last synchronisation counts, unless it is still to come")
  func systemd() {
    #expect(!Clock.isTrustworthy(-1, synchronised: nil, now: 10))
    for (written, isTrusted) in [(0, true), (9, true), (10, true), (11, false), (1 << 60, false)] as [(Int64, Bool)] {
      #expect(Clock.isTrustworthy(-1, synchronised: written, now: 10) == isTrusted, "\(written)")
    }
  }

  @Test("only the kernel can tell where no systemd-timesyncd runs, also before anything has synchronised the clock; or another has done it")
  func kernels() {
    for (answer, hasTimesyncd, hasFile, isTheKernels) in [
      (0, false, false, true), (5, false, false, true), (-1, false, false, true), (0, true, false, true), (5, true, false, false),
      (-1, true, false, false), (0, true, true, false),
    ] as [(Int32, Bool, Bool, Bool)] {
      #expect(Clock.mustAskKernel(answer, hasTimesyncd: hasTimesyncd, hasFile: hasFile) == isTheKernels, "\(answer), \(hasTimesyncd)")
    }
  }
}
