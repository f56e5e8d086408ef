package import Core

// [[radio]]: which adapters listen, and how.

extension Configuration {
  mutating func readRadios(_ root: inout Section) {
    root.tables("radio", atMost: PerRadio<RadioSettings>.capacity) { readRadio(&$0) }
    if host.adapters.isEmpty {
      _ = core.radios.append(RadioSettings())
      host.adapters.append(.hci(.number(0), mode: .user))
    }
    core.gateway.simulated = host.adapters.contains { $0.isRehearsal }
  }

  /// The command line's `--radio`: the one of the radios whose adapter it is, or, of one radio or in a rehearsal, the first with another
  /// adapter; and no other radio. Returns the names of triggers that stand at another: they are left out, for nobody hears what happens there.
  package mutating func replaceRadios(by text: String) throws(Adapter.Refusal) -> [Name] {
    // A path on the command line is relative to the working directory.
    var adapter = try Adapter(written: text, mode: .user) { $0 }
    let own = host.adapters.firstIndex { $0.isSame(as: adapter) }
    if own == nil, host.adapters.count > 1, !adapter.isRehearsal {
      // With the first radio's name and offset it would fire the triggers of another place.
      let own = listed(host.adapters.map { $0.written }, with: "or")
      throw Adapter.Refusal(words: "the configuration has several radios: name the adapter of one (\(own))")
    }
    let place = own ?? 0
    if case .hci(let name, _) = adapter, case .hci(_, let mode) = host.adapters[place] { adapter = .hci(name, mode: mode) }
    let radio = core.radios[place]
    core.radios.removeAll()
    _ = core.radios.append(radio)
    host.adapters = [adapter]
    core.gateway.simulated = adapter.isRehearsal
    var gone: [Name] = []
    for index in core.triggers.indices.reversed() {
      guard let radio = core.triggers[index].radio else { continue }
      if radio == place {
        core.triggers[index].radio = 0
      } else {
        gone.insert(core.triggers[index].name, at: 0)
        core.triggers.remove(at: index)
      }
    }
    return gone
  }

  private mutating func readRadio(_ section: inout Section) {
    var radio = RadioSettings()
    radio.name = section.name()
    section.refuseWordsOfLikelihood(radio.name)
    for index in core.radios.indices where core.radios[index].name == radio.name && !radio.name.isEmpty {
      section.fault("name", "is taken by radio \(index + 1)")
    }
    section.read("scan", &radio.activeScan, oneOf: [("active", true), ("passive", false)])
    let faults = section.reading.count
    // Core 6.0, Vol 4, Part E, 7.8.10: 2.5 ms to 10.24 s.
    section.read("interval_ms", milliseconds: &radio.interval, 2.5...10_240)
    // The whole interval, unless the file says less.
    radio.window = radio.interval
    section.read("window_ms", milliseconds: &radio.window, 2.5...10_240)
    if radio.window > radio.interval && section.reading.count == faults {
      let standard = Float(RadioSettings().interval.seconds * 1_000)
      let interval = section.quoted("interval_ms", else: standard)
      section.fault(
        at: section.place(of: ["window_ms"]), "\(section.quoted("window_ms", else: standard)) must not be longer than \(interval)")
    }
    readPhys(&section, &radio)
    section.read("receive_offset_db", &radio.receiveOffset, -40...40)
    section.read("at_m", &radio.point)
    let adapter = readAdapter(&section)
    _ = core.radios.append(radio)
    host.adapters.append(adapter)
  }

  private mutating func readAdapter(_ section: inout Section) -> Adapter {
    var mode = Adapter.Mode.user
    section.read("mode", &mode, oneOf: [("user", .user), ("raw", .raw)])
    var adapter = Adapter.hci(.number(0), mode: mode)
    if let text = section.string("adapter") {
      let source = section.reading.source
      do throws(Adapter.Refusal) {
        adapter = try Adapter(written: text, mode: mode) { source.resolve($0) }
      } catch {
        section.fault("adapter", (hasLogin(text) ? "" : "(\"\(printable(text))\") ") + error.words)
        return adapter
      }
    }
    switch adapter {
    case .hci: break
    default:
      if section.node["mode"] != nil { section.warning("mode", "does nothing here: it is for an adapter that the kernel drives") }
    }
    for (place, other) in host.adapters.enumerated() where isTaken(adapter, by: other) {
      let words = "(\"\(adapter.written)\") is taken by radio \(place + 1)"
      switch adapter {
      // An emulator may have a controller for each connection.
      case .tcp, .unix: section.warning("adapter", words + ": most controllers serve one connection")
      default: section.fault("adapter", words)
      }
    }
    return adapter
  }

  /// The kernel is not asked whose address it is: cheap sticks share one.
  private func isTaken(_ adapter: Adapter, by other: Adapter) -> Bool {
    if case .hci(let name, _) = adapter, case .hci(let otherName, _) = other { return name == otherName }
    return !adapter.isRehearsal && adapter.isSame(as: other)
  }

  /// The part before the @ of a network address may be a password.
  private func hasLogin(_ text: String) -> Bool { text.rest(after: "tcp:")?.bytes.contains(UInt8(ascii: "@")) ?? false }

  private func readPhys(_ section: inout Section, _ radio: inout RadioSettings) {
    guard let phys = section.strings("phys") else { return }
    radio.oneMegabitPhy = false
    radio.codedPhy = false
    for phy in phys {
      if same(phy.text, "1m") {
        radio.oneMegabitPhy = true
      } else if same(phy.text, "coded") {
        radio.codedPhy = true
      } else {
        section.fault(at: phy.at, "phys has \"\(printable(phy.text))\"; it may have \"1m\" and \"coded\"")
      }
    }
    if phys.isEmpty { section.fault("phys", "must name at least one of \"1m\" and \"coded\"") }
  }
}

extension Section {
  /// An event's `likelihood` says how likely a device is here, at another radio or gateway, which it names, and elsewhere.
  mutating func refuseWordsOfLikelihood(_ name: Name) {
    refuse(name, if: ["here", "elsewhere"], "in events that word stands beside the names of radios and gateways")
  }

  /// A name that means something else.
  @inline(never)
  mutating func refuse(_ name: Name, if words: [String], _ reason: String) {
    for word in words where name == Name(word) { fault("name", "must not be \"\(word)\": " + reason) }
  }
}
