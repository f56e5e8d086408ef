import Core
import Foundation
import Testing

@testable import Host
@testable import forecourt

@Suite("setup writes the first configuration")
final class SetupTests {
  let program: Program
  init() throws { program = try Program() }
  deinit { program.remove() }

  private func setup(_ more: String...) throws -> Program.Result {
    try program.run(["setup", "--config", "new.toml", "--broker", "localhost:9", "--radio", "h4:/dev/none"] + more)
  }
  private func text(_ name: String) throws -> String { try String(contentsOf: program.folder.appending(path: name), encoding: .utf8) }

  @Test("from options alone, and check accepts it") func options() throws {
    let told = try setup(
      "--purpose", "Opens \"1\" \\ \u{1F6AA}", "--name", "g", "--site", "s", "--match", "irk:*", "--call", "Anna", "--trigger", "t",
      "--distance", "3.5")
    // No radio, and no broker: check says so.
    #expect(told.exit == 69, "\(told)")
    let written = try text("new.toml")
    for part in [#"purpose = "Opens \"1\" \\ 🚪""#, "port = 9", "fire_m = 3.5\nleave_m = 7.0\narm_m = 10.5", "[[device]]\nname = \"Anna\""] {
      #expect(written.contains(part), "\(part)")
    }
    #expect(told.error.contains("mosquitto_sub -h localhost -p 9 -v -t 'forecourt/#'"))
    #expect(try program("check", "--lint", "--config", "new.toml").exit == 0)
    #expect(!written.components(separatedBy: "\n").contains { $0.count > 140 })
    #expect(written.contains("\n# group = \"pumps\"\n"))
    #expect(try setup("--purpose", "x", "--match", "irk:*", "--group", "doors", "--force").exit == 69)
    #expect(try text("new.toml").contains("\ngroup = \"doors\"\n") && program("check", "--lint", "--config", "new.toml").exit == 0)
    #expect(try setup("--purpose", "x", "--match", "peer:BC00BD17", "--force").exit == 69)
    #expect(try text("new.toml").contains("\n[peer]\n") && program("check", "--lint", "--config", "new.toml").exit == 0)
    #expect(try text("new.toml").contains("\nidentify = true\n"))
    for (distance, hasMore) in [("2.7", false), ("2.8", true), ("2.9", true), ("3", true)] {
      #expect(try setup("--purpose", "x", "--match", "irk:*", "--distance", distance, "--force").exit == 69)
      #expect(try text("new.toml").contains("leave_m") == hasMore, "\(distance)")
      let told = try program("check", "--lint", "--config", "new.toml")
      #expect(!(told.out + told.error).contains("leave_m"), "nothing is wrong with what it wrote: \(told)")
    }
  }

  @Test("a service that it has stopped is started again when it ends early, or its last sentence says how") func stopped() {
    let service = StoppedService()
    var lines: [String] = []
    func said(runs: Bool = false, _ isStarted: Bool = true) -> String? {
      service.startedAgain(runs: runs) {
        lines.append($0)
        return isStarted
      }
    }
    service.record("systemctl mask --now bluetooth")
    #expect(said() == nil)
    service.record("systemctl stop forecourt")
    service.record("rfkill unblock bluetooth")
    #expect(said(runs: true) == nil && lines == [], "somebody was faster")
    let start = Shell.written("systemctl start forecourt")
    #expect(said() == "forecourt.service is started again." && lines == [start])
    #expect(said(false)?.hasSuffix("; start it again: " + start) == true)
    service.leave()
    #expect(said() == nil)
  }

  @Test("what to type next names the broker, whatever its address looks like") func brokers() throws {
    for (answer, words) in [
      ("[::1]:1884", "-h ::1 -p 1884 -v"), ("fe80::1", "-h fe80::1 -v"), ("till", "-h till -v"), ("10.0.0.2:9", "-h 10.0.0.2 -p 9 -v"),
    ] {
      let told = try program.run([
        "setup", "--config", "new.toml", "--force", "--radio", "h4:/dev/none", "--purpose", "x", "--match", "irk:*", "--broker", answer,
      ])
      #expect(told.exit == 69 && told.error.contains("mosquitto_sub \(words)"), "\(told.error)")
    }
  }

  @Test("where no file can be made nothing is asked") func nowhere() throws {
    let told = try program.run(["setup", "--config", "none/new.toml"])
    #expect(told.exit == 1 && told.out.isEmpty)
    #expect(told.error == "forecourt setup: none/new.toml cannot be written: its folder does not exist\n", "\(told.error)")
  }

