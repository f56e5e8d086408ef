import Core
import Host

/// The live table of scan: which columns, in which order, from which row on.
struct ScanTable {
  enum Order: UInt8 {
    case distance = 0x64
    case average = 0x61
    case rate = 0x72
    case age = 0x67
    case identity = 0x69
  }

  /// The last levels of one device, one for each half second; `.min` where nothing was heard.
  private struct History {
    var generation: UInt32 = 0
    var levels = InlineArray<16, Int8>(repeating: .min)
    var next = 0
  }

  private struct Row {
    /// The name, and as much of the id as there is room for.
    func named(in width: Int) -> String {
      guard !title.utf8.isEmpty else { return name.shortened(to: width) }
      let short = title.cut(to: max(width - 12, 8))
      return short + " " + name.shortened(to: width - short.columns - 1)
    }

    let slot: Int
    let generation: UInt32
    let name: String
    /// What the configuration calls it.
    let title: String
    let age: Interval
    let estimate: Estimate?
  }

  private var order = Order.distance
  private var isReversed = false
  private var onlyMatched = false
  private var isFrozen = false
  private var first = 0
  /// The selected device; it keeps its row when the others move.
  private var selected: (slot: Int, generation: UInt32)?
  private var histories: [History]
  private var observed = Instant.zero
  private var rows: [Row] = []
  private var lastCount: (at: Instant, reports: UInt64) = (.zero, 0)
  private var rate = 0.0

  private static let observeEvery = Interval.milliseconds(500)
  /// A device that was not heard for so long leaves the table.
  private static let goneAfter = Interval.seconds(60)

  init(_ gateway: borrowing Gateway) { histories = [History](repeating: History(), count: gateway.devices.capacity) }

  /// Handles a key; false when it means nothing here.
  mutating func typed(_ key: UInt8) -> Bool {
    if let wanted = Order(rawValue: key) {
      isReversed = wanted == order ? !isReversed : false
      order = wanted
      return true
    }
    switch key {
    case UInt8(ascii: "m"): onlyMatched.toggle()
    case UInt8(ascii: " "): isFrozen.toggle()
    case UInt8(ascii: "j"): select(1)
    case UInt8(ascii: "k"): select(-1)
    default: return false
    }
    return true
  }

  private var selectedRow: Int? {
    guard let selected else { return nil }
    return rows.firstIndex { $0.slot == selected.slot && $0.generation == selected.generation }
  }

  private mutating func select(_ step: Int) {
    guard !rows.isEmpty else { return }
    let row = selectedRow.map { min(max($0 + step, 0), rows.count - 1) } ?? min(first, rows.count - 1)
    selected = (rows[row].slot, rows[row].generation)
  }

