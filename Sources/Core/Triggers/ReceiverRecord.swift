/// What is known of one receiver, for the file that keeps it.
package struct ReceiverRecord: BitwiseCopyable, Sendable {
  /// The gateway, and where the receiver stands: another place is another receiver.
  package var gateway = Name()
  package var point = PlanPoint(x: 0, y: 0)
  /// Which of our radios, for two may stand at one place; -1: a neighbour's, or whichever stands there.
  package var radio: Int8 = -1
  /// How much more it hears than supposed, and one standard deviation of that.
  package var offset = Decibels(0)
  package var doubt = Decibels(0)
  package var visits: UInt16 = 0
  /// `receive_offset_db` as it was then: the offset is what is left beyond it. nil: a neighbour's, which is not known here, or an old file's.
  package var setting: Decibels?

  package init() {}

  /// Whether both are about one receiver.
  func isOfSame(as other: ReceiverRecord) -> Bool {
    gateway == other.gateway && point == other.point && (radio == other.radio || radio < 0 || other.radio < 0)
  }

  /// As under another `receive_offset_db`: what that takes out of the levels is no longer there to be learnt.
  package func under(_ setting: Decibels) -> ReceiverRecord {
    var record = self
    record.offset = offset + ((self.setting ?? setting) - setting)
    record.setting = setting
    return record
  }
}

/// A receiver that hears otherwise than it did.
package struct MovedReceiver: BitwiseCopyable, Sendable {
  package let gateway: Name
  /// nil where nobody has said where it stands.
  package var point: PlanPoint?
  package let visits: UInt16
}

extension SitePlan {
  func record(of receiver: Int) -> ReceiverRecord {
    var record = ReceiverRecord()
    (record.gateway, record.point) = (receivers[receiver].gateway, receivers[receiver].point)
    (record.offset, record.doubt, record.visits) = learnt.known(of: receiver)
    if receivers[receiver].neighbour < 0 { (record.radio, record.setting) = (receivers[receiver].radio, receivers[receiver].setting) }
    return record
  }

  private func find(_ record: ReceiverRecord) -> Int? {
    for index in receivers.indices where self.record(of: index).isOfSame(as: record) { return index }
    return nil
  }

  private func remembered(as record: ReceiverRecord) -> Int? {
    for place in remembered.indices where remembered[place].isOfSame(as: record) { return place }
    return nil
  }

  mutating func rememberAll() { for receiver in receivers.indices { remember(receiver) } }

  /// Before another receiver takes its place.
  mutating func remember(_ receiver: Int) {
    let record = record(of: receiver)
    if let place = remembered(as: record) { remembered.remove(at: place) }
    guard record.visits > 0 else { return }
    if remembered.isFull { remembered.remove(at: 0) }
    _ = remembered.append(record)
  }

  /// What an earlier run has learnt. Before the receiver is known.
  package mutating func restore(_ record: ReceiverRecord) {
    if let place = remembered(as: record) { remembered.remove(at: place) }
    if remembered.isFull { remembered.remove(at: 0) }
    _ = remembered.append(record)
    if let receiver = find(record) { recall(receiver) }
  }

  mutating func recall(_ receiver: Int) {
    learnt.forget(receiver)
    guard let place = remembered(as: record(of: receiver)) else { return }
    let record = receivers[receiver].neighbour < 0 ? remembered[place].under(receivers[receiver].setting) : remembered[place]
    learnt.restore(receiver, offset: record.offset, doubt: record.doubt, visits: record.visits)
  }

  mutating func forget(_ receiver: Int) {
    learnt.forget(receiver)
    remember(receiver)
  }

  package static let mostRecords = 24
  /// What is known of all receivers, also of those that are not in use at the moment.
  package var records: Bounded<24, ReceiverRecord> {
    var records = Bounded<24, ReceiverRecord>(filledWith: ReceiverRecord())
    // Of too many lines a reader keeps the last.
    for place in remembered.indices where find(remembered[place]) == nil { _ = records.append(remembered[place]) }
    for receiver in receivers.indices { _ = records.append(record(of: receiver)) }
    return records
  }
}
