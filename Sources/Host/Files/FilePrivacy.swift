/// Whether a file with a secret is readable by too many.
extension File {
  /// PostgreSQL's rule for keys: readable by the owner only, or, if root owns the file, by its group, too.
  package var isPrivate: Bool { mode & 0o077 == 0 || (isOwnedByRoot && mode & 0o037 == 0) }

  /// The chmod that makes it private and keeps it readable for its users.
  package var remedy: StaticString { isOwnedByRoot && hasOwnGroup ? "chmod 640" : "chmod 600" }
}