  @Test("without a terminal it names the first option that is missing, or wrong, and writes nothing") func refused() throws {
    #expect(try setup("--match", "*").error.contains("--purpose is missing"))
    #expect(try setup("--purpose", "x").error.contains("--match is missing"))
    let wrong = [
      ("--match", "ibeacon", "match"), ("--distance", "1,5", "metres"), ("--name", "a/b", "name"), ("--site", "+", "site"),
      ("--broker", "a:b", "HOST:PORT"), ("--broker", "a:99999", "port"), ("--call", "#", "name"), ("--trigger", "", "--trigger"),
      ("--radio", "hci", "adapter"), ("--distance", "0", "fire_m"), ("--purpose", " ", "purpose"), ("--group", "a/b", "group"),
    ]
    for (option, value, part) in wrong {
      let all = ["--purpose": "x", "--match": "*"].merging([option: value]) { $1 }
      let told = try program.run(["setup", "--config", "new.toml"] + all.flatMap { [$0.key, $0.value] })
      #expect(told.exit == 64 && told.error.contains(part), "\(option) \(value): \(told.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: program.folder.appending(path: "new.toml").path))
  }

  @Test("what most people keep is offered: the trigger has the gateway's name") func standards() {
    var answers = SetupAnswers()
    #expect(
      SetupQuestion.all.map { $0.standard(answers) } == ["hci0", nil, "gateway", "site", "localhost", nil, "", "gateway", "1.5", ""])
    answers[.name] = "pump-3"
    #expect(SetupQuestion.trigger.standard(answers) == "pump-3" && answers.inForce(.trigger) == "pump-3")
    #expect(answers.inForce(.purpose).isEmpty && answers.inForce(.site) == "site")
  }

