/// Where a device stands likeliest, by what all receivers hear: shares of one.
package struct Likelihood: BitwiseCopyable {
  package fileprivate(set) var here: Float
  package fileprivate(set) var rival: Float = 0
  package fileprivate(set) var elsewhere: Float
  /// The receiver at which it stands likeliest if not here: our radio, or a neighbour. Empty where none is far enough away.
  package fileprivate(set) var rivalName = Name()
  package let receivers: Int
  package let at: Instant

  /// The name of the likeliest.
  package var likeliest: Name {
    if here >= max(rival, elsewhere) { return Name("here") }
    return rival > elsewhere ? rivalName : Name("elsewhere")
  }
}

extension Triggers {
  /// What was last made of the pattern; nil where there is none.
  package func likelihood(of place: Int32, _ settings: borrowing Settings) -> Likelihood? {
    let judgement = encounters[judgementOf: place]
    guard hearsPatterns, judgement.verdict != nil else { return nil }
    let shares = judgement.shares
    var likelihood = Likelihood(
      here: shares.here, elsewhere: shares.rest, receivers: Int(judgement.receivers), at: judgement.at)
    let receiver = Int(judgement.quick.rival)
    likelihood.rivalName = name(of: receiver, settings)
    // Configurations refuse these two, but a stranger's claim may have any name.
    if likelihood.rivalName == Name("here") || likelihood.rivalName == Name("elsewhere") { likelihood.rivalName = Name() }
    if likelihood.rivalName.isEmpty { likelihood.elsewhere += shares.rival } else { likelihood.rival = shares.rival }
    return likelihood
  }
}

extension Triggers {
  /// Our radio, or a neighbour; empty where new settings have taken it away.
  private func name(of receiver: Int, _ settings: borrowing Settings) -> Name {
    if unplaced.isMeant {
      guard unplaced.receivers.indices.contains(receiver) else { return Name() }
      let radio = Int(unplaced.receivers[receiver].radio)
      return settings.radios.indices.contains(radio) ? settings.radios[radio].name : unplaced.receivers[receiver].gateway
    }
    guard plan.receivers.indices.contains(receiver) else { return Name() }
    let owner = plan.owner(of: receiver)
    return owner.neighbour < 0 ? settings.radios[owner.radio].name : membership.members[owner.neighbour].name
  }
}

extension Text {
  package mutating func members(of likelihood: Likelihood) {
    member("here", likelihood.here, places: 2)
    if !likelihood.rivalName.isEmpty { member(key: likelihood.rivalName, likelihood.rival, places: 2) }
    member("elsewhere", likelihood.elsewhere, places: 2)
  }
}
