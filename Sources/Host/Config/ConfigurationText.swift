import Core

/// The text of a configuration, and where it comes from.
package struct ConfigurationText {
  /// Which of the files that it names are read, too.
  package enum Scope {
    /// All that a gateway needs, including passwords and certificates.
    case whole
    /// The same for `check`: a credential that only the service has is no mistake, and the rest is examined.
    case examined
    /// What Core needs: a replay at a desk must not need the board's passwords.
    case hearing
  }

  /// As it stands in front of every error.
  package let name: String
  package let text: [UInt8]
  let scope: Scope
  /// Set if others than the owner can read it.
  let exposure: Exposure?

  struct Exposure {
    let mode: UInt32
    let remedy: StaticString
  }

  package init(name: String, text: [UInt8], scope: Scope = .whole) {
    self.name = name
    self.text = text
    self.scope = scope
    exposure = nil
  }

  package init(reading path: String, scope: Scope = .whole) throws(FileRefusal) {
    let file = try File(reading: path, atMost: Limits.configurationBytes)
    name = path
    text = file.bytes
    self.scope = scope
    exposure = file.isPrivate ? nil : Exposure(mode: file.mode, remedy: file.remedy)
  }

  /// Paths are relative to the folder of the configuration, so that a folder with a site's files can be moved.
  func resolve(_ path: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : name.folder + path
  }
}

/// Why there is no configuration to read.
package struct SourceRefusal: Error {
  package let sentence: String
  package let isForbidden: Bool
  /// As a finding's.
  package var isPassing = false
  /// No file was named, and none is where one belongs.
  package var isNone = false
}

extension ConfigurationText {
  package static let systemPlace = "/etc/forecourt/config.toml"
  package static let localPlace = "config.toml"

  /// What a command gets that only listens, where nobody has written a configuration.
  package static var builtIn: Self {
    Self(name: "the built-in configuration", text: Array("gateway.purpose = \"shows what is here, and publishes nothing\"\n".utf8))
  }

  /// What $FORECOURT_CONFIG names, if it is set.
  @export(interface) package static func variable() throws(SourceRefusal) -> String? {
    guard let name = environment("FORECOURT_CONFIG") else { return nil }
    if isText(environment: "FORECOURT_CONFIG") { return name }
    let words = "is not UTF-8, as every word must be: rename the file, or name a link to it (ln -s)"
    throw SourceRefusal(sentence: "$FORECOURT_CONFIG \"\(printable(name))\" \(words)", isForbidden: false)
  }

  /// The named file; else $FORECOURT_CONFIG; else the system's; else the one in this folder.
  @export(interface) package init(named name: String?, scope: Scope) throws(SourceRefusal) {
    var name = name
    if name == nil { name = try Self.variable() }
    if let name {
      do throws(FileRefusal) {
        self = try ConfigurationText(reading: name, scope: scope)
      } catch {
        throw SourceRefusal(error, name)
      }
      return
    }
    for place in [Self.systemPlace, Self.localPlace] {
      do throws(FileRefusal) {
        self = try ConfigurationText(reading: place, scope: scope)
        return
      } catch {
        guard case .missing = error.reason else { throw SourceRefusal(error, place) }
      }
    }
    let sentence =
      "there is no configuration: neither \(Self.systemPlace) nor ./\(Self.localPlace) exists: forecourt setup writes one; --config and $FORECOURT_CONFIG name one"
    throw SourceRefusal(sentence: sentence, isForbidden: false, isNone: true)
  }
}

extension SourceRefusal {
  init(_ refusal: FileRefusal, _ path: String) {
    sentence = "\(path) \(refusal.sentence)"
    isForbidden = refusal.isForbidden
    isPassing = refusal.isPassing
  }
}
