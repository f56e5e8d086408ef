import CTOML
import Core

// [site], and the key that its gateways share: who belongs to it, and how they authenticate each other.

extension Configuration {
  /// `triggers` are their tables.
  mutating func readSite(_ root: inout Section, _ triggers: [Section]) {
    let named = root.node["gateway"]?["name"]
    let isNameInForce = named.map { $0.kind == TOML_STRING && same($0.text, String(core.gateway.name)) } ?? true
    root.table("site") { section in
      section.read("forget_after_s", seconds: &core.site.forgetAfter, 60...315_360_000)
      guard let entries = section.strings("gateways") else { return }
      if section.node["forget_after_s"] != nil { section.warning("forget_after_s", "does nothing beside gateways") }
      for node in entries { read(node, section) }
      // Of a name that was refused, that is all there is to say. Without any, the gateway would wait for whom it has met.
      guard !core.site.roster.isEmpty || entries.isEmpty, isNameInForce else { return }
      guard let own = core.site.place(of: core.gateway.name) else {
        return section.fault(
          "gateways", "does not name this gateway, \"\(String(core.gateway.name))\": all gateways of the site have the same list"
        )
      }
      compareGroups(own, triggers)
    }
  }

  /// In a group that our entry does not have no neighbour waits for us: a trigger with a misspelt one fires past them. Doors that compete
  /// within this gateway alone need not be on the list. `own`: our place on it.
  private func compareGroups(_ own: Int, _ triggers: [Section]) {
    guard triggers.count == core.triggers.count else { return }
    let isUnused = hasUnusedGroup(own)
    for index in triggers.indices where !core.triggers[index].group.isEmpty {
      let group = core.triggers[index].group
      let named = "(\"\(printable(String(group)))\") "
      guard core.site.roster[own].groups.has(group) || !isUnused && !hasRival(of: own, in: group) else {
        let advice = meant(by: group, in: own..<own + 1)
        triggers[index].fault("group", named + "is none of those that [site] gateways lists behind this gateway's name" + advice)
        continue
      }
      // Two triggers here compete also in a group that no other gateway has.
      guard core.site.roster.count > 1, isAlone(index), !hasRival(of: own, in: group) else { continue }
      let advice = meant(by: group, in: 0..<core.site.roster.count)
      let words = "is listed behind no other name in [site] gateways: this trigger competes with none"
      triggers[index].warning("group", named + words + advice)
    }
  }

  /// Whether our entry names a group in which we have no trigger: then another's is misspelt.
  private func hasUnusedGroup(_ own: Int) -> Bool {
    let groups = core.site.roster[own].groups
    for index in groups.indices {
      var isUsed = false
      for trigger in core.triggers.indices where core.triggers[trigger].group == groups[index] { isUsed = true }
      if !isUsed { return true }
    }
    return false
  }

  private func hasRival(of own: Int, in group: Name) -> Bool {
    for index in core.site.roster.indices where index != own && core.site.roster[index].groups.has(group) { return true }
    return false
  }

  /// The group that these entries name and that was probably meant.
  private func meant(by group: Name, in entries: Range<Int>) -> String {
    var known: [String] = []
    for entry in entries {
      let groups = core.site.roster[entry].groups
      for index in groups.indices where groups[index] != group { known.append(String(groups[index])) }
    }
    return suggestion(for: String(group), among: known).map { "; did you mean \"\(printable($0))\"?" } ?? ""
  }

  /// `island-1`, or `island-1/pumps/doors` with the groups in which its triggers compete.
  private mutating func read(_ node: Node, _ section: Section) {
    var entry = SiteSettings.Entry()
    // By bytes: splitting a String would bring Unicode's tables into the binary.
    let parts = node.text.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let words = parts.map { String(decoding: $0, as: UTF8.self) }
    for (index, word) in words.enumerated() {
      if let words = faultOfName(word) { return section.fault(at: node.at, "gateways: \"\(printable(node.text))\": a name " + words) }
      if index == 0 { entry.name = Name(word) } else { entry.groups.append(Name(word)) }
    }
    if words.count == 1 { entry.groups.isEverything = true }
    if core.site.place(of: entry.name) != nil {
      return section.fault(at: node.at, "gateways: \"\(printable(words[0]))\" is listed twice")
    }
    if core.site.roster.append(entry) != nil {
      section.fault(at: node.at, "gateways: there are more than \(Roster.capacity)")
    }
  }

  mutating func readSiteKeys(_ section: inout Section) {
    guard let nodes = section.strings("site_key_file") else { return }
    guard 1...2 ~= nodes.count else {
      return section.fault("site_key_file", "must name one file, or two while a new key takes the place of the old one")
    }
    core.site.isAuthenticated = true
    for node in nodes {
      guard let bytes = section.secret("site_key_file", named: node.text, neededBy: .whole) else { continue }
      guard let key = bytes.count == 32 ? bytes : hexBytes(bytes), key.count == 32 else {
        section.fault(at: node.at, "site_key_file must hold 32 bytes, or 64 hexadecimal digits: openssl rand -hex 32")
        continue
      }
      if isPlaceholder(key) { section.fault(at: node.at, "site_key_file is no secret: its bytes are all equal") }
      host.siteKeys.append(key)
    }
  }
}
