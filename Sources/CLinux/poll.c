#define _GNU_SOURCE
#include "CLinux.h"

int linux_poll(struct pollfd *polled, nfds_t count, int64_t microseconds) {
  struct timespec limit = {microseconds / 1000000, microseconds % 1000000 * 1000};
  return ppoll(polled, count, microseconds < 0 ? NULL : &limit, NULL);
}
