@testable import Core

// What its phones advertise.

extension PeerLine {
  mutating func advertise() {
    if let period { return advertise(every: period) }
    nextAdvert = now + advertInterval
    guard model.isScanning, !phones.isEmpty, now >= .zero + opening else { return }
    adverts += 1
    // A controller that gathers gives them in one order, always.
    let heard = isGathering ? phones[...] : phones[(adverts % phones.count)...].prefix(1)
    report(Array(heard))
  }

  private mutating func advertise(every period: Interval) {
    while due.count < phones.count { due.append(now + Interval(microseconds: .random(in: 0..<period.microseconds, using: &random))) }
    for index in phones.indices where due[index] <= now {
      due[index] = due[index] + period + .milliseconds(.random(in: 0...10, using: &random))
      if calling == index && !phones[index].isOutOfReach { connect(index) } else if model.isScanning { report([phones[index]]) }
    }
    nextAdvert = due.min() ?? now + period
  }

  private mutating func report(_ heard: [ModelPhone]) {
    var reports: [UInt8] = []
    for phone in heard {
      let octets = (0..<6).map { UInt8(truncatingIfNeeded: phone.address >> UInt64($0 * 8)) }
      let (data, level) = (phone.advert, UInt8(bitPattern: phone.level))
      if model.family == true {
        let direct = [UInt8](repeating: 0, count: 6)
        reports += [0x13, 0, 1] + octets + [1, 0, 0xFF, 127, level, 0, 0, 0] + direct + [UInt8(data.count)] + data
      } else {
        reports += [0, 1] + octets + [UInt8(data.count)] + data + [level]
      }
    }
    say([4, 0x3E, UInt8(reports.count + 2), model.family == true ? 0x0D : 0x02, UInt8(heard.count)] + reports)
  }
}
