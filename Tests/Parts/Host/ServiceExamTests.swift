import Core
import Foundation
import Testing

@testable import Host

@Suite("check says where the shipped unit keeps the service from writing")
struct ServiceExamTests {
  private let scratch = Scratch()
  private var root: String { URL(filePath: scratch.path).resolvingSymlinksInPath().path }

  init() throws {
    for name in ["state", "state/deeper", "ssd", "ssd2", "hidden", "homes", "unit.d"] {
      try FileManager.default.createDirectory(atPath: scratch.path + "/" + name, withIntermediateDirectories: true)
    }
  }

  /// A machine of its own below the scratch folder. `dropIn`: what `systemctl edit` wrote; `others`: drop-ins of other names.
  private func words(
    _ path: String, as owner: String = "forecourt", dropIn: String = "", others: [String: String] = [:],
    also change: (inout Settings, inout HostSettings) -> Void = { _, _ in }
  ) -> [String] {
    for (name, text) in others.merging(["override.conf": dropIn], uniquingKeysWith: { $1 }) {
      scratch.write("unit.d/" + name, Array(text.utf8))
    }
    var view = Examined.ServiceView()
    (view.state, view.homes, view.hidden, view.unit) = (root + "/state", [root + "/homes"], [root + "/hidden"], root + "/unit")
    var settings = Settings()
    var host = HostSettings()
    host.outbox.path = Text(path)
    change(&settings, &host)
    let found = Examined.service(settings, host, as: owner, view)
    for examined in found {
      #expect(examined.subject == "service" && !examined.isBad, "it is no error: somebody may run it without the unit")
      if case .doubtful = examined.verdict { continue }
      Issue.record("\(examined.words)")
    }
    return found.map { $0.words }
  }

  @Test("an outbox outside the state folder is told of, with what to do") func elsewhere() {
    let path = root + "/ssd/outbox.db"
    let told = "\(path): forecourt.service may write only below \(root)/state: leave outbox.path out; or systemctl edit forecourt: "
    #expect(words(path) == [told + "ReadWritePaths=\(root)/ssd below [Service]"])
    #expect(words(path, as: "root") == [told + "ReadWritePaths=\(root)/ssd below [Service]; the folder must be forecourt's own"])
    #expect(words(root + "/none/outbox.db").count == 1, "a folder that is not there yet, too")
    #expect(words(root + "/state-too/outbox.db").count == 1, "a name that only begins like the state folder's")
  }

  @Test("what lies in the state folder, and a relative path, which is no service's, need no word") func inside() {
    for path in [root + "/state/outbox.db", root + "/state/deeper/outbox.db", root + "/ssd/../state/outbox.db", "outbox.db"] {
      #expect(words(path) == [], "\(path)")
    }
  }

  @Test("a link out of the state folder leads out of it") func link() throws {
    try FileManager.default.createSymbolicLink(atPath: scratch.path + "/state/link", withDestinationPath: root + "/ssd")
    #expect(words(root + "/state/link/outbox.db").count == 1)
  }

  @Test("what the unit hides cannot be granted") func hidden() {
    let path = root + "/hidden/outbox.db"
    #expect(
      words(path, dropIn: "[Service]\nReadWritePaths=\(root)/hidden\n") == [
        "\(path): forecourt.service does not see this machine's \(root)/hidden: leave outbox.path out, or name a folder elsewhere"
      ])
  }

  @Test("what systemctl edit has granted needs no word", arguments: ["%/ssd", "-%/ssd", "/x %/ssd", "\"%/ssd\"", "%", "/", "%/ssd/"])
  func granted(paths: String) {
    let written = "[Service]\n  ReadWritePaths=" + paths.replacing("%", with: root) + "\n"
    #expect(words(root + "/ssd/outbox.db", dropIn: written) == [])
    #expect(words(root + "/ssd/outbox.db", dropIn: written + "ReadWritePaths=\n").count == 1, "taken back")
  }

  @Test("every drop-in counts, in the order of their names; what is no drop-in does not") func dropIns() {
    let path = root + "/ssd/outbox.db"
    let (grants, revokes) = ("[Service]\nReadWritePaths=\(root)/ssd\n", "[Service]\nReadWritePaths=\n")
    #expect(words(path, others: ["10-ssd.conf.off": grants]).count == 1)
    #expect(words(path, others: ["10-ssd.conf": grants]) == [])
    #expect(words(path, others: ["10-ssd.conf": grants, "20-not.conf": revokes]).count == 1)
    #expect(words(path, others: ["10-ssd.conf": revokes, "20-not.conf": grants]) == [])
  }

  @Test("with ProtectHome=no the homes are seen, and may be granted", arguments: ["yes", "tmpfs", "no", "false", "off", "0", "read-only"])
  func homes(value: String) {
    let path = root + "/homes/outbox.db"
    let seen = "[Service]\nProtectHome=\(value)\n"
    let isSeen = !["yes", "tmpfs"].contains(value)
    #expect(words(path).allSatisfy { $0.contains("does not see") } && words(path).count == 1)
    #expect(words(path, dropIn: seen).map { $0.contains("may write only below") } == [isSeen], "ProtectSystem=strict stays")
    #expect(words(path, dropIn: seen + "ReadWritePaths=\(root)/homes\n").isEmpty == isSeen)
  }

  @Test("what is granted to another folder is not granted here; without ProtectSystem=strict all is") func otherwise() {
    let path = root + "/ssd2/outbox.db"
    #expect(words(path, dropIn: "[Service]\nReadWritePaths=\(root)/ssd\n#ReadWritePaths=\(root)/ssd2\n").count == 1)
    #expect(words(path, dropIn: "[Service]\nProtectSystem=strict\n").count == 1)
    #expect(words(path, dropIn: "[Service]\nProtectSystem=full\n") == [])
  }

  @Test("the other files that the gateway writes are judged, too, if it will write them") func others() {
    let inside = root + "/state/outbox.db"
    let (id, salt, metrics) = (root + "/ssd/id", root + "/ssd/salt", root + "/ssd/figures.prom")
    func told(serves: Bool) -> [String] {
      words(inside) { settings, host in
        (settings.peer.serve, settings.publish.unknown) = (serves, serves ? .hash : .ignore)
        (host.idFile, host.saltFile) = (id, salt)
        if serves { host.metricsFile = metrics }
      }
    }
    #expect(told(serves: false) == [])
    let all = told(serves: true)
    #expect(all.count == 3)
    for (path, key) in [(id, "id_file"), (salt, "salt_file"), (metrics, "metrics_file")] {
      let begin = "\(path): forecourt.service may write only below \(root)/state: leave \(key) out; or "
      #expect(all.contains { $0.hasPrefix(begin) }, "\(all)")
    }
    for name in ["ssd/id", "ssd/salt"] { scratch.write(name, [1]) }
    #expect(told(serves: true).count == 1, "what is there is only read")
  }
}
