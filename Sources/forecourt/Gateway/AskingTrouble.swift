import Core
import Host

/// Why a radio asks no phone for its installation id.
enum AskingTrouble: Equatable {
  case noConnections, refused

  func sentence(_ radio: Name) -> Sentence {
    var words = Sentence("radio ")
    words.append(radio)
    words.append(": it asks no phone for its id (identify): the controller ")
    words.append(self == .refused ? "refuses to connect" : "makes no connections")
    return words
  }
}

extension AskingTrouble? {
  /// What a controller says of itself; after a reset nobody knows what it refuses.
  func after(_ profile: Profile) -> AskingTrouble? {
    guard profile.isWhole else { return self == .refused ? nil : self }
    if !profile.connects { return .noConnections }
    return self == .noConnections ? nil : self
  }
}
