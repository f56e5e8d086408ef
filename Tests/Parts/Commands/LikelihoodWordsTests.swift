import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

/// What a plan made of a device, from likelihoods made in place: what real ones are changes with the plan's constants.
@Suite("likelihoods in words and areas") struct LikelihoodWordsTests {
  private func likelihood(_ at: Double, _ here: Float, _ rival: Float, _ name: Name = Name("east")) -> Likelihood {
    Likelihood(here: here, rival: rival, elsewhere: 1 - here - rival, rivalName: name, receivers: 3, at: .zero + .seconds(at))
  }

  @Test("each place counts for as long as it was the likeliest, four seconds at most without a word; ties are here") func counted() {
    var record = LikelihoodRecord()
    #expect(record.words == "" && record.receivers == 0 && record.takeChange(isBrief: false) == nil)
    for (at, here, rival) in [(1, 0.8, 0.1), (1, 0, 1), (3, 0.4, 0.4), (4.5, 0.2, 0.5), (5.5, 0.1, 0.3), (15, 0.9, 0.1)]
      as [(Double, Float, Float)]
    {
      record.observe(likelihood(at, here, rival))
    }
    #expect(record.places == ["here", "east", "elsewhere"] && record.seconds == [3.5, 1, 4] && record.receivers == 3)
    #expect(record.words == "elsewhere 4.0 s, here 3.5 s, east 1.0 s")
    record.observe(nil)
    record.observe(likelihood(20, 0, 1))
    #expect(record.seconds == [3.5, 1, 4] && record.receivers == 3, "nothing is known while nothing is said")
  }

