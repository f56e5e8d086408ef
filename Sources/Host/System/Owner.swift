import CLinux

/// Whose a folder is. Where root examines what a service with a user of its own will find there, root's rights must not answer for it.
package struct Owner {
  package let name: String
  private let user: UInt32

  /// nil where the caller's own rights are what counts: a user's, or root's in a folder of root's.
  package init?(ofFolderOf path: String) {
    var user: uid_t = 0
    // SAFETY: the path is lent with its zero, the number is ours; the system's text is copied before anybody can ask again.
    guard geteuid() == 0, unsafe path.withCString({ unsafe linux_owner_of_folder($0, &user) }) == 0, user != 0 else { return nil }
    self.user = user
    name = unsafe String(cString: linux_user(user))
  }

  /// From here to `leave` this thread may open what the owner may. False: the system refused, and root's rights are what is left.
  package func enter() -> Bool {
    if linux_look_as(user) == 0 { return true }
    Self.leave()
    return false
  }

  package static func leave() { _ = linux_look_as(0) }
}
