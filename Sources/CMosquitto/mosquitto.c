#include "CMosquitto.h"

#include <errno.h>
#include <stdlib.h>

static _Thread_local size_t most;
static _Thread_local size_t refused;

size_t mosquitto_bound_memory(size_t bytes) {
  size_t before = refused;
  most = bytes;
  refused = 0;
  return before;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_ANOTHER_MALLOC
#endif
#endif

#ifndef HAS_ANOTHER_MALLOC
// The program's own definition precedes the C library's, also for libmosquitto.
extern void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes) {
  if (most > 0 && bytes > most) {
    refused = bytes;
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}
#endif
