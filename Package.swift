// swift-tools-version: 6.2
import PackageDescription

/// EMBEDDED=ARCH builds the product (no runtime, no tests); otherwise this is ordinary Swift for tests and sanitizers.
let architecture = Context.environment["EMBEDDED"]
let embedded = architecture != nil
/// What `forecourt version` prints; deploy/build.sh gets it from deploy/version.sh.
let version = Context.environment["FORECOURT_VERSION"] ?? "unreleased"
/// Builds only these targets: Tests/Gates/sanitize.sh needs no more.
let only = Context.environment["ONLY_TARGETS"].map { $0.split(separator: " ").map(String.init) }
/// Builds all but this target.
let without = Context.environment["WITHOUT_TARGET"]
/// Builds only these files of the tests.
let coreTests = Context.environment["ONLY_CORE_TESTS"].map { $0.split(separator: " ").map(String.init) }
let hostTests = Context.environment["ONLY_HOST_TESTS"].map { $0.split(separator: " ").map(String.init) }

let strict: [SwiftSetting] =
  [
    .strictMemorySafety(), .treatAllWarnings(as: .error), .enableExperimentalFeature("Lifetimes"),
    .enableExperimentalFeature("AddressableParameters"),
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  ]
  // A function that takes a closure is compiled once, not again for each closure: 24 kB less.
  + (embedded
    ? [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Xllvm", "-sil-disable-pass=closure-specialize"])] : [])

/// Tests simulate hours and read thousands of configurations, so Core, Host and what drives them are optimised even in debug builds: half
/// of the tests' time. Traps stay; only `assert` goes.
let quick: [SwiftSetting] = embedded ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Under the sanitizers, the only release build of the tests, they run as fast like this and compile in an eighth less time.
let brief: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// Nothing outside Core is hot enough to be worth a third more bytes, nor what Core does seldom (`@_optimize(size)`). The outliner makes
/// functions of repeated instructions: 33 kB less.
let small: [SwiftSetting] = strict + (embedded ? [.unsafeFlags(["-Osize", "-Xllvm", "-enable-machine-outliner=always"])] : [])

/// In Core the compiler refuses what takes memory from the heap. On 32-bit ARM any widening to UInt64 would be a false alarm.
let noHeap: [SwiftSetting] = embedded && architecture != "armhf" ? [.unsafeFlags(["-Xfrontend", "-no-allocations"])] : []

func door(_ name: String, links libraries: [String] = [], c: [CSetting] = [], cxx: [CXXSetting] = []) -> Target {
  .target(
    name: name,
    cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)] + c,
    cxxSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)] + cxx,
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

let doors: [Target] = [
  door("CLinux", c: [.define("FORECOURT_VERSION", to: "\"\(version)\"")]),
  door("CBluetooth", links: ["bluetooth"]),
  door("CMosquitto", links: ["mosquitto"]),
  door("CSQLite", links: ["sqlite3"]),
  door("CCrypto", links: ["crypto"]),
  door("CJSON", links: ["cjson"]),
  door("CTOML", cxx: [.define("TOML_EXCEPTIONS", to: "0"), .define("TOML_HEADER_ONLY", to: "1")]),
]

let product: [Target] = [
  .target(
    name: "Core", exclude: ["Controller", "Neighbours", "Peer", "Triggers"].map { $0 + "/README.md" },
    swiftSettings: strict + quick + noHeap),
  .target(name: "Host", dependencies: ["Core", "Simulation"] + doors.map { .byName(name: $0.name) }, swiftSettings: small + quick),
  .target(name: "Simulation", dependencies: ["Core"], exclude: ["README.md"], swiftSettings: small + quick),
  .executableTarget(name: "forecourt", dependencies: ["Core", "Host", "Simulation", "CLinux"], swiftSettings: small),
]

let tests: [Target] = [
  .executableTarget(
    name: "prove", dependencies: ["Core", "Host", "Simulation"], path: "Tests/Firing/ProvingGround",
    exclude: ["README.md", "table.txt", "walks.txt", "sites.txt"], swiftSettings: [.enableExperimentalFeature("Lifetimes")] + quick),
  .target(name: "Seeds", path: "Tests/Rigs/Seeds", swiftSettings: quick),
  .testTarget(
    name: "CoreTests", dependencies: ["Core", "Seeds"], path: "Tests/Parts/Core", sources: coreTests,
    swiftSettings: [.enableExperimentalFeature("Lifetimes")] + quick + brief),
  .testTarget(
    name: "HostTests", dependencies: ["Host", "Seeds"], path: "Tests/Parts/Host", exclude: ["mistakes.txt", "values.txt"],
    sources: hostTests,
    swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
  .testTarget(
    name: "CommandTests", dependencies: ["forecourt", "Host", "Core", "Seeds"], path: "Tests/Parts/Commands", exclude: ["Said"]),
  .testTarget(name: "SimulationTests", dependencies: ["Simulation", "Host", "Seeds"], path: "Tests/Parts/Simulation"),
  .executableTarget(
    name: "courier-rig", dependencies: ["Core", "Host", "Seeds"], path: "Tests/Delivery/CourierRig",
    swiftSettings: [.enableExperimentalFeature("Lifetimes"), .swiftLanguageMode(.v5)]),
  .testTarget(name: "TidyTests", path: "Tests/Tidiness"),
]

let package = Package(
  name: "forecourt",
  targets: (doors + product + (embedded ? [] : tests)).filter { only?.contains($0.name) ?? ($0.name != without) },
  cxxLanguageStandard: .cxx17
)
