import Foundation
import Testing

@testable import forecourt

@Suite("scan needs nothing but a radio")
final class ScanTests {
  let program: Program
  init() throws { program = try Program() }
  deinit { program.remove() }

  @Test(
    "without a configuration --radio is enough; without --radio it is not",
    .enabled(if: !FileManager.default.fileExists(atPath: "/etc/forecourt/config.toml"))
  )
  func unconfigured() throws {
    let scan = try program("scan", "--radio", "h4:/dev/none")
    #expect(scan.exit == 69 && scan.errorLines.first?.contains("there is no configuration yet") ?? false, "\(scan.error)")
    #expect(try program("scan").exit == 78)
    #expect(try program("scan", "--config", "none.toml", "--radio", "h4:/dev/none").exit == 78, "a file that was named must be there")
    #expect(try program("capture", "out.btsnoop", "--radio", "h4:/dev/none").exit == 78)
  }

  @Test("a configuration that keeps the radios off binds the gateway, not a person who names a radio") func denied() throws {
    try program.write("config.toml", "gateway.purpose = \"told\"\ngateway.authorization = \"denied\"\n")
    let scan = try program("scan", "--radio", "h4:/dev/none")
    #expect(scan.exit == 69 && scan.error.contains("this only listens, and publishes nothing"), "\(scan.error)")
    #expect(try program("scan").error.contains("the radios stay off"))
  }

  @Test("an identity is shortened in its middle, to the column") func shortened() {
    let id = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"
    for width in 5...60 {
      let short = id.shortened(to: width)
      #expect(short.columns == min(width, id.columns) && short.hasPrefix("i") && short.hasSuffix("1"), "\(short)")
    }
    #expect("name:Größe@AA".shortened(to: 9) == "name…e@AA")
  }

  @Test("arrow keys are j and k; a broken sequence swallows nothing but itself") func arrows() {
    var keys = KeySequence()
    let typed = "a\u{1B}[A\u{1B}[Bx\u{1B}q\u{1B}OAz\u{1B}[Cm".utf8.compactMap { keys.key($0) }
    #expect(String(decoding: typed, as: UTF8.self) == "akjxqkzm")
  }
}
