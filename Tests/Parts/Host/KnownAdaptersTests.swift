import Core
import Testing

@testable import Host

@Suite("Which radio has which adapter") struct KnownAdaptersTests {
  private static func address(_ number: UInt64) -> Address { Address(0xAABB_CCDD_EE00 | number, type: 0) }

  /// Radios a, b, c… by number, unless an address is given; each remembered with these.
  private func adapters(_ remembered: [UInt64?], named: [Int: UInt64] = [:]) -> KnownAdapters {
    var settings = Settings()
    var adapters: [Adapter] = []
    var entries: [KnownAdapters.Entry] = []
    for (index, number) in remembered.enumerated() {
      var radio = RadioSettings()
      radio.name = Name(String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index))))
      _ = settings.radios.append(radio)
      adapters.append(.hci(named[index].map { .address(Self.address($0)) } ?? .number(UInt16(index)), mode: .user))
      if let number { entries.append(KnownAdapters.Entry(radio.name, Self.address(number))) }
    }
    return KnownAdapters(settings, adapters, entries)
  }

  /// What each radio's misplacement is, once they have answered in this order.
  private func judged(_ known: inout KnownAdapters, _ answers: [(radio: Int, number: UInt64)]) -> [KnownAdapters.Misplacement?] {
    for (radio, number) in answers { known.record(Self.address(number), of: radio) }
    return known.entries.indices.map { known.misplacement(of: $0) }
  }

  @Test("two that have each other's are both misplaced, whichever answers first; swapped back, none is") func swapped() {
    for order in [[0, 1], [1, 0]] {
      var known = adapters([0, 1])
      let answers: [(Int, UInt64)] = order.map { ($0, UInt64(1 - $0)) }
      #expect(judged(&known, answers) == [.hasThatOf(1), .hasThatOf(0)])
      #expect(known.settle() == nil && known.before(0) == Self.address(0), "what is wrong is not remembered")
      #expect(judged(&known, [(0, 0), (1, 1)]) == [nil, nil])
      #expect(known.settle() == nil, "nothing is new")
    }
  }

  @Test("one that has another's is misplaced before the other has answered, and after the other's line is lost") func alone() {
    var known = adapters([0, 1])
    #expect(judged(&known, [(0, 1)]) == [.hasThatOf(1), nil])
    known.record(Self.address(0), of: 1)
    known.record(nil, of: 1, isThere: false)
    #expect(known.misplacement(of: 0) == .hasThatOf(1) && known.misplacement(of: 1) == nil)
  }

  @Test("a new adapter is taken for the replacement once all have answered, and remembered") func replaced() throws {
    var known = adapters([0, 1])
    #expect(judged(&known, [(1, 7)]) == [nil, nil] && known.settle() == nil, "the other may yet turn out to have it")
    known.record(Self.address(0), of: 0)
    let settled = known.settle()
    let replaced = try #require(settled)
    #expect(replaced.count == 1 && replaced[0].radio == 1 && replaced[0].before == Self.address(1))
    #expect(known.entries.map(\.address) == [Self.address(0), Self.address(7)] && known.settle() == nil)
    known.record(Self.address(1), of: 1)
    #expect(known.misplacement(of: 1) == nil, "nobody's any more")
  }

  @Test("a new adapter where the old one is at another radio is no replacement: the numbers have moved") func movedAlong() {
    for answers: [(Int, UInt64)] in [[(0, 1), (1, 7)], [(1, 7), (0, 1)]] {
      var known = adapters([0, 1])
      #expect(judged(&known, answers) == [.hasThatOf(1), .lostItsOwnTo(0)] && known.settle() == nil)
    }
    var three = adapters([0, 1, 2])
    #expect(judged(&three, [(0, 1), (1, 2), (2, 0)]) == [.hasThatOf(1), .hasThatOf(2), .hasThatOf(0)])
  }

  @Test("at the first start all are remembered, once all have answered") func first() throws {
    var known = adapters([nil, nil])
    known.record(Self.address(4), of: 0)
    #expect(known.settle() == nil && known.entries.isEmpty)
    known.record(Self.address(5), of: 1)
    let settled = known.settle()
    #expect(try #require(settled).isEmpty && known.entries.map(\.address) == [Self.address(4), Self.address(5)])
  }

  @Test("an added radio does not take the adapter of the one that was there") func added() {
    var known = adapters([0, nil])
    known.record(Self.address(3), of: 0)
    known.record(Self.address(0), of: 1)
    #expect(known.misplacement(of: 0) == .lostItsOwnTo(1) && known.misplacement(of: 1) == .hasThatOf(0))
  }

  @Test("addresses that several share, and none at all, refuse nobody and are not remembered") func shared() {
    var known = adapters([nil, nil])
    known.record(Self.address(6), of: 0)
    known.record(Self.address(6), of: 1)
    #expect(known.settle() == nil && known.entries.isEmpty)
    known = adapters([0, 6])
    known.record(Self.address(6), of: 0)
    known.record(Self.address(6), of: 1)
    #expect(known.misplacement(of: 0) == nil && known.misplacement(of: 1) == nil, "its new one is sold with the other's address")
    #expect(known.settle() == nil && known.entries.map(\.address) == [Self.address(0), Self.address(6)])
    for blank in [Address(0, type: 0), Address(0xFFFF_FFFF_FFFF, type: 0), Address(0xC0FF_EE00_0001, type: 1)] {
      known = adapters([0, nil])
      known.record(blank, of: 0)
      known.record(blank, of: 1)
      #expect(known.misplacement(of: 0) == nil && known.misplacement(of: 1) == nil && known.settle() == nil, "\(blank)")
    }
  }

  @Test("what the configuration names by its address is its own, whatever was remembered") func named() {
    var known = adapters([0, 1], named: [0: 1, 1: 0])
    #expect(judged(&known, [(0, 1), (1, 0)]) == [nil, nil])
    // One is named, and the other's number has come to mean it: not even a second such address excuses that.
    known = adapters([nil, 1], named: [0: 1])
    known.record(Self.address(1), of: 0)
    known.record(Self.address(1), of: 1)
    #expect(known.misplacement(of: 0) == nil && known.misplacement(of: 1) == .hasThatOf(0))
    known.record(Self.address(5), of: 1)
    #expect(known.misplacement(of: 1) == nil)
  }

  @Test("where no trigger and no place tells the radios apart, any order is right, and the new one is remembered") func alike() throws {
    var known = adapters([0, 1])
    known.record(Self.address(1), of: 0)
    known.record(Self.address(0), of: 1)
    let settled = known.settle(isAnyOrderRight: true)
    #expect(try #require(settled).count == 2)
    #expect(known.entries.map(\.address) == [Self.address(1), Self.address(0)] && known.misplacement(of: 0) == nil)
    var settings = Settings()
    _ = settings.radios.append(RadioSettings())
    _ = settings.triggers.append(TriggerSettings())
    var isTold = settings.tellsRadiosApart
    #expect(!isTold)
    settings.triggers[0].radio = 0
    isTold = settings.tellsRadiosApart
    #expect(isTold)
    settings.triggers[0].radio = nil
    settings.radios[0].receiveOffset = Decibels(-3)
    isTold = settings.tellsRadiosApart
    #expect(isTold)
    settings.radios[0].receiveOffset = Decibels(0)
    settings.radios[0].point = PlanPoint(x: 0, y: 0)
    isTold = settings.tellsRadiosApart
    #expect(isTold)
  }

  @Test("check says which radio has another's adapter, else what to write so that no restart swaps them; or nothing") func examined() {
    func words(_ adapters: [Adapter], _ addresses: [UInt64?], isApart: Bool = true) -> String? {
      var settings = Settings()
      for name in ["a", "b"] {
        var radio = RadioSettings()
        (radio.name, radio.receiveOffset) = (Name(name), Decibels(isApart ? 1 : 0))
        _ = settings.radios.append(radio)
      }
      let entries = [KnownAdapters.Entry(Name("a"), Self.address(0)), KnownAdapters.Entry(Name("b"), Self.address(1))]
      let found = Examined.numbering(settings, adapters, entries) { number in addresses[Int(number)].map { Self.address($0) } }
      return found.map { ($0.isBad ? "bad: " : "doubtful: ") + $0.words }
    }
    let numbered = [Adapter.hci(.number(0), mode: .user), .hci(.number(1), mode: .raw)]
    let advice =
      "doubtful: a restart may swap them: write adapter = \"AA:BB:CC:DD:EE:00\" for radio a and \"AA:BB:CC:DD:EE:01\" for radio b"
    #expect(words(numbered, [0, 1]) == advice)
    let bad = "bad: radio a has the adapter that radio b had: nothing will fire at either: write each adapter's address instead of hciN"
    #expect(words(numbered, [1, 0]) == bad && words(numbered, [1, nil]) == bad)
    #expect(
      words(numbered, [nil, 0]) == bad.replacing("radio a", with: "radio B").replacing("radio b", with: "radio a").replacing("B", with: "b")
    )
    #expect(words(numbered, [1, 0], isApart: false) == nil && words(numbered, [nil, 1]) == nil)
    #expect(words([numbered[0], .hci(.address(Self.address(1)), mode: .user)], [0, 1]) == nil)
  }

  @Test("the file is read back; what is damaged counts for nothing") func file() throws {
    let scratch = Scratch()
    let path = scratch.path + "/" + AdapterFile.name
    #expect(path == scratch.path + "/adapters.jsonl")
    #expect(try AdapterFile.read(path).isEmpty)
    let entries = [KnownAdapters.Entry(Name("left \"1\""), Self.address(0)), KnownAdapters.Entry(Name("right"), Self.address(255))]
    let damage = """
      half a line
      {"radio":"","address":"AA:BB:CC:DD:EE:00"}
      {"radio":"a","address":"AA:BB:CC:DD:EE"}
      {"radio":"a","address":"00:00:00:00:00:00"}
      {"address":"AA:BB:CC:DD:EE:00"}
      """
    try NewFile.write(AdapterFile.text(entries) + Array(damage.utf8), to: path)
    #expect(try AdapterFile.read(path) == entries)
  }
}