  /// Twice a second: keeps each device's level for the sparkline.
  mutating func observe(_ gateway: borrowing Gateway, at now: Instant) {
    guard now - observed >= Self.observeEvery else { return }
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) {
      let generation = gateway.devices[slot].generation
      if histories[slot].generation != generation {
        histories[slot] = History()
        histories[slot].generation = generation
      }
      let isHeard = gateway.devices[slot].heard > observed
      histories[slot].levels[histories[slot].next] = isHeard ? gateway.devices[slot].level : .min
      histories[slot].next = (histories[slot].next + 1) % 16
    }
    observed = now
    let reports = gateway.counters.reports
    if lastCount.at > .zero { rate += 0.3 * (Double(reports - lastCount.reports) / max((now - lastCount.at).seconds, 0.001) - rate) }
    lastCount = (now, reports)
  }

  // MARK: Lines

  mutating func lines(
    _ gateway: borrowing Gateway, at now: Instant, _ states: [String], _ colours: Colours, _ columns: Int, _ height: Int
  ) -> [String] {
    if !isFrozen { collect(gateway, at: now) }
    // A tiny screen has no room for its figures.
    let row = height < 6 ? nil : selectedRow
    let room = max(height - (row == nil ? 3 : 5), 1)
    if let row { first = max(min(first, row), row - room + 1) }
    first = min(first, max(0, rows.count - room))
    let layout = Layout(columns, hasTriggers: gateway.settings.triggers.count > 0)
    var lines = [colours.painted("forecourt scan", .bold) + ("  " + listed(states, with: "and")).cut(to: max(columns - 14, 1))]
    lines.append(colours.painted(head(layout).cut(to: columns).padded(to: columns), .inverse))
    for row in rows.dropFirst(first).prefix(room) { lines.append(line(row, layout, gateway, colours)) }
    while lines.count < height - (row == nil ? 1 : 3) { lines.append("") }
    if let row { lines += detail(rows[row], gateway).map { $0.cut(to: columns) } }
    lines.append(colours.painted(foot(room).cut(to: columns), .faint))
    return lines
  }

  /// The whole identity of the selected device, and its figures.
  private func detail(_ row: Row, _ gateway: borrowing Gateway) -> [String] {
    var figures = String(gateway.devices[row.slot].zone)
    if let estimate = row.estimate {
      figures += ", \(metres(estimate.distance)) m (\(metres(estimate.low))–\(metres(estimate.high)))"
      figures += ", \(fixed(estimate.average.value, 1)) dBm, \(fixed(estimate.rate, 1)) a second"
    }
    let states = gateway.triggerStates(of: row.slot).map { $0.name + " " + $0.stage.word }
    let whole = row.title.utf8.isEmpty ? row.name : row.title + " " + row.name
    return [whole, states.isEmpty ? figures : figures + "; " + listed(states, with: "and")]
  }

  private func foot(_ room: Int) -> String {
    let held = isFrozen ? "held; " : ""
    let all = counted(rows.count, "device")
    let shown = rows.count > room ? "\(first + 1)–\(min(first + room, rows.count)) of " + all : all
    // What a narrow terminal cuts off is the end, and everybody needs the way out.
    return
      "q quit  \(held)\(shown), \(fixed(rate, 0)) adverts/s   d a r g i sort  m \(onlyMatched ? "all" : "matched")  ↑ ↓ select  space hold"
  }

  private mutating func collect(_ gateway: borrowing Gateway, at now: Instant) {
    rows.removeAll(keepingCapacity: true)
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) {
      let age = max(now - gateway.devices[slot].heard, .zero)
      guard age < Self.goneAfter, !onlyMatched || gateway.devices[slot].interest.isMatched else { continue }
      let estimate = gateway.devices.estimate(of: slot, at: now, gateway.settings)
      let (identity, generation) = (gateway.devices[slot].identity, gateway.devices[slot].generation)
      let title = String(gateway.settings.deviceName(of: identity))
      rows.append(Row(slot: slot, generation: generation, name: identity.shown, title: title, age: age, estimate: estimate))
    }
    let (all, key, isReversed) = (rows, order, isReversed)
    let numbers = Host.order(of: all.count) {
      isReversed ? Self.sorts(all[$1], before: all[$0], by: key) : Self.sorts(all[$0], before: all[$1], by: key)
    }
    for (place, number) in numbers.enumerated() { rows[place] = all[number] }
  }

  private static func sorts(_ a: Row, before b: Row, by order: Order) -> Bool {
    switch order {
    case .identity: return a.name.bytes.lexicographicallyPrecedes(b.name.bytes)
    case .age: if a.age != b.age { return a.age < b.age }
    case .distance, .average, .rate:
      let (mine, theirs) = (a.estimate.map { sortKey($0, order) } ?? .infinity, b.estimate.map { sortKey($0, order) } ?? .infinity)
      if mine != theirs { return mine < theirs }
    }
    return a.name.bytes.lexicographicallyPrecedes(b.name.bytes)
  }

  private static func sortKey(_ estimate: Estimate, _ order: Order) -> Float {
    switch order {
    case .distance: estimate.distance.value
    case .average: -estimate.average.value
    case .rate: -estimate.rate
    case .age, .identity: 0
    }
  }

  /// Which columns fit. A narrow terminal has no zones, no ranges, and then no rates; levels and triggers stay.
  private struct Layout {
    let name: Int
    let triggers: Int
    let levels: Int
    let isWide: Bool
    let hasRates: Bool

    init(_ columns: Int, hasTriggers: Bool) {
      isWide = columns >= 104
      hasRates = columns >= 72
      levels = isWide ? 16 : hasRates ? 8 : 6
      let figures = 2 + (isWide ? 28 : 7) + 8 + (hasRates ? 13 : 0) + levels + 2
      let rest = max(columns - figures, 10)
      triggers = hasTriggers && rest >= 28 ? min(max(rest / 3, 12), 36) : 0
      name = min(rest - triggers, 62)
    }
  }

  private func head(_ layout: Layout) -> String {
    func mark(_ title: StaticString, _ column: Order) -> String { "\(title)" + (order == column ? (isReversed ? "▲" : "▼") : "") }
    var text = mark("identity", .identity).padded(to: layout.name) + "  "
    text += layout.isWide ? "zone".padded(to: 10) + mark("metres", .distance).padded(to: 18) : mark("m", .distance).padded(to: 7)
    text += mark("dBm", .average).right(in: 7) + " "
    if layout.hasRates { text += mark("Hz", .rate).right(in: 6) + " " + mark("age", .age).right(in: 5) + " " }
    text += " " + "levels".cut(to: layout.levels).padded(to: layout.levels + 1)
    return layout.triggers > 0 ? text + "triggers" : text
  }

  private func line(_ row: Row, _ layout: Layout, _ gateway: borrowing Gateway, _ colours: Colours) -> String {
    let zone = gateway.devices[row.slot].zone
    func painted(_ text: String) -> String {
      zone == .immediate ? colours.painted(text, .green) : zone == .near ? colours.painted(text, .yellow) : text
    }
    let isSelected = selected.map { $0.slot == row.slot && $0.generation == row.generation } ?? false
    var text = row.named(in: layout.name).padded(to: layout.name) + (isSelected ? " ◂" : "  ")
    if row.age > .seconds(5) { text = colours.painted(text, .faint) }
    if layout.isWide { text += painted(String(zone).padded(to: 10)) }
    if let estimate = row.estimate {
      let nearest = metres(estimate.distance)
      text +=
        layout.isWide
        ? "\(nearest) (\(metres(estimate.low))–\(metres(estimate.high)))".padded(to: 18) : painted(nearest.padded(to: 7))
      text += fixed(estimate.average.value, layout.isWide ? 1 : 0).right(in: 7) + " "
      if layout.hasRates { text += fixed(estimate.rate, 1).right(in: 6) + " " }
    } else {
      text += String(repeating: " ", count: (layout.isWide ? 18 : 7) + 8 + (layout.hasRates ? 7 : 0))
    }
    if layout.hasRates { text += fixed(row.age.seconds, row.age < .seconds(10) ? 1 : 0).right(in: 5) + " " }
    text += " " + spark(histories[row.slot], layout.levels) + " "
    guard layout.triggers > 0 else { return text }
    let states = gateway.triggerStates(of: row.slot).map { $0.name + " " + $0.stage.word }
    return text + listed(states, with: "and").cut(to: layout.triggers)
  }

  /// The last levels, from -100 to -40 dBm in eight steps.
  private func spark(_ history: History, _ count: Int) -> String {
    let bars: [StaticString] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    var text = ""
    for index in (16 - count)..<16 {
      let level = Int(history.levels[(history.next + index) % 16])
      text += level == Int(Int8.min) ? " " : "\(bars[min(max((level + 100) / 8, 0), 7)])"
    }
    return text
  }
}

extension Gateway {
  /// The triggers that follow a device just now.
  func triggerStates(of slot: Int) -> [(name: String, stage: Encounter.Stage)] {
    var states: [(name: String, stage: Encounter.Stage)] = []
    var place = devices[slot].encounters
    while place >= 0 {
      let encounter = triggers.encounters[place]
      if encounter.isPresent { states.append((String(settings.triggers[Int(encounter.trigger)].name), encounter.stage)) }
      place = encounter.nextOfDevice
    }
    return states.reversed()
  }
}
