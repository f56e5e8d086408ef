import CLinux
import Core

/// Streams a file of any length through a window of fixed size.
struct CaptureSource: ~Copyable {
  private let descriptor: CInt
  private var window: [UInt8]
  /// Read and not yet passed: `window[start..<end]`.
  private var start = 0
  private var end = 0
  /// The position of `start` in the file.
  private(set) var offset: UInt64 = 0
  private var isOver = false
  /// The file's; 0 for a pipe.
  let size: UInt64

  /// Longer than any record: tools write packets of up to 256 kB, plus headers.
  static let mostBytes = 262_144 + 4_096

  /// `orPipe`: also a pipe, waiting for the program that writes it.
  static func opened(_ path: String, orPipe: Bool) throws(CaptureFault) -> CaptureSource {
    do throws(FileRefusal) {
      try FileKind(of: path).mustBeFile(orPipe: orPipe)
    } catch {
      throw CaptureFault(reason: .refused(error), offset: 0)
    }
    return try CaptureSource(reading: path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (orPipe ? 0 : O_NONBLOCK))
  }

  private init(reading path: String, _ flags: CInt) throws(CaptureFault) {
    // SAFETY: the name is terminated and lives while it is used.
    descriptor = unsafe path.withCString { name in unsafe linux_open(name, flags, 0) }
    guard descriptor >= 0 else { throw CaptureFault(reason: .refused(FileRefusal(errno: linux_errno())), offset: 0) }
    var status = stat()
    // SAFETY: the system fills the structure that it is lent.
    let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG)
    size = isFile ? UInt64(max(status.st_size, 0)) : 0
    window = [UInt8](repeating: 0, count: 2 * Self.mostBytes)
  }

  deinit { close(descriptor) }

  /// Whether so many bytes remain; reads them if needed.
  mutating func has(_ count: Int) throws(CaptureFault) -> Bool {
    precondition(count <= Self.mostBytes, "the window is longer than any record")
    while end - start < count && !isOver { try fill() }
    return end - start >= count
  }

  /// The next `count` bytes.
  @_lifetime(borrow self)
  func bytes(_ count: Int) -> RawSpan {
    precondition(count <= end - start, "bytes that nobody has made sure of")
    // SAFETY: the elements are bytes; none is padding.
    return unsafe window.span.extracting(start..<start + count).bytes
  }

  /// A copy of a header, so that reading can go on.
  func head(_ count: Int) -> Text<28> { Text(bytes(count)) }

  /// Reads a whole record of btsnoop or pcap: its header, and the length of both. `place`: where in the header the packet's length stands.
  /// nil at the end of the file.
  mutating func record(_ headBytes: Int, lengthAt place: Int, isBig: Bool) throws(CaptureFault) -> (head: Text<28>, length: Int)? {
    guard try has(1) else { return nil }
    guard try has(headBytes) else { throw failure(.truncated) }
    let head = head(headBytes)
    // A file that grew and was never filled: a card without power writes such ends.
    guard !head.isBlank else { throw failure(.damaged) }
    let captured = head.bytes.number32(at: place, isBig: isBig)
    guard captured <= UInt32(Self.mostBytes - headBytes) else { throw failure(.damaged) }
    let length = headBytes + Int(captured)
    guard try has(length) else { throw failure(.truncated) }
    return (head, length)
  }

  /// Writes a packet's type over the last byte of its header, which has been read.
  mutating func put(_ type: UInt8, before place: Int) { window[start + place - 1] = type }

  /// Bytes that have been passed and are still in the window: the last record.
  @_lifetime(borrow self)
  func passed(_ range: Range<Int>) -> RawSpan {
    // SAFETY: the elements are bytes; none is padding.
    unsafe window.span.extracting(range).bytes
  }

  /// Passes so many bytes; returns where in the window they are.
  mutating func pass(_ count: Int) -> Range<Int> {
    precondition(count <= end - start, "bytes that nobody has made sure of")
    let passed = start..<start + count
    start += count
    offset += UInt64(count)
    return passed
  }

  /// Passes more bytes than the window holds; false at the end of the file.
  mutating func skip(_ count: UInt64) throws(CaptureFault) -> Bool {
    var left = count
    while left > 0 {
      let step = Int(min(left, UInt64(Self.mostBytes)))
      guard try has(step) else { return false }
      _ = pass(step)
      left -= UInt64(step)
    }
    return true
  }

  func failure(_ reason: CaptureFault.Reason) -> CaptureFault { CaptureFault(reason: reason, offset: offset) }

  private mutating func fill() throws(CaptureFault) {
    if start > 0 {
      for index in start..<end { window[index - start] = window[index] }
      (start, end) = (0, end - start)
    }
    let room = end..<window.count
    // SAFETY: the range lies inside the window, which nobody else touches meanwhile.
    let count = unsafe window.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress! + room.lowerBound, room.count) }
    if count > 0 {
      end += count
    } else if count == 0 {
      isOver = true
    } else if linux_errno() != EINTR {
      throw failure(.refused(FileRefusal(errno: linux_errno())))
    }
  }
}

extension Text {
  /// Only zeros.
  var isBlank: Bool {
    for index in 0..<count where self[index] != 0 { return false }
    return true
  }
}
