import Foundation
import Testing

@Suite("check of credentials") final class CheckCredentialsTests {
  private var program: Program
  init() throws { program = try Program() }
  deinit { program.remove() }

  @Test("credentials come from systemd's folder") func credentials() throws {
    try program.write("password", "s3cret\n")
    chmod(program.folder.appending(path: "password").path, 0o600)
    try program.write("config.toml", CheckTests.right + "mqtt.username = \"u\"\nmqtt.password_file = \"credential:password\"\n")
    let run = try program("run")
    #expect(run.exit == 78 && run.error.contains("(\"credential:password\") needs systemd: $CREDENTIALS_DIRECTORY is not set here"))
    program.environment["CREDENTIALS_DIRECTORY"] = program.folder.path
    let lent = try program("check", "--lint")
    #expect(lent.exit == 0 && lent.out.hasSuffix("triggers)\n") && !lent.error.contains("credential"))
  }

  @Test("outside of systemd check warns of a credential, goes on with the rest, and asks no broker that wants it") func unlent() throws {
    let login = "mqtt.username = \"u\"\nmqtt.password_file = \"credential:password\"\n"
    let key = "security.signing_key_file = \"credential:key\"\n"
    try program.write("config.toml", CheckTests.useful + login + key)
    let lint = try program("check", "--lint")
    let lend = "While that runs: sudo env CREDENTIALS_DIRECTORY=/run/credentials/forecourt.service forecourt check"
    let words = "is not examined: systemd gives it to the service alone. " + lend
    #expect(
      lint.exit == 0
        && lint.errorLines == [
          "config.toml:4:6: warning: mqtt: password_file (\"credential:password\") " + words,
          "config.toml:5:10: warning: security: signing_key_file (\"credential:key\") " + words,
        ], "\(lint.error)")
    let not = ", but not all could be examined: password_file and signing_key_file\n"
    #expect(lint.out == "config.toml: no errors (1 radio, 0 regions and 0 triggers)" + not)
    let machine = "outbox.path = \"outbox.db\"\nmqtt.port = 9\n[[radio]]\nname = \"left\"\nadapter = \"h4:/dev/none\"\n"
    try program.write("config.toml", CheckTests.useful + login + machine)
    let whole = try program("check").out.split(separator: "\n").map(String.init)
    #expect(whole.first?.hasPrefix("config      warning  config.toml: no errors") == true, "\(whole)")
    #expect(whole.last == "broker      warning  is not asked: for that it takes credentials that only the service has", "\(whole)")
    try program.write("config.toml", CheckTests.useful + key + machine)
    #expect(try program("check").out.contains("Connection refused"), "the broker wants no signature")
    try program.write("config.toml", CheckTests.useful + login + "mqtt.nonsense = 1\n")
    let wrong = try program("check")
    #expect(wrong.exit == 78 && wrong.errorLines.count == 2 && wrong.out.isEmpty, "\(wrong)")
  }
}
