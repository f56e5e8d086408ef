import CLinux
package import Core

extension Arena {
  /// Memory from the system, for the life of the process. Untouched pages cost nothing.
  package static func taken(bytes: Int) -> Arena {
    // SAFETY: a mapping of our own, zeroed by the system; it is never given back.
    let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    precondition(unsafe start != UnsafeMutableRawPointer(bitPattern: -1), "the system gives no memory")
    return unsafe Arena(lending: UnsafeMutableRawBufferPointer(start: start, count: bytes))
  }
}

/// After the start: lets go of the stack that only reading the configuration and building the machine needed, a megabyte.
package func releaseStack() { linux_release_stack() }
