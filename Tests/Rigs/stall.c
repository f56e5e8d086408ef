// A disk that hangs, for one program: LD_PRELOAD this. While the file that $STALL names is there, whoever opens, writes out or renames a
// path with the words in that file waits. What is written out and renamed is noted in $STALL_LOG.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int (*really_open)(const char *, int, ...);

__attribute__((constructor)) static void begin(void) { really_open = dlsym(RTLD_NEXT, "open64"); }

static int is_meant(const char *path) {
  const char *place = getenv("STALL");
  char words[256];
  int file = place ? really_open(place, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  ssize_t count = read(file, words, sizeof words - 1);
  close(file);
  if (count <= 0) return 0;
  words[count] = 0;
  return strstr(path, words) != NULL;
}

static void stall(const char *path) {
  while (is_meant(path)) usleep(20000);
}

static void note(const char *verb, const char *path) {
  const char *place = getenv("STALL_LOG");
  int file = place ? really_open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
  if (file < 0) return;
  dprintf(file, "%s %s\n", verb, path);
  close(file);
}

static int opened(const char *path, int flags, mode_t mode) {
  stall(path);
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
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, sizeof path - 1);
  path[count < 0 ? 0 : count] = 0;
  stall(path);
  note("sync", path);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }

int rename(const char *old, const char *new) {
  stall(new);
  note("rename", new);
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(old, new);
}
