// A controller that costs nothing to speak of: feed PATH stream|packets. Whoever connects gets a success for every command, and the same
// adverts as all others: a line "RATE SECONDS DEVICES" on standard input starts them; a line follows with how many were sent, and how many
// the first caller's line had no room for.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8 };
static int lines[MOST], count, is_packets;
static long refused[MOST];

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// A kernel's adapter drops what its reader does not fetch; a serial line or a network holds it back.
static void say(int index, const uint8_t *bytes, int length) {
  int flags = MSG_NOSIGNAL | (is_packets ? MSG_DONTWAIT : 0);
  while (length > 0) {
    ssize_t sent = send(lines[index], bytes, length, flags);
    if (sent <= 0) {
      refused[index] += sent < 0 && errno == EAGAIN;
      return;
    }
    bytes += sent;
    length -= sent;
  }
}

// Command Complete with a success and 64 zeros: enough for every command of a bring-up.
static void answer(int index) {
  uint8_t bytes[1024], done[71] = {4, 0x0E, 68, 1};
  ssize_t length = recv(lines[index], bytes, sizeof bytes, MSG_DONTWAIT);
  if (length == 0) {
    close(lines[index]);
    lines[index] = lines[--count];
  }
  for (ssize_t at = 0; at + 4 <= length && bytes[at] == 1; at += 4 + bytes[at + 3]) {
    memcpy(done + 4, bytes + at + 1, 2);
    say(index, done, sizeof done);
  }
}

static void answer_all(int timeout, struct pollfd *others, int other_count) {
  struct pollfd polled[MOST + 2];
  memcpy(polled, others, other_count * sizeof *others);
  for (int i = 0; i < count; i++) polled[other_count + i] = (struct pollfd){.fd = lines[i], .events = POLLIN};
  poll(polled, other_count + count, timeout);
  memcpy(others, polled, other_count * sizeof *others);
  for (int i = count - 1; i >= 0; i--)
    if (polled[other_count + i].revents) answer(i);
}

// An iBeacon's advert. Its level walks, so that an average has work to do.
static void advertise(long number, int devices) {
  static uint8_t packet[45] = {4, 0x3E, 42, 2, 1, 3, 1, 0, 0, 0, 0, 0, 0xC0, 30, 2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15};
  int device = number % devices;
  memcpy(packet + 7, &device, 3);
  memcpy(packet + 40, &device, 2);
  packet[42] = 0xC5;
  packet[44] = 0xB0 + (device * 7 + number / devices % 5) % 24;
  for (int i = 0; i < count; i++) say(i, packet, sizeof packet);
}

static void feed(double rate, double seconds, int devices) {
  long sent = 0, total = rate * seconds;
  int64_t began = now();
  memset(refused, 0, sizeof refused);
  while (sent < total) {
    int64_t due = began + (int64_t)(sent / rate * 1e9);
    struct timespec until = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    // Late ones go at once: the rate is kept on a busy machine, too.
    while (sent < total && began + (int64_t)(sent / rate * 1e9) <= now()) advertise(sent++, devices);
    answer_all(0, NULL, 0);
  }
  printf("%ld %ld\n", sent, refused[0]);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  is_packets = !strcmp(argv[2], "packets");
  int door = socket(AF_UNIX, is_packets ? SOCK_SEQPACKET : SOCK_STREAM, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1]);
  if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, MOST)) return 71;
  for (;;) {
    struct pollfd others[2] = {{.fd = 0, .events = POLLIN}, {.fd = door, .events = POLLIN}};
    answer_all(-1, others, 2);
    if (others[1].revents & POLLIN && count < MOST) lines[count++] = accept(door, NULL, NULL);
    if (!others[0].revents) continue;
    double rate, seconds;
    int devices;
    char line[128];
    ssize_t length = read(0, line, sizeof line - 1);
    if (length <= 0) return 0;
    line[length] = 0;
    if (sscanf(line, "%lf %lf %d", &rate, &seconds, &devices) == 3) feed(rate, seconds, devices);
  }
}
