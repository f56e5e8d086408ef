#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/capability.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

// The C library has no function for this, and libcap would be one more library on the board.
int linux_keep_capabilities(uint32_t kept) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  uint32_t surplus = 0;
  if (syscall(SYS_capget, &header, data) < 0) return -1;
  for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
    uint32_t wanted = i == 0 ? kept : 0;
    surplus |= (data[i].permitted & ~wanted) | data[i].inheritable;
    data[i].permitted &= wanted;
    data[i].effective = data[i].permitted;
    data[i].inheritable = 0;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0) return -1;
  // If there is nothing to drop, a system that refuses the call does no harm.
  return surplus ? (int)syscall(SYS_capset, &header, data) : 0;
}

int linux_rename_new(const char *old, const char *new) {
  if (renameat2(AT_FDCWD, old, AT_FDCWD, new, RENAME_NOREPLACE) == 0) return 0;
  // Not every file system supports RENAME_NOREPLACE.
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (access(new, F_OK) < 0) return rename(old, new);
  errno = EEXIST;
  return -1;
}

int64_t linux_free_bytes(const char *path) {
  struct statvfs system;
  if (statvfs(path, &system) < 0) return -1;
  return (int64_t)system.f_bavail * (int64_t)system.f_frsize;
}

int linux_is_read_only(const char *path) {
  struct statvfs system;
  return statvfs(path, &system) == 0 && system.f_flag & ST_RDONLY;
}
