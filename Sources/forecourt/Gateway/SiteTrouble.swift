import Core

// What `status` and the log say of the neighbours: what is wrong, what follows, what to do.

extension Unheard {
  var sentence: Sentence {
    var words = Sentence()
    switch self {
    case .ourselves:
      words.append("our own claims do not come back: no trigger in a group fires here; let the broker's access list allow reading and ")
      words.append("writing claim/#; forecourt check tells more")
    case .neighbour(let name):
      words.begin("neighbour ", name)
      words.append(" is not heard: no trigger in its groups fires here; start it, or send forget-neighbour, or take it off [site] gateways")
    case .oneWay(let name):
      words.begin("neighbour ", name)
      words.append(" does not hear us: no trigger in its groups fires here; see its log, and the broker's access list")
    case .deaf(let name):
      words.begin("neighbour ", name)
      words.append(" hears no device in a group: no trigger of that group fires here; its status says why; or stop it, or take it out")
    }
    return words
  }
}

extension PlanFault {
  var sentence: Sentence {
    var words = Sentence()
    switch kind {
    case .shared:
      words.begin("neighbour ", gateway)
      words.append(" says that it stands within a metre of this gateway (at_m): where nobody measured a phone's power, neither serves it; ")
      words.append("correct one of the two")
    case .uneven:
      words.begin("of neighbour ", gateway)
      words.append(" and this gateway only one has at_m, and the other is not compared; give at_m to all gateways, or to none")
    }
    return words
  }
}

extension Sentence {
  fileprivate mutating func begin(_ word: StaticString, _ gateway: Name) {
    append(word)
    append(gateway)
  }
}
