#include "CMosquitto.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

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

// Likewise for libmosquitto, which would wait for two minutes: the kernel tries to connect again after ever longer pauses. A fire does not
// wait for that. After seven seconds we try anew, which finds at once that the network is back.
extern int __connect(int socket, const struct sockaddr *address, socklen_t length);

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  int saved = errno;
  int attempts = 2;
  setsockopt(socket, IPPROTO_TCP, TCP_SYNCNT, &attempts, sizeof attempts);
  errno = saved;
  return __connect(socket, address, length);
}
