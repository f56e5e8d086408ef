import Testing

@testable import Host

@Suite("Lists for people are in order") struct OrderTests {
  @Test("the order is that of a stable sort, whatever the number of things", arguments: Array(0...40) + [1_000, 4_097])
  func order(count: Int) {
    var state = UInt64(count) &+ 1
    let keys = (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % 7
    }
    let expected = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    #expect(Host.order(of: count) { keys[$0] < keys[$1] } == expected)
  }
}
