extension ServiceUUID {
  /// The bit of Apple's overflow area for this UUID while its app is in the background.
  ///
  /// The closed form is derived from published tables (all 128 positions of two of them); Apple has published none.
  package var overflowPosition: UInt8 {
    var crc: UInt8 = 0
    for index in 0..<16 {
      crc ^= byte(index)
      for _ in 0..<8 { crc = crc & 0x80 != 0 ? (crc << 1) ^ 0x09 : crc << 1 }
    }
    return (crc & 0x7F) ^ 0x07
  }
}
