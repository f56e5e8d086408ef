import Synchronization

/// A bounded queue between exactly two threads: one pushes, one pops, neither waits. A full ring refuses.
///
/// Both hold copies of this handle to the same lent memory. Indices run freely and are masked on use, so no slot is wasted to distinguish
/// full from empty. Each index has one writer. Each side also caches the other's index, on its own cache line, and reloads it only when
/// needed. Elements are plain bytes, so a ring needs no emptying at its end.
@safe package struct Ring<Element: BitwiseCopyable>: BitwiseCopyable, @unchecked Sendable {
  private let sides: UnsafeMutablePointer<Sides>
  private let slots: UnsafeMutablePointer<Element>
  private let mask: Int

  // SAFETY: `sides` was placed in the arena by `init` and stays there for ever.
  private var producer: Side { _read { yield unsafe sides.pointee.producer } }
  private var consumer: Side { _read { yield unsafe sides.pointee.consumer } }

  package init(capacity: Int, in arena: inout Arena) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "a ring's capacity is a power of two")
    mask = capacity - 1
    // SAFETY: both pieces come from the arena, which outlives its borrowers; every index below is masked, and no slot
    // is read before it was pushed.
    unsafe sides = arena.place(Sides())
    unsafe slots = arena.take(capacity, of: Element.self).relinquished()
  }

  package static func bytes(for capacity: Int) -> Int {
    MemoryLayout<Sides>.stride + MemoryLayout<Sides>.alignment + Arena.bytes(for: capacity, of: Element.self)
  }

  package var capacity: Int { mask + 1 }

  /// How many elements wait: exact on either side's own thread, a moment old elsewhere.
  package var count: Int { producer.index.load(ordering: .acquiring) &- consumer.index.load(ordering: .acquiring) }

  /// Producer's thread. Returns what it refused: the element when the ring is full, nothing otherwise.
  package func push(_ element: Element) -> Element? {
    let tail = producer.index.load(ordering: .relaxed)
    if tail &- producer.seen.load(ordering: .relaxed) == capacity {
      let head = consumer.index.load(ordering: .acquiring)
      producer.seen.store(head, ordering: .relaxed)
      if tail &- head == capacity { return element }
    }
    // SAFETY: the mask keeps the index inside the lent slots; the consumer has released this one.
    unsafe slots[tail & mask] = element
    producer.index.store(tail &+ 1, ordering: .releasing)
    return nil
  }

  /// Consumer's thread.
  package func pop() -> Element? {
    let head = consumer.index.load(ordering: .relaxed)
    guard waits(beyond: head) else { return nil }
    // SAFETY: the mask keeps the index inside the lent slots; the producer has released this one.
    let element = unsafe slots[head & mask]
    consumer.index.store(head &+ 1, ordering: .releasing)
    return element
  }

  /// Consumer's thread: reads the oldest element in place, then drops it. False when there is none.
  package func take(_ body: (borrowing Element) -> Void) -> Bool {
    let head = consumer.index.load(ordering: .relaxed)
    guard waits(beyond: head) else { return false }
    // SAFETY: as in `pop`; the slot goes back to the producer only after `body` has returned.
    unsafe body(slots[head & mask])
    consumer.index.store(head &+ 1, ordering: .releasing)
    return true
  }

  /// Consumer's thread: reads the oldest element and leaves it.
  package func peek<Answer>(_ body: (borrowing Element) -> Answer) -> Answer? {
    let head = consumer.index.load(ordering: .relaxed)
    guard waits(beyond: head) else { return nil }
    // SAFETY: as in `pop`.
    return unsafe body(slots[head & mask])
  }

  private func waits(beyond head: Int) -> Bool {
    if head != consumer.seen.load(ordering: .relaxed) { return true }
    let tail = producer.index.load(ordering: .acquiring)
    consumer.seen.store(tail, ordering: .relaxed)
    return head != tail
  }
}

private struct Sides: ~Copyable {
  let producer = Side()
  let consumer = Side()
}

/// One thread's half: its own index, its copy of the other's, and padding to keep the halves apart.
private struct Side: ~Copyable {
  let index = Atomic<Int>(0)
  let seen = Atomic<Int>(0)
  private let apart = InlineArray<14, Int>(repeating: 0)
}
