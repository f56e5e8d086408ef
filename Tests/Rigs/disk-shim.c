// Between a program and its disk (LD_PRELOAD): what $DISK_FAULT, a file, says is done to writing and syncing files whose path contains
// $DISK_PATH. "eio": both fail; "sync": syncing alone; "slow MS": syncing takes so long; empty or absent: nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int concerns(int file) {
  char link[64], path[512];
  const char *part = getenv("DISK_PATH");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < 0 || !part) return 0;
  path[count] = 0;
  return strstr(path, part) != NULL;
}

static void fault(char *words, size_t size) {
  words[0] = 0;
  const char *name = getenv("DISK_FAULT");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  ssize_t count = read(file, words, size - 1);
  words[count > 0 ? count : 0] = 0;
  close(file);
}

static int synced(int file, const char *name) {
  char words[32];
  if (concerns(file)) {
    fault(words, sizeof words);
    if (!strncmp(words, "eio", 3) || !strncmp(words, "sync", 4)) {
      errno = EIO;
      return -1;
    }
    if (!strncmp(words, "slow", 4)) usleep((useconds_t)atoi(words + 5) * 1000);
  }
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return next(file);
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  char words[32];
  if (concerns(file)) {
    fault(words, sizeof words);
    if (!strncmp(words, "eio", 3)) {
      errno = EIO;
      return -1;
    }
  }
  ssize_t (*next)(int, const void *, size_t, off64_t) = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return next(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }
