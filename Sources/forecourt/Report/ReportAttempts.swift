import Core

/// One device near one trigger until it fires or goes: how near it came, and what held it back when it had got furthest.
struct ReportAttempt {
  let trigger: Int
  let began: Double
  var ended: Double
  var nearest: Meters
  private var best: BlockingRule
  private(set) var words: String

  fileprivate init(_ trigger: Int, at moment: Double, _ rule: BlockingRule, _ distance: Meters, _ settings: TriggerSettings) {
    (self.trigger, began, ended, nearest, best, words) = (trigger, moment, moment, distance, rule, rule.words(settings))
  }

  fileprivate mutating func observe(_ rule: BlockingRule, _ distance: Meters, at moment: Double, _ settings: TriggerSettings) {
    ended = moment
    if distance.value < nearest.value { nearest = distance }
    if rule.isFurther(than: best) { (best, words) = (rule, rule.words(settings)) }
  }
}

/// The attempts of one device, in their order.
struct ReportAttempts {
  private var all: [ReportAttempt] = []
  /// Those under way: indices into `all`.
  private var open: [Int] = []

  /// After each of the device's samples.
  mutating func observe(_ slot: Int, radio: Int, at now: Instant, _ gateway: borrowing Gateway) {
    let moment = now.microsecondsAsSeconds
    for trigger in gateway.settings.triggers.indices where gateway.devices[slot].interest.triggers >> UInt64(trigger) & 1 == 1 {
      let mine = open.firstIndex { all[$0].trigger == trigger }
      let place = gateway.triggers.encounters.find(trigger: trigger, from: gateway.devices[slot].encounters)
      guard place >= 0, gateway.triggers.encounters[place].isPresent, !gateway.triggers.encounters[place].hasFired else {
        if let mine { open.remove(at: mine) }
        continue
      }
      let encounter = gateway.triggers.encounters[place]
      guard encounter.approach.heard == now, Int(encounter.radio) == radio else { continue }
      let settings = gateway.settings.triggers[trigger]
      let evidence = gateway.triggers.evidence(of: place, at: now, gateway.devices, gateway.settings)
      guard let rule = encounter.blockingRule(evidence, at: now, settings) else { continue }
      // As the trigger's events have it: by the quick average of the radio that listens for it.
      let power = gateway.devices[slot].power.credited(gateway.settings.calibration.measuredPower)
      let distance = PathLoss(gateway.settings.calibration).distance(atLoss: power - encounter.approach.level)
      if let mine {
        all[open[mine]].observe(rule, distance, at: moment, settings)
      } else {
        open.append(all.count)
        all.append(ReportAttempt(trigger, at: moment, rule, distance, settings))
      }
    }
  }

  /// The one that was armed at this trigger then, or just before: the sample that settles who it is may show that it goes.
  func attempt(at trigger: Int, _ moment: Double) -> ReportAttempt? {
    all.last { $0.trigger == trigger && $0.began <= moment + 0.001 }
  }
}
