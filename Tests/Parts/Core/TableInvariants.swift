@testable import Core

extension Gateway {
  /// What is wrong with the tables: rows that nobody owns, lists that disagree, counts that do not add up. Empty while all is well.
  var tableFaults: [String] {
    var faults: [String] = []
    func expect(_ isRight: Bool, _ words: @autoclosure () -> String) { if !isRight { faults.append(words()) } }
    var (used, encounters, words, visits) = (0, 0, 0, 0)
    var inside = [Int](repeating: 0, count: settings.regions.count)
    for slot in 0..<devices.capacity where devices.isUsed(slot) {
      used += 1
      expect(devices.find(devices[slot].identity) == slot, "device \(slot) is not found by its identity")
      var triggersMet: Set<UInt8> = []
      var place = devices[slot].encounters
      while place >= 0, encounters <= devices.capacity {
        encounters += 1
        let encounter = triggers.encounters[place]
        expect(Int(encounter.device) == slot, "encounter \(place) is in the list of device \(slot) and of device \(encounter.device)")
        expect(triggersMet.insert(encounter.trigger).inserted, "device \(slot) has two encounters with trigger \(encounter.trigger)")
        expect(Int(encounter.trigger) < settings.triggers.count, "encounter \(place) has a trigger that there is not")
        let (before, after) = (triggers.encounters[successionOf: place].predecessor, triggers.encounters[successionOf: place].successor)
        let isLinked = before < 0 || triggers.encounters[successionOf: before].successor == place
        expect(isLinked, "encounter \(place) continues encounter \(before), which knows nothing of it")
        let isFollowed = after < 0 || triggers.encounters[successionOf: after].predecessor == place
        expect(isFollowed, "encounter \(place) goes on as encounter \(after), which knows nothing of it")
        var neighbours: Set<UInt8> = []
        var word = encounter.claims
        while word >= 0, words <= Limits.claims {
          words += 1
          expect(neighbours.insert(triggers.claims[word].neighbour).inserted, "encounter \(place) has two claims of one neighbour")
          word = triggers.claims.next(after: word)
        }
        place = encounter.nextOfDevice
      }
      var visit = devices[slot].visits
      while visit >= 0, visits <= devices.capacity {
        visits += 1
        let entry = regions.visits[visit]
        expect(Int(entry.device) == slot, "visit \(visit) is in the list of device \(slot) and of device \(entry.device)")
        if inside.indices.contains(Int(entry.region)) { inside[Int(entry.region)] += 1 }
        visit = regions.visits.nextOfDevice(after: visit)
      }
    }
    expect(used == devices.count, "\(used) devices are used, \(devices.count) counted")
    expect(encounters == triggers.encounters.free.taken, "\(encounters) encounters are in lists, \(triggers.encounters.free.taken) taken")
    expect(words == triggers.claims.free.taken, "\(words) claims are in lists, \(triggers.claims.free.taken) taken")
    expect(visits == regions.visits.free.taken, "\(visits) visits are in lists, \(regions.visits.free.taken) taken")
    for region in inside.indices {
      let counted = Int(regions[region].count)
      expect(counted == inside[region], "\(inside[region]) devices are inside region \(region), \(counted) counted")
      var (listed, visit) = (0, regions.visits.first(in: region))
      while visit >= 0, listed <= devices.capacity {
        listed += 1
        visit = regions.visits.nextInRegion(after: visit)
      }
      expect(listed == counted, "region \(region) lists \(listed) devices, \(counted) counted")
    }
    return faults
  }
}