  @Test("only what is wrong speaks against an answer, each fault once, and not what may be meant so") func faults() {
    var answers = SetupAnswers()
    answers[.device] = "irk:*"
    #expect(answers.faults(of: .distance, "1.5") == [])
    let wrong = answers.faults(of: .distance, "0")
    #expect(wrong.count == 1 && wrong[0].contains("fire_m"), "\(wrong)")
    #expect(answers.faults(of: .distance, "66") == [])
    for answer in ["66.1", "100", "200"] { #expect(answers.faults(of: .distance, answer) == ["(\(answer)) must be at most 66 m"]) }
    (answers[.distance], answers[.name], answers[.trigger]) = ("0.4", "a/b", "t")
    let refusal = #expect(throws: Configuration.Refusal.self) { try answers.configuration() }
    #expect(refusal?.findings.contains { $0.severity != .error } == true, "what may be meant so was found, too")
    #expect(answers.faults(of: .site, "s").count == 1, "the name's fault alone")
    (answers[.name], answers[.trigger]) = (nil, nil)
    #expect(answers.faults(of: .name, "a/b").count == 1 && answers.faults(of: .trigger, "a/b").count == 1)
    #expect(SetupQuestion.name.told("name (\"a/b\") must") == "name (\"a/b\") must" && SetupQuestion.site.told("name x") == "site name x")
  }

  @Test("of several adapters the one that was chosen is named by its address, which a restart does not change") func several() throws {
    func found(_ number: UInt16, _ address: UInt64?) -> KernelAdapter.Found {
      KernelAdapter.Found(number: number, address: address.map { Address($0, type: 0) })
    }
    func radio(_ machine: [KernelAdapter.Found], _ answer: String) throws -> (name: String, adapter: String) {
      var answers = SetupAnswers(machine)
      answers[.radio] = answer
      #expect(answers.faults(of: .radio, answer) == [])
      let read = try answers.configuration()
      return (String(read.core.radios[0].name), read.host.adapters[0].written)
    }
    let two = [found(0, 0xAABB_CCDD_EE00), found(1, 0xAABB_CCDD_EE01)]
    #expect(try radio(two, "hci1") == ("radio", "AA:BB:CC:DD:EE:01"))
    #expect(try radio([two[1]], "hci1") == ("hci1", "hci1"), "of one there is nothing to swap")
    #expect(try radio(two, "tcp:a:1") == ("radio", "tcp:a:1"))
    #expect(try radio(two, "hci2") == ("hci2", "hci2"), "one that is not there yet")
    #expect(try radio([two[0], found(1, nil)], "hci1") == ("hci1", "hci1"), "an adapter without an address")
    #expect(try radio([two[0], found(1, 0xAABB_CCDD_EE00)], "hci1") == ("hci1", "hci1"), "two that were sold with one address")
  }

  @Test("it does not wait for a fire at a radio that cannot be used, and says why") func unheard() throws {
    let begun = ContinuousClock.now
    for radio in ["tcp:127.0.0.1:9", "h4:/dev/none"] {
      let told = try program.run([
        "setup", "--config", "new.toml", "--force", "--radio", radio, "--purpose", "x", "--match", "*", "--broker", "localhost:9",
        "--seconds", "60",
      ])
      #expect(told.exit == 69 && told.error.contains("new.toml is written") && told.error.contains("forecourt: \(radio)"), "\(told)")
    }
    #expect(ContinuousClock.now - begun < .seconds(50))
  }

  @Test("a path is written so that it leads to the same file from the configuration's folder") func placed() throws {
    try program.write("visit.toml", "duration_s = 1\ngateway = [{ name = \"pump-1\", at_m = [0, 0] }]\n")
    try FileManager.default.createDirectory(at: program.folder.appending(path: "site"), withIntermediateDirectories: false)
    let told = try program.run([
      "setup", "--config", "site/new.toml", "--radio", "simulate:visit.toml", "--purpose", "x", "--match", "*", "--broker", "localhost:9",
      "--seconds", "1",
    ])
    let written = try text("site/new.toml")
    #expect(written.contains("/visit.toml\"") && written.contains("adapter = \"simulate:/"), "\(told)")
    #expect(!(told.out + told.error).contains("toml does not exist"), "\(told)")
  }

  @Test("where nobody watches it ends as check does of the same file") func checked() throws {
    let told = try setup("--purpose", "x", "--match", "*")
    let check = try program("check", "--config", "new.toml")
    #expect(told.exit == check.exit && check.exit == 69, "\(told) \(check)")
  }

  @Test("a file that is there is replaced only with --force, and kept") func replaced() throws {
    try program.write("new.toml", "mine")
    let told = try setup("--purpose", "x", "--match", "*")
    #expect(told.exit == 64 && told.error.contains("--force"))
    #expect(try text("new.toml") == "mine")
    #expect(chmod(program.folder.appending(path: "new.toml").path, 0o600) == 0)
    #expect(try setup("--purpose", "x", "--match", "*", "--force").exit == 69)
    #expect(try text("new.toml").contains("match = \"*\""))
    #expect(try text("new.toml.old") == "mine")
    #expect(try File(reading: program.folder.appending(path: "new.toml.old").path, atMost: 9).mode == 0o600, "nobody else read it before")
    let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
    #expect(Set(names) == ["new.toml", "new.toml.old"], "\(names)")
  }

  @Test("it waits for the first fire, and says what it saw") func fire() throws {
    try program.write(
      "site.toml", TuningTests.site.replacing("stand_s = 10", with: "stand_s = 4").replacing("takes_s = 8", with: "takes_s = 4"))
    let told = try program(
      "setup", "--config", "new.toml", "--radio", "simulate:site.toml", "--purpose", "x", "--match", TuningTests.anna,
      "--broker", "localhost:9", "--seconds", "45")
    #expect(told.exit == 69 && told.error.contains("  fire       {") && told.error.contains("It works."), "\(told)")
  }
}

@Suite("What stays true of a device tomorrow") struct LastingSelectorTests {
  private func all(_ id: String, stays: Bool? = nil) throws -> [String] {
    let text = Text<128>(id)
    return LastingSelector.all(for: try Identity(written: text.bytes), addressStays: stays).map { $0.selector }
  }

  @Test("ids that somebody chose do; an address only if it is public or static") func kinds() throws {
    let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    #expect(try all("irk:anna") == ["irk:anna"])
    #expect(try all("eid:van") == ["eid:van"])
    #expect(try all("peer:BC00BD17") == ["peer:BC00BD17", "peer:*"])
    #expect(try all("ibeacon:\(uuid):7:1") == ["ibeacon:\(uuid):7:1", "ibeacon:\(uuid):7:*", "ibeacon:\(uuid):*"])
    #expect(
      try all("eddystone:00112233445566778899:aabbccddeeff") == [
        "eddystone:00112233445566778899:aabbccddeeff", "eddystone:00112233445566778899:*",
      ])
    let address = "c0:11:22:33:44:55"
    #expect(try all("address:\(address)", stays: true) == ["address:\(address)"])
    #expect(try all("address:\(address)", stays: false) == [] && all("address:\(address)") == [])
    #expect(try all("name:a@b@\(address)", stays: false) == ["name:a@b@*"])
    #expect(try all("service:\(uuid)@\(address)", stays: true) == ["address:\(address)", "service:\(uuid)@*"])
    for id in ["irk:a", "peer:BC00BD17", "ibeacon:\(uuid):7:1", "name:a@\(address)", "service:\(uuid)@\(address)", "address:\(address)"] {
      for selector in try all(id, stays: true) {
        let text = Text<160>(selector)
        #expect((try? Selector(written: text.bytes)) != nil, "\(selector)")
      }
    }
  }
}
