import Core
import Testing

@testable import Host

@Suite("config.toml is the manual")
struct ConfigurationManual {
  @Test("the shipped config.toml is valid") func runs() throws { #expect(findings(try Manual().text(enabling: [])) == []) }

  @Test("the site of two pumps is valid, and somebody can be served there") func site() throws {
    let text = try String(contentsOf: repository.appending(path: "deploy/two-pumps.toml"), encoding: .utf8)
    let site = try Configuration(reading: source(text))
    #expect(site.core.triggers.count == 2 && site.warnings.isEmpty && site.futile.isEmpty)
  }

  @Test("as shipped, all that is wrong with config.toml is that the radios are off") func off() throws {
    let shipped = try Configuration(reading: source(try Manual().text(enabling: [])))
    #expect(shipped.core.radios.count == 1 && shipped.core.triggers.count == 1 && shipped.core.gateway.authorization == .denied)
    #expect(shipped.futile.map { $0.words }.count == 1 && shipped.futile[0].words.contains("keeps the radios off"))
  }

  @Test("code and file share every key") func parity() throws {
    let manual = try Manual()
    // Tables inside tables are listed among their parent's keys.
    let inFile = manual.keys.union(["calibration.device", "key.irk", "key.eid"])
    let inCode = keysOfTheCode(in: Set(manual.tables).union(["key"]))
    #expect(inCode.subtracting(inFile) == [], "known, but not in the file")
    #expect(inFile.subtracting(inCode) == [], "in the file, but not known")
    #expect(inCode.count > 90)
  }

  @Test("code and file share every table") func tables() throws {
    guard let line = findings("zzzzzzzzzzzzzzzzzzzzzzzz = 1\n").first(where: { $0.contains("known here") }) else {
      Issue.record("nothing told which tables there are")
      return
    }
    let known = line.components(separatedBy: "known here: ")[1].replacingOccurrences(of: " and ", with: ", ").components(separatedBy: ", ")
    let inFile = Set(try Manual().tables.map { $0.components(separatedBy: ".")[0] })
    #expect(Set(known) == inFile)
  }

  @Test("the home of a key below the wrong table is found, whichever table it is") func homes() throws {
    let homes = KeyHome.all()
    let headers = Set(homes.map { String($0.header.filter { !"[]".contains($0) }) })
    #expect(headers.isSuperset(of: Set(try Manual().tables).subtracting(["key"])) && homes.allSatisfy { !$0.keys.isEmpty })
  }

  @Test("a default in a comment is the default in the code") func defaults() throws {
    let manual = try Manual()
    let asItStands = try inForce(manual.text(enabling: []))
    let standards = manual.entries.filter { $0.mark == .standard }
    #expect(standards.count > 50)
    for entry in standards {
      let table = manual.example(around: entry)
      let before = table.isEmpty ? asItStands : try inForce(manual.text(enabling: table))
      #expect(try inForce(manual.text(enabling: table + [entry])) == before, "line \(entry.index + 1): \(entry.text)")
    }
    let outside = standards.filter { manual.example(around: $0).isEmpty }
    #expect(try inForce(manual.text(enabling: outside)) == asItStands)
  }

  @Test("its examples are valid, except for absent files and keys that exclude each other") func examples() throws {
    let manual = try Manual()
    let lines = findings(manual.text(enabling: manual.entries.filter { $0.mark == .example }), scope: .hearing)
    let words = lines.map { $0.replacing(#/^config.toml:\d+:\d+: /#, with: "") }
    #expect(
      words == [
        #"key.irk "anna": key_file names a file that does not exist"#,
        #"key.irk "anna": key_file and key cannot both be given"#,
        #"key.eid "van-7": key_file names a file that does not exist"#,
        #"key.eid "van-7": key_file and key cannot both be given"#,
        #"transmit "ibeacon": id does not belong to this kind; it has uuid, major and minor"#,
        #"transmit "ibeacon": company does not belong to this kind; it has uuid, major and minor"#,
        #"transmit "ibeacon": namespace does not belong to this kind; it has uuid, major and minor"#,
        #"transmit "ibeacon": instance does not belong to this kind; it has uuid, major and minor"#,
        #"transmit "ibeacon": url does not belong to this kind; it has uuid, major and minor"#,
      ])
  }
}

extension ConfigurationManual {
  /// A key with a range, as its refusal names the ends.
  private struct Ranged {
    let entry: Manual.Entry
    let table: String
    let key: String
    let least: String
    let most: String

    func refusals(of value: String) -> [String] {
      let words = ["\(key) (\(value)) must lie between", "\(key) (\(value)) must be a whole number"]
      return findings("\(table)\(key) = \(value)\n").filter { finding in words.contains { finding.contains($0) } }
    }
  }

  private func ranged(in manual: Manual) -> [Ranged] {
    var header = manual.entries[0]
    var all: [Ranged] = []
    for entry in manual.entries {
      guard case .key(let key) = entry.line else {
        header = entry
        continue
      }
      let table = header.text + (header.text.hasPrefix("[[") ? "\nname = \"x\"\nmatch = \"*\"\n" : "\n")
      let ranges = ["-9e9", "-9000000000"].compactMap { value in
        findings(table + "\(key) = \(value)\n").compactMap { $0.firstMatch(of: #/\(-9.*\) must lie between (\S+) and (\S+)$/#) }.first
      }
      guard let range = ranges.first else { continue }
      all.append(Ranged(entry: entry, table: table, key: key, least: String(range.1), most: String(range.2)))
    }
    return all
  }

  @Test("a range in a comment is the range in the code") func ranges() throws {
    let manual = try Manual()
    let all = ranged(in: manual)
    for key in all {
      let above = manual.lines[..<key.entry.index].reversed().prefix { !$0.isEmpty }.joined(separator: " ")
      let words = "\(key.least) to \(key.most)"
      let isNamed = above.ranges(of: words).contains { !(above[$0.upperBound...].first?.isNumber ?? false) }
      #expect(isNamed, "line \(key.entry.index + 1): \(key.entry.text): \(words)")
    }
    #expect(all.count > 35)
  }

  @Test("a number is taken at both ends of its range, and refused one step beyond them") func ends() throws {
    for key in ranged(in: try Manual()) {
      let (least, most) = (try #require(Double(key.least)), try #require(Double(key.most)))
      #expect(key.refusals(of: key.least) == [] && key.refusals(of: key.most) == [], "\(key.entry.text)")
      let isWhole = key.refusals(of: key.least + ".5").contains { $0.contains("whole") }
      for value in isWhole ? ["\(Int(least) - 1)", "\(Int(most) + 1)"] : ["\(least - 0.001)", "\(most + 0.001)"] {
        #expect(key.refusals(of: value).count == 1, "\(key.key) = \(value)")
      }
    }
  }
}
