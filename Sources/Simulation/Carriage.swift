/// Where the bearer carries the phone.
package enum Carried: UInt8, BitwiseCopyable, Sendable {
  case inHand, inFrontPocket, inBackPocket, inBag, onRoof, onMount

  /// The loss in any direction.
  package var loss: Double {
    switch self {
    case .inHand, .onRoof, .onMount: 0
    case .inFrontPocket, .inBackPocket: 4
    case .inBag: 5
    }
  }

  /// The additional loss when the bearer's body is wholly in the line.
  package var body: Double {
    switch self {
    case .inHand: 6
    case .inFrontPocket, .inBackPocket: 10
    case .inBag: 6
    case .onRoof, .onMount: 0
    }
  }

  /// The direction of the phone, seen from the bearer: 1 ahead, -1 behind.
  package var facing: Double { self == .inBackPocket ? -1 : 1 }

  /// A roof and a handlebar are outside even if the bearer sits inside.
  var isOutside: Bool { self == .onRoof || self == .onMount }
}
