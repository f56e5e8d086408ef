package import Core

/// The telemetry as a file for the textfile collector of Prometheus's node exporter, so that we open no port.
package enum PrometheusFile {
  /// Readable by everybody, whatever the unit's UMask= leaves; and not synced: that would cost a write to flash each time.
  @export(interface) package static func write(_ text: [UInt8], to path: String) throws(FileRefusal) {
    let file = try NewFile(creating: path, mode: 0o600, .own)
    file.permit(0o644)
    file.write(text)
    let failure = file.keep()
    guard failure == 0 else { throw FileRefusal(writing: failure) }
  }

  /// Its last figures would pass for a gateway's that runs. A pipe or a device stays: nothing was written there.
  @export(interface) package static func remove(_ path: String) {
    if !FileSystem.isSpecial(path) { FileSystem.remove(path) }
  }

  package static func text(_ telemetry: Telemetry, site: Name, gateway: Name) -> [UInt8] {
    var text: [UInt8] = []
    func line(_ name: StaticString, _ type: StaticString, _ suffix: StaticString, _ value: Text<32>) {
      var words = Text<255>("# TYPE forecourt_")
      words.append(name)
      words.append(suffix)
      words.append(type)
      words.append("\nforecourt_")
      words.append(name)
      words.append(suffix)
      words.append("{site=\"")
      words.append(escaping: site.bytes)
      words.append("\",gateway=\"")
      words.append(escaping: gateway.bytes)
      words.append("\"} ")
      words.append(value)
      words.append("\n")
      for index in 0..<words.count { text.append(words[index]) }
    }
    telemetry.read(
      { name, count in
        var value = Text<32>()
        value.append(decimal: count)
        // Memory goes up and down, but is too large for a gauge's Float.
        let isLevel = Name(name) == Name("memory_bytes")
        line(name, isLevel ? " gauge" : " counter", isLevel ? "" : "_total", value)
      },
      { name, level, places in
        var value = Text<32>()
        value.append(number: level, places: places)
        line(name, " gauge", "", value)
      })
    return text
  }
}
