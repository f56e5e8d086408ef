import Core

// Paths, and the files that must be read before anything starts.

extension Section {
  /// A path that can be opened. `credential:NAME` is a file from systemd's LoadCredential=.
  mutating func path(_ key: String) -> String? { string(key).flatMap { path(key, named: $0) } }

  private func path(_ key: String, named text: String) -> String? {
    guard let path = opened(key, named: text) else { return nil }
    reading.files.append(NamedFile(key: key, path: path, at: place(of: [key]), subject: title))
    return path
  }

  private func opened(_ key: String, named text: String) -> String? {
    if text.utf8.isEmpty || text.bytes.contains(0) {
      fault(key, "must name a file")
      return nil
    }
    guard let name = text.rest(after: "credential:") else {
      let path = reading.source.resolve(text)
      mustFit(key, path.utf8.count, Path.capacity)
      return path
    }
    if name.bytes.contains(UInt8(ascii: "/")) || same(name, "..") {
      fault(key, "(\"\(printable(text))\") must be a credential's name, without a folder")
      return nil
    }
    guard let folder = environment("CREDENTIALS_DIRECTORY") else {
      switch reading.source.scope {
      case .whole: fault(key, "(\"\(printable(text))\") needs systemd: $CREDENTIALS_DIRECTORY is not set here")
      case .examined:
        reading.unreadCredentials.append(key)
        warning(
          key,
          "(\"\(printable(text))\") is not examined: systemd gives it to the service alone. While that runs: "
            + "sudo env CREDENTIALS_DIRECTORY=/run/credentials/forecourt.service forecourt check")
      case .hearing: break
      }
      return nil
    }
    return folder + "/" + name
  }

  /// A path whose file must be readable; others judge its content.
  mutating func readable(_ key: String) -> String? {
    guard let path = path(key), reading.source.scope != .hearing else { return nil }
    do throws(FileRefusal) {
      _ = try File(reading: path, atMost: Limits.configurationBytes)
    } catch {
      // A folder of certificates is as good as a file of them.
      if case .folder = error.reason { return path }
      fault(key, "(\(printable(path))) \(error.sentence)", isPassing: error.isPassing)
      return nil
    }
    return path
  }

  /// A path whose file, a private key, must be readable by its owner only.
  mutating func confidential(_ key: String) -> String? {
    guard let path = path(key), reading.source.scope != .hearing, let pem = contents(of: path, key) else { return nil }
    if !isEncrypted(pem) { return path }
    let remedy = "openssl pkey -in \(quotedForShell(path)) -out new.pem"
    fault(key, "(\(printable(path))) has a pass phrase, which nobody is there to type: \(remedy)")
    return nil
  }

  /// The content of a file that only its owner may read. What Core needs is read in either scope.
  mutating func secret(_ key: String, neededBy scope: ConfigurationText.Scope) -> [UInt8]? {
    guard let path = path(key), reading.source.scope != .hearing || scope == .hearing else { return nil }
    return contents(of: path, key)
  }

  /// The same for one of several files.
  func secret(_ key: String, named text: String, neededBy scope: ConfigurationText.Scope) -> [UInt8]? {
    guard let path = path(key, named: text), reading.source.scope != .hearing || scope == .hearing else { return nil }
    return contents(of: path, key)
  }

  private func contents(of path: String, _ key: String) -> [UInt8]? {
    do throws(FileRefusal) {
      let file = try File(reading: path, atMost: Limits.secretBytes)
      guard file.isPrivate else {
        fault(key, "(\(printable(path))) can be read by others (mode \(octal(file.mode))); run: \(file.remedy) \(quotedForShell(path))")
        return nil
      }
      return file.bytes
    } catch {
      // Where there is no such file, somebody may have put the secret in place of the path, and journals keep this line.
      switch error.reason {
      case .missing, .system: fault(key, "names a file that \(error.sentence)", isPassing: error.isPassing)
      default: fault(key, "(\(printable(path))) \(error.sentence)")
      }
      return nil
    }
  }

  /// A configuration with a secret inside must be as private as a secret's file.
  func mustBePrivate(because key: String) {
    guard let exposure = reading.source.exposure else { return }
    let file = reading.source.name
    fault(
      key,
      "stands in a file that others can read (mode \(octal(exposure.mode))); run: \(exposure.remedy) \(quotedForShell(file)), or use \(key)_file"
    )
  }
}

/// Both forms of PEM have this word in clear.
private func isEncrypted(_ pem: [UInt8]) -> Bool {
  let word = "ENCRYPTED".bytes
  var start = 0
  while start + word.count <= pem.count {
    if Array(pem[start..<start + word.count]) == word { return true }
    start += 1
  }
  return false
}

private func octal(_ mode: UInt32) -> String { "0" + String(mode, radix: 8) }

func quotedForShell(_ path: String) -> String {
  let isPlain = path.bytes.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-")...UInt8(ascii: "9"): true
    case UInt8(ascii: "_"): true
    default: false
    }
  }
  if isPlain { return path }
  // Nothing ends a text between apostrophes but an apostrophe: that one stands outside of them.
  let parts = path.bytes.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
  return "'" + String(decoding: Array(parts.joined(separator: "'\\''".bytes)), as: UTF8.self) + "'"
}

/// Nobody draws such a key: it stands where one is still to come, and sixteen zeros mean that a phone has none.
func isPlaceholder(_ key: [UInt8]) -> Bool { key.allSatisfy { $0 == key[0] } }

/// What may stand between two pairs of digits.
package func isBetweenPairs(_ byte: UInt8) -> Bool {
  byte == 0x0A || byte == 0x0D || byte == 0x20 || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
}

/// Bytes as hexadecimal digits, which spaces, colons, hyphens and line ends may separate.
func hexBytes(_ text: [UInt8]) -> [UInt8]? {
  var bytes: [UInt8] = []
  var high: UInt8?
  for byte in text {
    switch (hexDigit(byte), high) {
    case (let digit?, nil): high = digit
    case (let digit?, let first?):
      bytes.append(first << 4 | digit)
      high = nil
    case (nil, nil) where isBetweenPairs(byte): break
    default: return nil
    }
  }
  return high == nil ? bytes : nil
}
