// The least that a gateway can do: loop PATH stream|packets one|gather. Reads adverts one by one as they come, or those of ten milliseconds
// together; keeps for each address an average and when it was last heard; ends when the line does, and says how many it heard.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 4096, LONGEST = 260, BATCH = 64 };
static struct { uint64_t address; float average; int64_t heard; } table[ROWS];
static long heard;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time.tv_sec * 1000000LL + time.tv_nsec / 1000;
}

static void observe(const uint8_t *packet, int length, int64_t at) {
  if (length < 15 || packet[1] != 0x3E || packet[3] != 2) return;
  uint64_t address = 0;
  memcpy(&address, packet + 7, 6);
  uint32_t row = address * 0x9E3779B97F4A7C15u >> 52;
  while (table[row].address && table[row].address != address) row = (row + 1) % ROWS;
  table[row].address = address;
  table[row].average += ((int8_t)packet[length - 1] - table[row].average) * 0.1f;
  table[row].heard = at;
  heard++;
}

int main(int argc, char **argv) {
  static uint8_t bytes[BATCH * LONGEST];
  if (argc != 4) return 64;
  int is_packets = !strcmp(argv[2], "packets"), gathers = !strcmp(argv[3], "gather"), rest = 0;
  int line = socket(AF_UNIX, is_packets ? SOCK_SEQPACKET : SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
  if (connect(line, (struct sockaddr *)&address, sizeof address)) return 69;
  struct mmsghdr messages[BATCH] = {0};
  struct iovec places[BATCH];
  for (int i = 0; i < BATCH; i++) {
    places[i] = (struct iovec){bytes + i * LONGEST, LONGEST};
    messages[i].msg_hdr = (struct msghdr){.msg_iov = &places[i], .msg_iovlen = 1};
  }
  for (;;) {
    struct pollfd polled = {.fd = line, .events = POLLIN};
    poll(&polled, 1, -1);
    if (gathers) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (is_packets) {
      int count = recvmmsg(line, messages, gathers ? BATCH : 1, MSG_DONTWAIT, NULL);
      if (count < 0 && errno == EAGAIN) continue;
      if (count <= 0 || messages[0].msg_len == 0) break;
      int64_t at = now();
      for (int i = 0; i < count; i++) observe(bytes + i * LONGEST, messages[i].msg_len, at);
      continue;
    }
    ssize_t length = read(line, bytes + rest, sizeof bytes - rest);
    if (length <= 0) break;
    int64_t at = now();
    int from = 0, end = rest + length;
    while (end - from >= 3 && end - from >= 3 + bytes[from + 2]) {
      observe(bytes + from, 3 + bytes[from + 2], at);
      from += 3 + bytes[from + 2];
    }
    memmove(bytes, bytes + from, rest = end - from);
  }
  printf("%ld\n", heard);
}