  @Test("a line for each share that changes by a tenth; if brief, for each place that becomes likelier than all others together")
  func lines() {
    func lines(_ isBrief: Bool, _ steps: [(Float, Float)]) -> [String?] {
      var record = LikelihoodRecord()
      return steps.enumerated().map { index, step in
        record.observe(likelihood(Double(index + 1), step.0, step.1))
        let line = record.takeChange(isBrief: isBrief)
        #expect(record.takeChange(isBrief: isBrief) == nil, "once")
        return line
      }
    }
    let steps: [(Float, Float)] = [(0.5, 0.25), (0.5625, 0.25), (0.625, 0.25), (0.625, 0.125), (0.25, 0.625), (0.3, 0.5), (0.125, 0.125)]
    #expect(
      lines(false, steps) == [
        "here 50 %, east 25 %, elsewhere 25 %", nil, "here 63 %, east 25 %, elsewhere 13 %", "here 63 %, elsewhere 25 %, east 13 %",
        "east 63 %, here 25 %, elsewhere 13 %", "east 50 %, here 30 %, elsewhere 20 %", "elsewhere 75 %, here 13 %, east 13 %",
      ])
    #expect(
      lines(true, steps) == [
        nil, nil, "here 63 %, east 25 %, elsewhere 13 %", nil, "east 63 %, here 25 %, elsewhere 13 %", nil,
        "elsewhere 75 %, here 13 %, east 13 %",
      ])
    var nameless = LikelihoodRecord()
    nameless.observe(likelihood(1, 0.75, 0, Name()))
    #expect(nameless.takeChange(isBrief: false) == "here 75 %, elsewhere 25 %")
  }

  private func shares(_ steps: [(Double, Float, Float, String)]) -> ReportShares {
    var shares = ReportShares(0)
    for (at, here, rival, name) in steps { shares.observe(likelihood(at, here, rival, Name(name))) }
    return shares
  }

  @Test("a judgement lasts until the next one, or four seconds; rivals are named once") func judgements() {
    let shares = shares([(1, 0.5, 0.25, "east"), (1, 0, 0, "x"), (3, 0.75, 0, ""), (9, 0.25, 0.5, "east"), (10, 0.25, 0.5, "north")])
    #expect(shares.rivals == ["east", "", "north"])
    #expect(
      shares.judgements.map { "\($0.at)-\($0.end) \($0.here) \($0.rival) \($0.name)" } == [
        "1.0-3.0 0.5 0.25 0", "3.0-7.0 0.75 0.0 1", "9.0-10.0 0.25 0.5 0", "10.0-14.0 0.25 0.5 2",
      ])
  }

  private func written(_ body: (inout ReportPage) -> Void) throws -> [String] {
    let program = try Program()
    defer { program.remove() }
    let path = program.folder.appending(path: "page").path
    var page = try ReportPage(creating: path, force: false)
    body(&page)
    #expect(page.close() == 0)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("the band: each place's area from the bottom up, its name where there is room, and the trigger's own events") func band() throws {
    let shares = shares([
      (0, 0.5, 0.25, "east"), (4, 0.75, 0.125, "east"), (8, 0.125, 0.25, "north"), (12, 0.25, 0.625, "north"), (20, 0.5, 0, ""),
    ])
    let time = ReportTime(seconds: 40, epoch: nil)
    let events = [("pump <1>", "fire"), ("till", "fire")].enumerated().map { index, event in
      ("e0-\(index)", ReportRun.Event(at: 5, trigger: event.0, name: event.1, reason: "", identity: ""))
    }
    let lines = try written { ReportBand(shares, "pump <1>", time).write(events, to: &$0) }
    #expect(
      lines == [
        "<svg class=\"shares\" role=\"img\" aria-label=\"How likely each place was, as pump &lt;1&gt; had it\">",
        "<svg viewBox=\"0 0 960 84\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
        "<path class=\"rest\" d=\"M0.00 80V20.0H96.00V20.0H192.00V20.0H288.00V20.0H384.00V80ZM480.00 80V20.0H576.00V80Z\"/>",
        "<path class=\"rival v0\" d=\"M0.00 80V35.0H96.00V27.5H192.00V80Z\"/>",
        "<path class=\"rival v1\" d=\"M192.00 80V57.5H288.00V27.5H384.00V80Z\"/>",
        "<path class=\"here\" d=\"M0.00 80V50.0H96.00V35.0H192.00V72.5H288.00V65.0H384.00V80ZM480.00 80V50.0H576.00V80Z\"/>",
        "<path class=\"event fire\" d=\"M120.00 16V80\"/>", "</svg>",
        "<text class=\"label middle d0\" x=\"10.00%\" y=\"65\">here</text>",
        "<text class=\"label middle d2\" x=\"25.00%\" y=\"43\">elsewhere</text>",
        "<text class=\"label middle d1\" x=\"35.00%\" y=\"50\">north</text>",
        "<text class=\"label middle d0\" x=\"55.00%\" y=\"69\">here</text>", "</svg>",
      ])
    // A gap of a fiftieth interrupts no name; what is thinner than a column is not drawn.
    let thin = self.shares([(0, 0.75, 0, ""), (5, 0.75, 0, ""), (9, 0, 0.75, "east"), (9.001, 0.75, 0, "")])
    let drawn = try written { ReportBand(thin, "pump", ReportTime(seconds: 50, epoch: nil)).write([], to: &$0) }
    #expect(drawn.count { $0.contains(">here<") } == 1 && !drawn.contains { $0.contains("rival") || $0.contains("east") }, "\(drawn)")
    let apart = try written { ReportBand(thin, "pump", ReportTime(seconds: 49, epoch: nil)).write([], to: &$0) }
    #expect(apart.count { $0.contains(">here<") } == 2, "\(apart)")
    // The last judgement lasts longer than the page: its name stands in what is seen of it.
    let last = try written { ReportBand(thin, "pump", ReportTime(seconds: 10, epoch: nil)).write([], to: &$0) }
    #expect(last.suffix(2) == ["<text class=\"label middle d0\" x=\"75.00%\" y=\"62\">here</text>", "</svg>"], "\(last)")
    let title = try written { ReportBand.writeTitle("a & b", below: 300, to: &$0) }
    #expect(
      title == [
        "<text class=\"label\" x=\"40\" y=\"314\">a &amp; b: how likely each place is</text>",
        "<text class=\"end\" x=\"34\" y=\"330\">100%</text>", "<text class=\"end\" x=\"34\" y=\"380\">0</text>",
      ])
  }

  @Test("what is no letter of ours becomes text in a page") func html() {
    #expect(forecourt.html("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;" && forecourt.html("1\n2\t3") == "1\n2\t3")
    for scalar in [0, 0x1F, 0x7F, 0x80, 0x9F, 0x202A, 0x202E, 0x2066, 0x2069] as [UInt32] {
      #expect(forecourt.html("x\(Unicode.Scalar(scalar)!)y") == "x\u{FFFD}y", "\(scalar)")
    }
    for scalar in [0x20, 0x7E, 0xA0, 0x2029, 0x202F, 0x2065, 0x206A, 0x1F6AA] as [UInt32] {
      #expect(forecourt.html("\(Unicode.Scalar(scalar)!)") == "\(Unicode.Scalar(scalar)!)", "\(scalar)")
    }
  }
}
