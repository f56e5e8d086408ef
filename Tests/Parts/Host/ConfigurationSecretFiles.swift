import Core
import Foundation
import Testing

@testable import Host

/// A folder of its own, gone when the test is over.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "forecourt-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ content: [UInt8], mode: Int = 0o600) -> String {
    let file = path + "/" + name
    _ = FileManager.default.createFile(atPath: file, contents: Data(content), attributes: [.posixPermissions: mode])
    return file
  }

  func write(_ name: String, _ text: String, mode: Int = 0o600) -> String { write(name, Array(text.utf8), mode: mode) }
}

/// The tests run as root in CI and as another user on a desk: the rule and the remedy depend on the owner.
private let isRoot = getuid() == 0

@Suite("secrets come from files that nobody else can read")
struct ConfigurationSecretFiles {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func lines(_ toml: String, mode: Int = 0o600, scope: ConfigurationText.Scope = .whole) throws -> [String] {
    let path = folder.write("config.toml", shortest + toml, mode: mode)
    return found(try ConfigurationText(reading: path, scope: scope)).map {
      $0.line(in: "config.toml").replacingOccurrences(of: folder.path, with: "FOLDER")
    }
  }

  private func configuration(_ toml: String) throws -> Configuration {
    try Configuration(reading: try ConfigurationText(reading: folder.write("config.toml", shortest + toml)))
  }

  static let irk = "ec0234a357c8ad05341010a60a397d9b"
  static let bytes: [UInt8] = [0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B]

