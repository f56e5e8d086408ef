import CLinux

/// The owner of a folder. If root runs `check` for a service with its own user, root's rights would give the wrong answers.
package struct Owner {
  package let name: String
  private let user: UInt32

  /// nil if the caller's own rights count: it is not root, or the folder is root's.
  package init?(ofFolderOf path: String) {
    var user: uid_t = 0
    // SAFETY: the path is lent with its zero, the number is ours; the system's text is copied before anybody can ask again.
    guard geteuid() == 0, unsafe path.withCString({ unsafe linux_owner_of_folder($0, &user) }) == 0, user != 0 else { return nil }
    self.user = user
    name = unsafe String(cString: linux_user(user))
  }

  /// From here to `leave` this thread may open what the owner may. False: the system refused, and root's rights remain.
  package func enter() -> Bool {
    if linux_act_as(user) == 0 { return true }
    Self.leave()
    return false
  }

  package static func leave() { _ = linux_act_as(0) }
}
