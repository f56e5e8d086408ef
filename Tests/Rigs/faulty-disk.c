// Between a program and its disk (LD_PRELOAD). The file $DISK_FAULT holds "KIND MILLISECONDS PART"; it applies to paths that contain PART:
//   hang   whoever opens, syncs or renames such a file waits until the fault has gone
//   slow   syncing takes that long
//   fail   writing and syncing give EIO
// Every sync and rename is recorded in the file $DISK_LOG, a line each.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*really_open)(const char *, int, ...);

__attribute__((constructor)) static void find_open(void) { really_open = dlsym(RTLD_NEXT, "open64"); }

// Whether this kind of fault applies to the path; if so, its milliseconds plus one.
static int fault(const char *kind, const char *path) {
  const char *place = getenv("DISK_FAULT");
  char words[300], named[8], part[256];
  int milliseconds, file = place ? really_open(place, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  ssize_t count = read(file, words, sizeof words - 1);
  close(file);
  words[count > 0 ? count : 0] = 0;
  if (sscanf(words, "%7s %d %255s", named, &milliseconds, part) != 3) return 0;
  return !strcmp(named, kind) && strstr(path, part) ? milliseconds + 1 : 0;
}

static void wait_while_hanging(const char *path) {
  while (fault("hang", path)) usleep(20000);
}

static void record(const char *verb, const char *path) {
  const char *place = getenv("DISK_LOG");
  int file = place ? really_open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  if (file < 0) return;
  dprintf(file, "%s %s\n", verb, path);
  close(file);
}

static void path_of(int file, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, size - 1);
  path[count < 0 ? 0 : count] = 0;
}

static int fails(const char *path) {
  if (!fault("fail", path)) return 0;
  errno = EIO;
  return 1;
}

static int opened(const char *path, int flags, mode_t mode) {
  wait_while_hanging(path);
  return really_open(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path, flags, mode);
}

static int synced(int file, const char *name) {
  char path[4096];
  path_of(file, path, sizeof path);
  wait_while_hanging(path);
  record("sync", path);
  if (fails(path)) return -1;
  int slow = fault("slow", path);
  if (slow) usleep((useconds_t)(slow - 1) * 1000);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  char path[4096];
  path_of(file, path, sizeof path);
  if (fails(path)) return -1;
  return ((ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }

int rename(const char *old, const char *new) {
  wait_while_hanging(new);
  record("rename", new);
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(old, new);
}