  @Test("a key file holds digits, digits with colons, or the bytes; its path is relative to the configuration")
  func keyFiles() throws {
    folder.write("digits", Array((Self.irk + "\n").utf8))
    folder.write("colons", Array("EC:02:34:A3:57:C8:AD:05:34:10:10:A6:0A:39:7D:9B\r\n".utf8))
    folder.write("bytes", Self.bytes)
    let names = ["digits", "colons", "bytes", folder.path + "/bytes"]
    let tables = names.enumerated().map { "[[key.irk]]\nalias = \"a\($0)\"\nkey_file = \"\($1)\"\n" }
    let configuration = try configuration(tables.joined() + "[[key.eid]]\nalias = \"e\"\nkey_file = \"bytes\"\nexponent = 9\nclock = 7\n")
    #expect(configuration.core.keys.count == 5)
    for index in configuration.core.keys.indices { #expect((0..<16).map { configuration.core.keys[index].key[$0] } == Self.bytes) }
  }

  @Test("a password file without its line's end, certificates, and the signing key")
  func passwords() throws {
    folder.write("password", Array("s3cret\n".utf8))
    folder.write("ca", [1], mode: 0o644)
    folder.write("crt", [2], mode: 0o644)
    folder.write("key", [3])
    folder.write("pem", Array(String(EventSignerTests.key("w")).utf8))
    let configuration = try configuration(
      """
      [mqtt]
      username = "u"
      password_file = "password"
      tls_ca = "ca"
      tls_cert = "crt"
      tls_key = "key"
      tls_insecure = true
      [security]
      signing_key_file = "pem"
      """)
    #expect(String(configuration.host.broker.password) == "s3cret")
    #expect(String(configuration.host.broker.authorities) == folder.path + "/ca")
    #expect(String(configuration.host.broker.certificate) == folder.path + "/crt")
    #expect(String(configuration.host.broker.key) == folder.path + "/key")
    #expect(configuration.host.broker.isInsecure)
    #expect(configuration.host.signingKey == Array(String(EventSignerTests.key("w")).utf8))
  }

  @Test("a private key with a pass phrase is refused in both its forms: nobody could type it") func passPhrase() throws {
    folder.write("ca", [1], mode: 0o644)
    for (name, head) in [("new", "BEGIN ENCRYPTED PRIVATE KEY-----"), ("old", "BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED")] {
      _ = folder.write(name, "-----" + head)
      let words = "(FOLDER/\(name)) has a pass phrase, which nobody is there to type: openssl pkey -in FOLDER/\(name) -out new.pem"
      let found = try lines("[mqtt]\ntls_ca = \"ca\"\ntls_cert = \"ca\"\ntls_key = \"\(name)\"\n")
      #expect(found == ["config.toml:5:1: mqtt: tls_key \(words)"])
    }
  }

  @Test(
    "a password for another machine without TLS is warned of",
    arguments: [("broker.example", true), ("192.168.1.5", true), ("localhost", false), ("127.0.0.2", false), ("::1", false)])
  func plain(host: String, isWarned: Bool) throws {
    folder.write("password", Array("s3cret".utf8))
    let login = "[mqtt]\nhost = \"\(host)\"\nusername = \"u\"\npassword_file = \"password\"\n"
    #expect(try lines(login) == (isWarned ? ["config.toml:5:1: warning: mqtt: password_file goes out in clear: set tls_ca"] : []))
    #expect(try lines(login + "tls_ca = \"/\"\n") == [])
  }

  @Test("the site's key has 32 bytes or 64 digits; there may be two, the first is ours") func siteKeys() throws {
    let (old, new) = (Array(UInt8(1)...32), Array(UInt8(0xE0)...0xFF))
    folder.write("bytes", old)
    folder.write("digits", new.map { String($0, radix: 16) }.joined() + "\n")
    for (files, keys) in [("\"bytes\"", [old]), ("[\"digits\"]", [new]), ("[\"digits\", \"bytes\"]", [new, old])] {
      let configuration = try configuration("[security]\nsite_key_file = \(files)\n")
      var wanted = SiteProof()
      for key in keys { wanted.append(key) }
      #expect(configuration.host.siteKeys == wanted && configuration.core.site.isAuthenticated, "\(files)")
    }
    let without = try configuration("")
    #expect(without.host.siteKeys.isEmpty && !without.core.site.isAuthenticated)
  }

  @Test("a site's key of another length, one of equal bytes, none, and three are refused") func wrongSiteKeys() throws {
    for (name, length) in [("31", 31), ("33", 33), ("0", 0)] { folder.write(name, [UInt8](repeating: 0xAA, count: length)) }
    for (name, length) in [("62", 62), ("63", 63), ("66", 66)] { folder.write(name, String(repeating: "a", count: length)) }
    folder.write("good", Array(UInt8(1)...32))
    for name in ["31", "33", "0", "62", "63", "66"] {
      #expect(
        try lines("[security]\nsite_key_file = [\"\(name)\", \"good\"]\n") == [
          "config.toml:3:18: security: site_key_file must hold 32 bytes, or 64 hexadecimal digits: openssl rand -hex 32"
        ], "\(name)")
    }
    folder.write("zeros", [UInt8](repeating: 0, count: 32))
    folder.write("ones", String(repeating: "1", count: 64))
    for name in ["zeros", "ones"] {
      #expect(
        try lines("[security]\nsite_key_file = [\"good\", \"\(name)\"]\n") == [
          "config.toml:3:26: security: site_key_file is no secret: its bytes are all equal"
        ], "\(name)")
    }
    for files in ["[]", "[\"good\", \"good\", \"good\"]"] {
      #expect(
        try lines("[security]\nsite_key_file = \(files)\n") == [
          "config.toml:3:1: security: site_key_file must name one file, or two while a new key takes the place of the old one"
        ])
    }
    #expect(
      try lines("[security]\nsite_key_file = [\"none\", \"good\"]\n") == [
        "config.toml:3:1: security: site_key_file names a file that does not exist"
      ])
  }

  @Test("a file that others can read is refused, with the chmod") func exposed() throws {
    folder.write("open", Array(Self.irk.utf8), mode: 0o644)
    folder.write("my key", Array(Self.irk.utf8), mode: 0o604)
    let toml = """
      [[key.irk]]
      alias = "a"
      key_file = "open"
      [[key.irk]]
      alias = "b"
      key_file = "my key"
      [mqtt]
      username = "u"
      password_file = "open"
      tls_ca = "open"
      tls_cert = "open"
      tls_key = "open"
      """
    #expect(
      try lines(toml) == [
        #"config.toml:4:1: key.irk "a": key_file (FOLDER/open) can be read by others (mode 0644); run: chmod 600 FOLDER/open"#,
        #"config.toml:7:1: key.irk "b": key_file (FOLDER/my key) can be read by others (mode 0604); run: chmod 600 'FOLDER/my key'"#,
        "config.toml:10:1: mqtt: password_file (FOLDER/open) can be read by others (mode 0644); run: chmod 600 FOLDER/open",
        "config.toml:13:1: mqtt: tls_key (FOLDER/open) can be read by others (mode 0644); run: chmod 600 FOLDER/open",
      ])
  }

  @Test("a file's group may read it only if root owns it") func group() throws {
    folder.write("shared", Array(String(EventSignerTests.key("w")).utf8), mode: 0o640)
    #expect(try lines("[security]\nsigning_key_file = \"shared\"").isEmpty == isRoot)
  }

  @Test("files that are missing, empty, folders, too long or of the wrong length are named") func unreadable() throws {
    folder.write("empty", [UInt8]())
    folder.write("short", Array("ec02".utf8))
    folder.write("zero", [0x61, 0x00])
    folder.write("long", [UInt8](repeating: 0x61, count: 70_000))
    let toml = """
      [[key.irk]]
      alias = "a"
      key_file = "short"
      [[key.irk]]
      alias = "b"
      key_file = "none"
      [[key.irk]]
      alias = "c"
      key_file = "."
      [[key.irk]]
      alias = "d"
      key_file = "long"
      [mqtt]
      username = "u"
      password_file = "empty"
      [security]
      signing_key_file = "empty"
      """
    #expect(
      try lines(toml) == [
        #"config.toml:4:1: key.irk "a": key_file must hold 16 bytes: 32 hexadecimal digits"#,
        #"config.toml:7:1: key.irk "b": key_file names a file that does not exist"#,
        #"config.toml:10:1: key.irk "c": key_file (FOLDER/.) is a folder, not a file"#,
        #"config.toml:13:1: key.irk "d": key_file (FOLDER/long) is longer than the 65536 bytes that are read"#,
        "config.toml:16:1: mqtt: password_file holds no password",
        "config.toml:18:1: security: signing_key_file holds no Ed25519 key: make one with openssl genpkey -algorithm ed25519",
      ])
    #expect(
      try lines("mqtt.username = \"u\"\nmqtt.password_file = \"zero\"") == [
        "config.toml:3:6: mqtt: password_file holds a zero byte; a password is text"
      ])
  }

  @Test("what would be cut is refused: a password, a login, a host, a path") func tooLong() throws {
    folder.write("password", Array(String(repeating: "p", count: 256).utf8))
    folder.write("key", Array(String(repeating: "k", count: 600).utf8))
    let long = String(repeating: "a", count: 254)
    let toml = """
      [mqtt]
      host = "\(long)"
      username = "\(long.prefix(65))"
      password_file = "password"
      [outbox]
      path = "\(long)/o"
      [security]
      signing_key_file = "key"
      """
    #expect(
      try lines(toml) == [
        "config.toml:3:1: mqtt: host is longer than 253 bytes", "config.toml:4:1: mqtt: username is longer than 64 bytes",
        "config.toml:5:1: mqtt: password_file is longer than 255 bytes",
        "config.toml:5:1: warning: mqtt: password_file goes out in clear: set tls_ca",
        "config.toml:7:1: outbox: path is longer than 255 bytes",
        "config.toml:9:1: security: signing_key_file holds no Ed25519 key: make one with openssl genpkey -algorithm ed25519",
      ])
    folder.write("password", Array(String(repeating: "p", count: 255).utf8))
    let login = "host = \"\(long.dropLast())\"\nusername = \"\(long.prefix(64))\"\npassword_file = \"password\""
    #expect(try lines("[mqtt]\ntls_ca = \"/\"\n" + login) == [])
  }

  @Test("a key in the configuration makes the configuration a secret; no message repeats the key") func inline() throws {
    let toml = "[[key.irk]]\nalias = \"a\"\nkey = \"\(Self.irk)\"\n"
    #expect(try lines(toml) == [])
    let chmod = "run: chmod 600 FOLDER/config.toml, or use key_file"
    #expect(
      try lines(toml, mode: 0o644) == [#"config.toml:4:1: key.irk "a": key stands in a file that others can read (mode 0644); "# + chmod])
    #expect(try lines("", mode: 0o644) == [])
    #expect(try lines(toml.replacingOccurrences(of: "9b", with: "9")).allSatisfy { !$0.contains("ec02") })
  }

  @Test(
    "no message repeats a secret, wherever it stands",
    arguments: [
      "[mqtt]\nhost = \"anna:SECRET@broker\"", "[mqtt]\nhost = \"mqtt://anna:SECRET@broker/\"",
      "[mqtt]\nusername = \"u\"\npassword_file = \"SECRET\"", "[mqtt]\ntls_ca = \"/etc\"\ntls_cert = \"/etc\"\ntls_key = \"SECRET\"",
      "[security]\nsigning_key_file = \"SECRET\"", "[security]\nsigning_key_file = \"-----BEGIN PRIVATE KEY-----\\nSECRET\\n-----END\"",
      "[[radio]]\nname = \"r\"\nadapter = \"tcp:anna:SECRET@host:99\"",
      "[[key.irk]]\nalias = \"a\"\nkey = 0xSECRET", "[[key.irk]]\nalias = \"a\"\nkey = SECRET",
      "[[key.irk]]\nalias = \"a\"\nkey = \"0xSECRET\"",
      "[[key.irk]]\nalias = \"a\"\nkey_file = \"SECRET\"", "[[key.irk]]\nalias = \"SECRET\"\nkey = \"a\"",
      "[[key.eid]]\nalias = \"0xSECRET\"\nkey = \"a\"",
      "[[region]]\nname = \"r\"\nmatch = \"irk:SECRET\"", "[[region]]\nname = \"r\"\nmatch = \"SECRET\"",
    ]) func silence(_ toml: String) throws
  {
    for secret in ["ec0234a357c8ad05341010a60a397d9b", "EC0234A357C8AD05341010A60A397D9B", "12345678901234567890123456789012"] {
      let said = try lines(toml.replacingOccurrences(of: "SECRET", with: secret))
      #expect(!said.isEmpty)
      for line in said { #expect(!line.lowercased().contains(secret.prefix(8).lowercased()), "\(line)") }
    }
  }

  @Test("a replay needs Core's keys, but nobody's passwords") func hearing() throws {
    let toml = """
      [[key.irk]]
      alias = "a"
      key_file = "none"
      [mqtt]
      username = "u"
      password_file = "none"
      tls_ca = "none"
      tls_cert = "none"
      tls_key = "none"
      [security]
      signing_key_file = "credential:none"
      """
    #expect(try lines(toml, scope: .hearing) == [#"config.toml:4:1: key.irk "a": key_file names a file that does not exist"#])
    #expect(try lines(toml).count == 6)
  }
}
