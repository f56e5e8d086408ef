extension Triggers {
  /// A device that has stood where it was served for some seconds teaches.
  mutating func learnSite(_ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) {
    guard settings.calibration.learns, !encounters[judgementOf: place].hasTaught else { return }
    let receiver = whereServed(place, at: now)
    guard encounters[judgementOf: place].mayTeach(isServed: receiver != nil, at: now), let receiver else { return }
    let pattern = gatherSettled(place, at: now, devices, settings)
    if unplaced.isMeant {
      let place = receiver < 0 ? unplaced.receiver(ofRadio: Int(encounters[place].radio)) : receiver
      return unplaced.learn(pattern, at: place)
    }
    let trigger = Int(encounters[place].trigger)
    let taught = receiver < 0 ? plan.learn(pattern, at: trigger) : plan.learn(pattern, atReceiver: receiver)
    guard let taught else { return }
    let slot = Int(encounters[place].device)
    let power = devices[slot].power
    guard power.isImprecise else { return }
    learnt.learn(
      power.credited(assumed) + Decibels(taught), of: devices[slot].identity, assumed: settings.calibration.measuredPower, wasServed: true,
      isPattern: true)
  }

  /// At which neighbour's receiver the device is served, -1 at ours; nil while it is served nowhere, or goes.
  private func whereServed(_ place: Int32, at now: Instant) -> Int? {
    if case .fired = encounters[place].stage { return -1 }
    var word = encounters[place].claims
    while word >= 0 {
      defer { word = claims.next(after: word) }
      if claims[word].standing == .fired, isCurrent(word, at: now), claims[word].level != nil { return Int(claims[word].receiver) }
    }
    return nil
  }
}

extension SitePlan {
  /// Without a plan its place in the list is another receiver's.
  func offset(of receiver: Int) -> Float { isLearning && receiver < receivers.count ? learnt.offset(of: receiver) : 0 }

  /// A device that was served stands at our trigger, or at a neighbour's receiver. Returns its loudness against its supposed power.
  mutating func learn(_ pattern: LevelPattern, at trigger: Int) -> Float? {
    var best = Likeliest(losses: losses(at: triggers[trigger]))
    best.consider(pointsHere, trigger, pattern, receivers.count)
    return learn(pattern, losses: best.losses)
  }

  mutating func learn(_ pattern: LevelPattern, atReceiver receiver: Int) -> Float? {
    var best = Likeliest(losses: losses(at: receivers[receiver].point))
    for index in 0..<count where Int(points[index].owner) == receiver {
      best.consider(points, index, pattern, receivers.count) { $0[receiver] < LearntSite.besideLoss }
    }
    return learn(pattern, losses: best.losses)
  }

  private mutating func learn(_ pattern: LevelPattern, losses: PerReceiver) -> Float? {
    guard isLearning, pattern.heard > 1 else { return nil }
    var levels = pattern.levels
    for receiver in receivers.indices { levels[receiver] += offset(of: receiver) }
    let loudness = learnt.learn(levels: levels, losses: losses, heardBy: pattern.trust .> 0, pattern.loudness)
    changes &+= 1
    for receiver in receivers.indices where learnt.isMoved(receiver) {
      let record = record(of: receiver)
      moved = MovedReceiver(gateway: record.gateway, point: record.point, visits: record.visits)
      forget(receiver)
    }
    return loudness
  }

  package mutating func takeMoved() -> MovedReceiver? {
    defer { moved = nil }
    return moved
  }
}

/// The point at which a pattern is likeliest.
private struct Likeliest {
  var losses: PerReceiver
  private var likelihood = -Float.infinity

  init(losses: PerReceiver) { self.losses = losses }

  mutating func consider(
    _ points: borrowing Lent<PlanPoints>, _ index: Int, _ pattern: LevelPattern, _ receivers: Int,
    _ isMeant: (PerReceiver) -> Bool = { _ in true }
  ) {
    let likelihoods = pattern.likelihood(points, index, receivers)
    for point in 0..<points[index].count where likelihoods[point] > likelihood && isMeant(points[index][point]) {
      (losses, likelihood) = (points[index][point], likelihoods[point])
    }
  }
}
