import Core

// What is subscribed to, one by one where something went wrong before; what came of it is noted where the next run finds it.

extension Courier {
  var subjects: [Probation.Subject] {
    var subjects: [Probation.Subject] = []
    if settings.commands { subjects.append(.commands) }
    if settings.claims { subjects += [.claims, .statuses] }
    if settings.peers { subjects.append(.peers) }
    return subjects
  }

  /// At the start: whether the run before ended at what it was trying.
  func recallProbation() {
    let tried = store.marked("trying").flatMap { Probation.Subject(rawValue: $0 - 1) }
    probation = Probation(noted: store.marked("falls") ?? 0, tried: tried)
    guard let tried else { return }
    var words = Sentence("the run before ended as soon as it was subscribed to ")
    words.append(filter(of: tried))
    words.append(": a message that is too long, or malformed, may be retained there")
    say(.error, words)
    noteProbation()
  }

  func subscribe(at now: Instant) {
    let subjects = probation.next(at: now)
    noteProbation()
    do throws(MQTTFault) {
      for subject in subjects { try subscribe(to: subject) }
    } catch { lose(error, at: now) }
  }

  private func subscribe(to subject: Probation.Subject) throws(MQTTFault) {
    switch subject {
    case .several: break
    case .commands: try link.subscribe(topics.commands, qos: 1, wantsRetained: false)
    case .claims:
      try link.subscribe(topics.claims, qos: 0, wantsRetained: false)
      // Our own hello comes back: it shows that what we say is carried, and that we would hear the others.
      try link.subscribe(topics.hello(settings.name), qos: 0, wantsRetained: false, wantsOwn: true)
    case .statuses: try link.subscribe(topics.statuses, qos: 1, wantsRetained: true)
    case .peers: try link.subscribe(topics.peers, qos: 1, wantsRetained: true)
    }
  }

  private func filter(of subject: Probation.Subject) -> Topic {
    switch subject {
    case .several: Topic("its topics")
    case .commands: topics.commands
    case .claims: topics.claims
    case .statuses: topics.statuses
    case .peers: topics.peers
    }
  }

  /// The connection is lost: at what was being tried, or for another reason.
  func judge(_ fault: MQTTFault) {
    let tried = probation.trying
    let isToBlame = fault.isOfContent && probation.blame()
    if isToBlame, let tried, probation.isLeftOut(tried) {
      var words = Sentence("what the broker keeps under ")
      words.append(filter(of: tried))
      words.append(" ends every connection: it is not subscribed to any more. Clear what is retained there, then reload")
      say(.error, words)
    }
    probation.stop()
    if tried != nil { noteProbation() }
  }

  /// New settings: whatever is left out is tried once more at the next connection.
  func forgive() {
    probation.forgive()
    noteProbation()
    // There is none: the next connection begins with all of them.
    guard case .up = line, probation.leftOut == nil else { return }
    probation.begin(subjects)
    subscribe(at: Clock.now())
  }

  func endProbation() {
    guard probation.trying != nil else { return }
    probation.stop()
    noteProbation()
  }

  private func noteProbation() {
    store.mark("trying", (probation.trying?.rawValue ?? -1) + 1)
    store.mark("falls", probation.noted)
    figures.set(.leftOut, probation.leftOut != nil)
    figures.set(.tried, probation.isCareful && probation.leftOut == nil)
  }
}
