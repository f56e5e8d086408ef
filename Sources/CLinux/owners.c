#define _GNU_SOURCE
#include "CLinux.h"

#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>

#ifdef SYS_setgroups32
#define SET_GROUPS SYS_setgroups32
#else
#define SET_GROUPS SYS_setgroups
#endif

static int folder_of(const char *path, struct stat *status) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (!slash) return stat(".", status);
  if (length >= sizeof folder) return -1;
  memcpy(folder, path, length);
  folder[length] = 0;
  return stat(length ? folder : "/", status);
}

int linux_create(const char *path, int flags, mode_t mode) {
  // Change the owner only of a file that is created here: an existing name could lead to anything.
  int file = open(path, flags | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0 && errno != EEXIST) return -1;
  struct stat folder;
  int is_others = geteuid() == 0 && folder_of(path, &folder) == 0 && folder.st_uid != 0;
  // Nor would root follow a user's link: it would write, and make files, wherever that user may not.
  if (file < 0) return open(path, flags | O_CREAT | O_CLOEXEC | (is_others ? O_NOFOLLOW : 0), mode);
  if (!is_others) return file;
  // A file system without owners refuses this, and does not need it.
  int refused = fchown(file, folder.st_uid, folder.st_gid);
  (void)refused;
  return file;
}

int linux_owner_of_folder(const char *path, uid_t *user) {
  struct stat folder;
  if (folder_of(path, &folder) < 0) return -1;
  *user = folder.st_uid;
  return 0;
}

const char *linux_user(uid_t user) {
  static char number[16];
  const struct passwd *found = getpwuid(user);
  if (found) return found->pw_name;
  snprintf(number, sizeof number, "%u", (unsigned)user);
  return number;
}

int linux_act_as(uid_t user) {
  // The groups that systemd would set. By system call: the C library's functions change all threads.
  const struct passwd *found = getpwuid(user);
  gid_t groups[64], group = found ? found->pw_gid : user;
  int count = found ? 64 : 0;
  if (found && getgrouplist(found->pw_name, group, groups, &count) < 0) return -1;
  if (syscall(SET_GROUPS, (size_t)count, groups) < 0) return -1;
  setfsgid(group);
  setfsuid(user);
  return (uid_t)setfsuid((uid_t)-1) == user ? 0 : -1;
}

int linux_may(const char *path, int how) { return faccessat(AT_FDCWD, path, how, AT_EACCESS); }
