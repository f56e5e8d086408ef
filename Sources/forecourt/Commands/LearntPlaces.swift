import Core
import Host

/// `forecourt calibrate site` without a plan: how much less each receiver hears of visitors at another one's place.
struct LearntPlaces {
  private var records: [PlaceRecord] = []
  /// Of our own gateway, if it has several.
  private let radios: [String]
  private let offsets: [Decibels]

  init(_ settings: borrowing Settings) {
    radios = settings.radios.count > 1 ? settings.radios.indices.map { String(settings.radios[$0].name) } : []
    offsets = settings.radios.indices.map { settings.radios[$0].receiveOffset }
  }

  var isEmpty: Bool { records.isEmpty }

  /// As it is under the present `receive_offset_db`, which may have been set since.
  mutating func append(_ record: PlaceRecord) { records.append(record.under(offset(record.receiverRadio) - offset(record.placeRadio))) }

  private func offset(_ radio: Int8) -> Decibels { offsets.indices.contains(Int(radio)) ? offsets[Int(radio)] : Decibels(0) }

  func show(_ settings: borrowing Settings, _ print: (String) -> Void) {
    for record in records { say(line(record, 10 * Double(settings.calibration.pathLossExponent))) }
    for index in records.indices {
      guard isFirst(index), let offset = offset(of: records[index]), offset.magnitude > Self.usual else { continue }
      let name = name(records[index].place, records[index].placeRadio)
      say("\(name) hears \(fixed(offset.magnitude, 1)) dB \(offset < 0 ? "less" : "more") than the others: looks wrong. Antenna, cable?")
      print("# If nothing is broken there: in the configuration of \(name), add to what it has:")
      print("# receive_offset_db: \(fixed(offset, 1))")
    }
    if !isEmpty { say("with at_m in every [[radio]] the gateways know more from the first visit on") }
  }

  /// Antennas of one make differ by less.
  private static let usual: Float = 4.5

  private func isKnown(_ record: PlaceRecord) -> Bool { record.visits >= 6 }

  private func line(_ record: PlaceRecord, _ decade: Double) -> String {
    let place = "\(counted(Int(record.visits), "visit")) at \(name(record.place, record.placeRadio))"
    let less = "\(fixed(record.loss.value, 1)) ± \(fixed(record.doubt.value, 1)) dB less"
    let figures = "\(place): \(name(record.receiver, record.receiverRadio)) hears \(less)"
    guard isKnown(record) else { return figures + ": too few to tell" }
    return "\(figures), as from some \(fixed(exp2(3.3219 * Double(record.loss.value) / decade), 0)) m"
  }

  /// Whether no line before has the same place.
  private func isFirst(_ index: Int) -> Bool {
    for other in 0..<index
    where records[other].place == records[index].place && records[other].placeRadio == records[index].placeRadio { return false }
    return true
  }

  /// Who hears the others' visitors less than they hear its own has the worse antenna: half of the difference, the mean of all.
  private func offset(of one: PlaceRecord) -> Float? {
    var (sum, count): (Float, Float) = (0, 0)
    for record in records where isKnown(record) && record.place == one.place && record.placeRadio == one.placeRadio {
      for back in records where isKnown(back) && isOpposite(back, record) {
        sum += (record.loss.value - back.loss.value) / 2
        count += 1
      }
    }
    return count >= 2 ? sum / count : nil
  }

  private func isOpposite(_ one: PlaceRecord, _ other: PlaceRecord) -> Bool {
    one.place == other.receiver && one.placeRadio == other.receiverRadio && one.receiver == other.place
      && one.receiverRadio == other.placeRadio
  }

  private func name(_ gateway: Name, _ radio: Int8) -> String {
    radios.indices.contains(Int(radio)) ? "\(String(gateway)) radio \(radios[Int(radio)])" : String(gateway)
  }
}
