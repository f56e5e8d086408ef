/// What is known of one receiver, for the file that keeps it.
package struct ReceiverRecord: BitwiseCopyable, Sendable {
  /// The gateway, and where the receiver stands: another place is another receiver.
  package var gateway = Name()
  package var point = PlanPoint(x: 0, y: 0)
  /// How much more it hears than supposed, and one standard deviation of that.
  package var offset = Decibels(0)
  package var doubt = Decibels(0)
  package var visits: UInt16 = 0

  package init() {}
}

extension SitePlan {
  func offset(of receiver: Int) -> Float { isLearning ? learnt.offset(of: receiver) : 0 }

  /// A device that was served stands at our trigger, or at a neighbour's receiver. Returns its loudness against its supposed power.
  mutating func learn(_ pattern: LevelPattern, at trigger: Int) -> Float? {
    var best = losses(at: triggers[trigger])
    for index in trigger * Self.perTrigger..<(trigger + 1) * Self.perTrigger
    where pattern.likelihood(lossesHere[index]) > pattern.likelihood(best) {
      best = lossesHere[index]
    }
    return learn(pattern, losses: best)
  }

  mutating func learn(_ pattern: LevelPattern, atReceiver receiver: Int) -> Float? {
    var best = losses(at: receivers[receiver].point)
    for index in 0..<count where Int(owners[index]) == receiver && losses[index][receiver] < LearntSite.besideLoss {
      if pattern.likelihood(losses[index]) > pattern.likelihood(best) { best = losses[index] }
    }
    return learn(pattern, losses: best)
  }

  private mutating func learn(_ pattern: LevelPattern, losses: PerReceiver) -> Float? {
    guard isLearning, pattern.heard > 1 else { return nil }
    var levels = pattern.levels
    for receiver in receivers.indices { levels[receiver] += offset(of: receiver) }
    let loudness = learnt.learn(levels: levels, losses: losses, heardBy: pattern.trust .> 0, pattern.loudness)
    changes &+= 1
    for receiver in receivers.indices where learnt.isMoved(receiver) {
      moved = record(of: receiver)
      learnt.forget(receiver)
    }
    return loudness
  }

  package mutating func takeMoved() -> ReceiverRecord? {
    defer { moved = nil }
    return moved
  }

  // MARK: Keeping

  private func record(of receiver: Int) -> ReceiverRecord {
    var record = ReceiverRecord()
    (record.gateway, record.point) = (receivers[receiver].gateway, receivers[receiver].point)
    (record.offset, record.doubt, record.visits) = learnt.known(of: receiver)
    return record
  }

  mutating func rememberAll() { for receiver in receivers.indices { remember(receiver) } }

  mutating func remember(_ receiver: Int) {
    let record = record(of: receiver)
    if record.visits > 0 { restore(record) }
  }

  /// What an earlier run has learnt. Before the receiver is known.
  package mutating func restore(_ record: ReceiverRecord) {
    for index in remembered.indices where remembered[index].gateway == record.gateway && remembered[index].point == record.point {
      remembered[index] = record
      return
    }
    if remembered.isFull { remembered.remove(at: 0) }
    _ = remembered.append(record)
    for receiver in receivers.indices where receivers[receiver].gateway == record.gateway && receivers[receiver].point == record.point {
      learnt.restore(receiver, offset: record.offset, doubt: record.doubt, visits: record.visits)
    }
  }

  mutating func recall(_ receiver: Int) {
    learnt.forget(receiver)
    for index in remembered.indices
    where remembered[index].gateway == receivers[receiver].gateway && remembered[index].point == receivers[receiver].point {
      let record = remembered[index]
      learnt.restore(receiver, offset: record.offset, doubt: record.doubt, visits: record.visits)
    }
  }

  package var records: Bounded<8, ReceiverRecord> {
    var records = Bounded<8, ReceiverRecord>(filledWith: ReceiverRecord())
    for receiver in receivers.indices { _ = records.append(record(of: receiver)) }
    return records
  }
}
