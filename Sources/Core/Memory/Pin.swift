import Synchronization

/// A member that keeps its owner at one address: it holds an atomic, which cannot be moved about in registers. Without it the compiler copies
/// a large owner, whole tables even, wherever it is borrowed beside something that changes, or one of its elements is read.
struct Pin: ~Copyable {
  private let atomic = Atomic<Bool>(false)
}
