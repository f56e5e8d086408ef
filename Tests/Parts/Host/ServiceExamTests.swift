import Core
import Foundation
import Testing

@testable import Host

@Suite("check says where the shipped unit keeps the service from writing")
struct ServiceExamTests {
  private let scratch = Scratch()
  private var root: String { URL(filePath: scratch.path).resolvingSymlinksInPath().path }

  init() throws {
    for name in ["state", "state/deeper", "ssd", "ssd2", "hidden", "homes"] + ["lib", "run", "etc"].map({ "\($0)/forecourt.service.d" }) {
      try FileManager.default.createDirectory(atPath: scratch.path + "/" + name, withIntermediateDirectories: true)
    }
  }

  /// A machine of its own below the scratch folder. `dropIn`: what `systemctl edit` wrote; `others`: other files where systemd reads units.
  private func words(
    _ path: String, as owner: String = "forecourt", dropIn: String = "", others: [String: String] = [:], isClockTheKernels: Bool = false,
    seen: String? = nil, also change: (inout Settings, inout HostSettings) -> Void = { _, _ in }
  ) -> [String] {
    for (name, text) in others.merging(["etc/forecourt.service.d/override.conf": dropIn], uniquingKeysWith: { $1 }) {
      scratch.write(name, Array(text.utf8))
    }
    var view = Examined.ServiceView()
    (view.state, view.homes, view.hidden) = (root + "/state", [root + "/homes"], [root + "/hidden"])
    (view.folders, view.isClockTheKernels) = ([root + "/lib", root + "/run", root + "/etc"], isClockTheKernels)
    view.root = seen
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

  @Test("every drop-in counts, in the order of names; one in /etc takes its namesake's place; what is no drop-in does not") func dropIns() {
    let path = root + "/ssd/outbox.db"
    let (grants, revokes) = ("[Service]\nReadWritePaths=\(root)/ssd\n", "[Service]\nReadWritePaths=\n")
    func told(_ others: [String: String]) -> Int {
      defer { for name in others.keys { try? FileManager.default.removeItem(atPath: root + "/" + name) } }
      return words(path, others: others).count
    }
    let (lib, run, etc) = ("lib/forecourt.service.d/", "run/forecourt.service.d/", "etc/forecourt.service.d/")
    #expect(told([etc + "10-ssd.conf.off": grants]) == 1)
    for folder in [lib, run, etc] { #expect(told([folder + "10-ssd.conf": grants]) == 0) }
    #expect(told([etc + "10-ssd.conf": grants, etc + "20-not.conf": revokes]) == 1)
    #expect(told([etc + "10-ssd.conf": revokes, etc + "20-not.conf": grants]) == 0)
    #expect(told([lib + "20-not.conf": revokes, etc + "10-ssd.conf": grants]) == 1, "by their names alone")
    #expect(told([lib + "20-ssd.conf": grants, etc + "10-not.conf": revokes]) == 0)
    #expect(told([lib + "10-ssd.conf": grants, etc + "10-ssd.conf": ""]) == 1, "the same name")
    #expect(told([run + "10-ssd.conf": "", lib + "10-ssd.conf": grants]) == 1)
    #expect(told(["lib/forecourt.service": grants]) == 0)
    #expect(told(["lib/forecourt.service": grants, "etc/forecourt.service": "[Service]\n"]) == 1, "the whole unit")
    #expect(told(["etc/forecourt.service": grants, lib + "10-not.conf": revokes]) == 1, "the unit comes first")
  }

  @Test("with ProtectHome=no the homes are seen, and may be granted", arguments: ["yes", "tmpfs", "no", "false", "off", "0", "read-only"])
  func homes(value: String) {
    let path = root + "/homes/outbox.db"
    let seen = "[Service]\nProtectHome=\(value)\n"
    let isSeen = !["yes", "tmpfs"].contains(value)
    #expect(words(path).allSatisfy { $0.contains("does not see") } && words(path).count == 1)
    #expect(words(path, dropIn: seen).map { $0.contains("may write only below") } == [isSeen], "ProtectSystem=strict stays")
    #expect(words(path, dropIn: seen + "ReadWritePaths=\(root)/homes\n").isEmpty == isSeen)
    #expect(words(path, dropIn: seen + "ProtectSystem=full\n").isEmpty == (isSeen && value != "read-only"), "for reading only")
  }

  @Test("what is granted to another folder is not granted here; without ProtectSystem=strict all is") func otherwise() {
    let path = root + "/ssd2/outbox.db"
    #expect(words(path, dropIn: "[Service]\nReadWritePaths=\(root)/ssd\n#ReadWritePaths=\(root)/ssd2\n").count == 1)
    #expect(words(path, dropIn: "[Service]\nProtectSystem=strict\n").count == 1)
    #expect(words(path, dropIn: "[Service]\nProtectSystem=full\n") == [])
  }

  @Test("a clock of which only the kernel can tell is told of where the unit hides the kernel's word")
  func clock() {
    let inside = root + "/state/outbox.db"
    let unit = ["lib/forecourt.service": "[Service]\nProtectClock=yes\n"]
    #expect(words(inside, others: unit) == [], "timesyncd's file tells")
    let told = words(inside, others: unit, isClockTheKernels: true)
    #expect(told.count == 1 && told[0].hasPrefix("forecourt.service cannot see whether the clock is synchronised: "), "\(told)")
    #expect(told.allSatisfy { $0.contains("chrony") && $0.contains("systemctl edit forecourt: ProtectClock=no") }, "\(told)")
    #expect(words(inside, dropIn: "[Service]\nProtectClock=no\n", others: unit, isClockTheKernels: true) == [])
  }

  @Test("the running service must start again where it sees another folder than there is, if it may write there at all")
  func anew() throws {
    func told(_ path: String) -> String {
      "\(path): the running forecourt.service cannot write there, for the folder, or leave to write there, came later: "
        + "systemctl restart forecourt"
    }
    let (inside, ssd, granted) = (root + "/state/outbox.db", root + "/ssd/outbox.db", "[Service]\nReadWritePaths=\(root)/ssd\n")
    for seen in ["/", root + "/nowhere"] { #expect(words(inside, seen: seen) == [], "the same; only root may look") }
    for isThere in [false, true] {
      if isThere { try FileManager.default.createDirectory(atPath: root + "/hidden" + root + "/state", withIntermediateDirectories: true) }
      #expect(words(inside, seen: root + "/hidden") == [told(inside)])
      #expect(words(ssd, dropIn: granted, seen: root + "/hidden") == [told(ssd)])
      #expect(words(ssd, seen: root + "/hidden").allSatisfy { $0.contains("may write only below") })
    }
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
