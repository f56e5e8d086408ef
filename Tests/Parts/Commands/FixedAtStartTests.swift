import Core
import Testing

@testable import Host
@testable import forecourt

@Suite("a command gets the configuration that applies")
final class FixedAtStartTests {
  let program: Program
  init() throws { program = try Program() }
  deinit { program.remove() }

  private func configuration(_ text: String, _ arguments: String...) throws -> Configuration {
    try program.write("config.toml", "gateway.purpose = \"told\"\n" + text)
    let command = Command(name: "run", summary: "", description: [], options: [.config, .radio], run: { _ in })
    let file = program.folder.appending(path: "config.toml").path
    return try Invocation(command, ["--config", file] + arguments, Output()).configuration(.whole)
  }

  static let two = """
    [[radio]]
    name = "left"
    mode = "raw"
    receive_offset_db = 3
    [[radio]]
    name = "right"
    adapter = "hci1"
    [[trigger]]
    name = "a"
    match = "*"
    radio = "left"
    [[trigger]]
    name = "b"
    match = "*"
    radio = "right"
    """

  @Test("without --radio the file's radios apply") func asWritten() throws {
    let configuration = try configuration(Self.two)
    #expect(configuration.core.radios.count == 2 && configuration.host.adapters.count == 2)
    #expect(configuration.core.triggers[0].radio == 0 && configuration.core.triggers[1].radio == 1)
  }

  @Test("--radio puts another adapter in the only radio's place, or of several in the first one's in a rehearsal") func replaced() throws {
    let real = try configuration("[[radio]]\nname = \"left\"\nmode = \"raw\"\nreceive_offset_db = 3", "--radio", "hci7")
    #expect(real.core.radios.count == 1 && real.host.adapters.count == 1)
    #expect(real.core.radios[0].name == Name("left") && real.core.radios[0].receiveOffset == Decibels(3))
    #expect(!real.core.gateway.simulated)
    guard case .hci(.number(7), .raw) = real.host.adapters[0] else {
      Issue.record("\(real.host.adapters)")
      return
    }
    #expect(throws: Exit.usage, "a real fire at the wrong place") { _ = try configuration(Self.two, "--radio", "hci7") }
    let rehearsal = try configuration(Self.two, "--radio", "capture:walk.btsnoop")
    #expect(rehearsal.core.gateway.simulated)
    guard case .capture("walk.btsnoop") = rehearsal.host.adapters[0] else {
      Issue.record("\(rehearsal.host.adapters)")
      return
    }
    #expect(try !configuration("radio = [{ name = \"r\", adapter = \"simulate:x\" }]", "--radio", "hci0").core.gateway.simulated)
  }

  @Test("each error gives its exit code") func wrong() throws {
    #expect(throws: Exit.usage) { _ = try configuration("", "--radio", "hci") }
    #expect(throws: Exit.configuration) { _ = try configuration("[log]\nlevel = \"loud\"\n") }
  }

  @Test("keys that a reload cannot change are named as the file writes them; all others can change") func fixed() throws {
    let peer = "[peer]\nidentify = true\n"
    let beacon = "[[transmit]]\nkind = \"eddystone-url\"\nurl = \"https://a.com\"\n"
    let radio = "[[radio]]\nname = \"r\"\nadapter = \"hci0\"\n"
    func changed(_ before: String, _ after: String) throws -> String? {
      let old = try configuration(before)
      return try configuration(after).changeFixedAtStart(from: old.core, old.host).map { "\($0)" }
    }
    let whole = radio + peer + beacon
    #expect(try changed(whole, whole) == nil)
    #expect(try changed(whole, whole + "[publish]\ninterval_s = 3\n") == nil)
    for (other, key) in [
      ("", "identify"), ("[peer]\n", "identify"), (peer + "hold = true\n", "hold"), (peer + "serve = true\n", "serve"),
      (peer + "service = \"\(Self.other)\"\n", "service"), (peer + "id_prefix = \"bbbbbbbb-bbbb-bbbb-bbbb-bbcd\"\n", "id_prefix"),
    ] {
      #expect(try changed(whole, radio + other + beacon) == "peer.\(key) is")
    }
    let serving = radio + peer + "serve = true\n"
    #expect(try changed(serving, serving + "id_file = \"elsewhere\"\n") == "peer.id_file is")
    for other in [
      "", beacon + beacon, beacon + "tx_power_dbm = 4\n", beacon.replacing("a.com", with: "b.com"), beacon + "interval_ms = 200\n",
    ] {
      #expect(try changed(whole, radio + peer + other) == "[[transmit]] is")
    }
    #expect(try changed(whole, whole.replacing("hci0", with: "hci1")) == "the radios' adapters are")
    for (other, key) in [
      ("scan = \"passive\"", "scan"), ("interval_ms = 50", "interval_ms"), ("window_ms = 50", "window_ms"),
      ("phys = [\"1m\", \"coded\"]", "phys"),
    ] {
      #expect(try changed(whole, radio + other + "\n" + peer + beacon) == "radio.\(key) is")
    }
    #expect(try changed(radio, radio + "mode = \"raw\"\n") == "radio.mode is")
    #expect(try changed(radio, radio.replacing("r\"", with: "s\"")) == "radio.name is")
    #expect(try changed(radio, radio + "receive_offset_db = 3\n") == nil)
    #expect(
      try changed(whole, radio + radio.replacing("r\"", with: "s\"").replacing("hci0", with: "hci1") + peer + beacon) == "[[radio]] is")
    #expect(try changed(whole, "gateway.devices = 100\n" + whole) == "gateway.devices is")
    #expect(try changed(whole, "gateway.name = \"p2\"\n" + whole) == "gateway.name is")
    #expect(try changed(whole, "gateway.site = \"east\"\n" + whole) == "gateway.site is")
    #expect(try changed(whole, whole + "[mqtt]\nprefix = \"cars\"\n") == "mqtt.prefix is")
  }

  @Test("daily pseudonyms need the salt of the start: none is published under a guessable one") func salt() throws {
    func changed(_ before: String, _ after: String) throws -> String? {
      let old = try configuration("[privacy]\n" + before)
      return try configuration("[privacy]\n" + after).changeFixedAtStart(from: old.core, old.host).map { "\($0)" }
    }
    let hash = "unknown = \"hash\"\n"
    #expect(try changed("", hash) == "privacy.unknown = \"hash\" is")
    #expect(try changed("unknown = \"publish\"", hash) == "privacy.unknown = \"hash\" is")
    #expect(try changed(hash, hash + "salt_file = \"elsewhere\"") == "privacy.salt_file is")
    #expect(
      try changed(hash, hash) == nil && changed(hash, "unknown = \"publish\"") == nil && changed("", "salt_file = \"elsewhere\"") == nil)
  }

  private static let other = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa7"
}
