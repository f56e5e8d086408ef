/// The configured service UUIDs, prepared for the search: as UUIDs in an advertisement, or as bits of Apple's overflow area.
package struct WatchedServices: ~Copyable {
  private struct Watched: BitwiseCopyable {
    let uuid: ServiceUUID
    /// The place of its bit.
    let byte: UInt8
    let mask: UInt8
  }

  private var list: Lent<Watched>
  private var count = 0

  package init(_ services: borrowing ServiceList, in arena: inout Arena) {
    list = arena.take(ServiceList.capacity, of: Watched.self)
    reload(services)
  }

  package static var bytes: Int { Arena.bytes(for: ServiceList.capacity, of: Watched.self) }

  /// Services of new settings replace the old ones.
  package mutating func reload(_ services: borrowing ServiceList) {
    count = services.count
    for index in services.indices {
      let position = services[index].overflowPosition
      list[index] = Watched(uuid: services[index], byte: position >> 3, mask: 0x80 >> (position & 7))
    }
  }

  var isEmpty: Bool { count == 0 }
  var indices: Range<Int> { 0..<count }

  package subscript(index: Int) -> ServiceUUID { list[index].uuid }

  func first(equal uuid: ServiceUUID) -> Int? {
    for index in 0..<count where list[index].uuid == uuid { return index }
    return nil
  }

  /// A bit for each service. Other bits belong to other apps of the phone.
  func all(in overflow: RawSpan) -> UInt16 {
    var hits: UInt16 = 0
    for index in 0..<count where overflow[Int(list[index].byte)] & list[index].mask != 0 { hits |= 1 << UInt16(index) }
    return hits
  }
}
