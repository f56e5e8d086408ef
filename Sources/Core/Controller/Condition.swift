/// What is wrong with a radio, in the words of `status`.
package enum Trouble: UInt8, BitwiseCopyable, Sendable {
  // Of the controller.
  case notAnswering, nonsense, hardwareError, refusing, silent, noLevels, noLowEnergy, misplaced
  // Of the line.
  case lineLost, noAdapter, ambiguous, busy, bluetoothd, blocked, down, unreachable
  case noPermission, noBluetooth, noSource, damagedSource, system

  package var sentence: StaticString {
    switch self {
    case .notAnswering: "the controller does not answer"
    case .nonsense: "the controller answers nonsense"
    case .hardwareError: "the controller reports a hardware error"
    case .refusing: "the controller refuses to scan"
    case .silent: "nothing is heard where many were heard a moment ago"
    case .noLevels: "the controller says of no advert how strong it is"
    case .noLowEnergy: "the controller has no Bluetooth Low Energy"
    case .misplaced: "the adapter is another radio's"
    case .lineLost: "the line to the controller broke"
    case .noAdapter: "there is no such adapter"
    case .ambiguous: "several adapters have this address"
    case .busy: "another program holds the adapter"
    case .bluetoothd: "bluetoothd holds the adapter"
    case .blocked: "rfkill blocks the adapter"
    case .down: "the adapter is down"
    case .unreachable: "the controller's address does not answer"
    case .noPermission: "permission is missing"
    case .noBluetooth: "this kernel has no Bluetooth (AF_BLUETOOTH)"
    case .noSource: "the file cannot be opened"
    case .damagedSource: "the capture is damaged"
    case .system: "the system refuses"
    }
  }

  /// The line is open: the controller behind it may recover.
  package var isOfController: Bool {
    switch self {
    case .notAnswering, .nonsense, .hardwareError, .refusing, .silent, .noLevels, .noLowEnergy, .misplaced: true
    case .lineLost, .noAdapter, .ambiguous, .busy, .bluetoothd, .blocked, .down, .unreachable, .noPermission, .noBluetooth, .noSource,
      .damagedSource, .system:
      false
    }
  }

  /// It lasts until a person changes the machine; other troubles pass.
  package var isLasting: Bool {
    switch self {
    case .noLowEnergy, .noPermission, .noBluetooth, .noSource, .damagedSource: true
    case .notAnswering, .nonsense, .hardwareError, .refusing, .silent, .noLevels, .misplaced, .lineLost, .noAdapter, .ambiguous, .busy,
      .bluetoothd, .blocked, .down, .unreachable, .system:
      false
    }
  }
}

/// The state of a radio in `status`.
package enum Condition: Equatable, BitwiseCopyable, Sendable {
  /// Not open yet.
  case opening
  /// Open; the first bring-up is under way.
  case starting
  case scanning
  /// Scanning, and every command is answered. Nothing has been heard for minutes, and perhaps nothing is there.
  case quiet
  /// Deaf at the moment; the usual remedy is being applied.
  case recovering(Trouble)
  /// Deaf: the usual remedies did not help. They are repeated.
  case degraded(Trouble)
  /// Deaf until a person changes the machine. It is retried all the same.
  case failed(Trouble)
  /// A capture or a scenario has ended.
  case ended
  /// The configuration's authorization forbids listening now; the adapter is released.
  case off

  package var name: StaticString {
    switch self {
    case .opening: "opening"
    case .starting: "starting"
    case .scanning: "scanning"
    case .quiet: "quiet"
    case .recovering: "recovering"
    case .degraded: "degraded"
    case .failed: "failed"
    case .ended: "ended"
    case .off: "off"
    }
  }

  package var trouble: Trouble? {
    switch self {
    case .recovering(let trouble), .degraded(let trouble), .failed(let trouble): trouble
    case .opening, .starting, .scanning, .quiet, .ended, .off: nil
    }
  }

  /// Whether adverts can be heard.
  package var isListening: Bool { self == .scanning || self == .quiet }
}

/// How often each remedy was applied, for telemetry. A line that babbles for months makes them begin anew.
package struct Recoveries: Equatable, BitwiseCopyable, Sendable {
  package var rescans: UInt32 = 0
  package var resets: UInt32 = 0
  package var reopens: UInt32 = 0
  package var degradations: UInt32 = 0
  /// Troubles that ended. A remedy on mere suspicion, such as a rescan in an empty yard, ends none.
  package var cures: UInt32 = 0
  package var hardwareErrors: UInt32 = 0
  package var unanswered: UInt32 = 0
  package var refused: UInt32 = 0
  /// Impossible events.
  package var malformed: UInt32 = 0
  /// Other parts' commands that could not be sent.
  package var turnedAway: UInt32 = 0

  package init() {}
}
