import Testing

@testable import Core

@Suite("Whose turn it is to advertise") struct AdvertisingTurnTests {
  /// A controller with some sets, of which those for some advertisers fail.
  private struct Model {
    var sets: AdvertisingSets
    let serves: Bool
    var isVisited = false
    /// Advertisers that the controller refuses for now.
    var refused: Set<Int> = []
    private var failures: [Int: Int] = [:]
    private var retry: [Int: Int64] = [:]
    private(set) var now: Int64 = 0
    private(set) var lastOn: [Int: Int64] = [:]
    private(set) var starts = 0

    init(_ advertisers: Int, serves: Bool, sets most: Int) {
      self.serves = serves
      sets = AdvertisingSets(AdvertisingTests.duties(advertisers, serve: serves))
      var profile = Profile()
      (profile.isExtended, profile.aclLength, profile.aclCount) = (true, 27, 4)
      sets.restart(profile)
      sets.divide(among: most)
    }

    var at: Instant { Instant(microseconds: now) }

    mutating func pass(_ microseconds: Int64) {
      now += microseconds
      sets.tick(at: at)
      for index in sets.sets.indices { follow(index) }
      #expect(sets.deadline > at, "what is due has been done")
      for index in sets.sets.indices { if case .on = sets.sets[index].stage { lastOn[sets.sets[index].advertiser] = now } }
    }

    /// As the commands and their answers would.
    private mutating func follow(_ set: Int) {
      if case .disable = sets.sets[set].stage {
        sets.sets[set].stage = .waiting(until: .zero)
        sets.tick(at: at)
      }
      while case .parameters = sets.sets[set].stage {
        let advertiser = sets.sets[set].advertiser
        starts += 1
        #expect(now >= retry[advertiser] ?? 0, "advertiser \(advertiser) is not asked before its time")
        #expect(!(isVisited && serves && advertiser == 0), "nobody offers services while a visitor is there")
        guard refused.contains(advertiser) else {
          failures[advertiser] = 0
          sets.enabled(set, at: at)
          break
        }
        let before = failures[advertiser] ?? 0
        failures[advertiser] = before + 1
        retry[advertiser] = now + min(5_000_000 << Int64(min(before, 10)), 300_000_000)
        sets.refused(set, status: 0x11, isPower: false, at: at)
        sets.tick(at: at)
      }
    }

    /// Whether no refusal has kept it from being asked since then.
    func isFree(_ advertiser: Int, since moment: Int64) -> Bool { (retry[advertiser] ?? 0) <= moment }

    /// Who is on the air now.
    var onAir: [Int] { sets.sets.indices.compactMap { if case .on = sets.sets[$0].stage { sets.sets[$0].advertiser } else { nil } } }
  }

  @Test(
    "each advertiser that may send is on the air, the shared set's in turn for a second; a refused one is asked ever more rarely",
    arguments: 0..<40 as Range<UInt64>)
  func turns(seed: UInt64) {
    var random = Seeded(seed)
    let serves = seed % 2 == 0
    let beacons = Int.random(in: 1...8, using: &random)
    let count = beacons + (serves ? 1 : 0)
    let most = Int.random(in: 1...9, using: &random)
    var model = Model(beacons, serves: serves, sets: most)
    let own = most < count ? most - 1 : count
    #expect(model.sets.sets.count == min(count, most))
    for _ in 0..<6 {
      model.refused = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      let isVisited = Bool.random(using: &random)
      if isVisited != model.isVisited {
        model.isVisited = isVisited
        if isVisited { model.sets.centralConnected() } else { model.sets.centralDisconnected() }
      }
      // Each turn lasts a second and the wait for the next tick.
      let round = Int64(count - own + 1) * 1_200_000
      for _ in 0..<700 { model.pass(.random(in: 1_000...100_000, using: &random)) }
      let since = model.now - 2 * round
      for advertiser in 0..<count where !model.refused.contains(advertiser) && model.isFree(advertiser, since: since) {
        if isVisited && serves && advertiser == 0 { continue }
        let isOn = advertiser < own ? model.onAir.contains(advertiser) : model.now - (model.lastOn[advertiser] ?? 0) < round
        #expect(isOn, "seed \(seed): \(advertiser) of \(count) at \(most) sets")
      }
      for advertiser in model.refused { #expect(!model.onAir.contains(advertiser) || advertiser < own) }
    }
    #expect(model.starts < 3_000, "\(model.starts)")
  }

  @Test(
    "whoever connects while a command for our services has no answer: the beacon that follows begins with its own parameters",
    arguments: [false, true])
  func overtaken(isExtended: Bool) {
    var profile = Profile()
    (profile.isExtended, profile.aclLength, profile.aclCount) = (isExtended, 27, 4)
    for answered in 0..<8 {
      var sets = AdvertisingSets(AdvertisingTests.duties(1, serve: true))
      sets.restart(profile)
      if isExtended { sets.divide(among: 1) }
      var (now, commands, hasConnected) = (Instant.zero + .seconds(1), 0, false)
      while commands < 40 {
        sets.tick(at: now)
        guard sets.nextCommand(profile) != nil, let set = sets.current else {
          now = now + .milliseconds(100)
          continue
        }
        commands += 1
        let isOurs = sets.advertisers[sets.sets[set].advertiser].transmission == nil
        guard isOurs, commands > answered else {
          sets.answered([0, 0].span.bytes, profile, at: now)
          continue
        }
        sets.centralConnected()
        sets.tick(at: now)
        sets.answered([0, 0].span.bytes, profile, at: now)
        let next = sets.nextCommand(profile)
        #expect(next?.opcode == (isExtended ? .setSetParameters : .setAdvertisingParameters), "after \(commands) commands")
        hasConnected = true
        break
      }
      #expect(hasConnected)
    }
  }
}
