#define _GNU_SOURCE
#include "CLinux.h"

#include <netdb.h>
#include <stddef.h>
#include <sys/ioctl.h>

static speed_t speed(int baud) {
  static const struct { int baud; speed_t speed; } speeds[] = {
      {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},   {230400, B230400},
      {460800, B460800},   {500000, B500000},   {576000, B576000},   {921600, B921600},   {1000000, B1000000}, {1152000, B1152000},
      {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000}};
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
    if (speeds[i].baud == baud) return speeds[i].speed;
  return B0;
}

int linux_make_raw(int terminal, int baud) {
  struct termios line;
  if (speed(baud) == B0) {
    errno = EINVAL;
    return -1;
  }
  if (tcgetattr(terminal, &line) < 0) return -1;
  cfmakeraw(&line);
  line.c_cflag |= CLOCAL | CREAD | CRTSCTS;
  line.c_cflag &= ~(tcflag_t)CSTOPB;
  line.c_cc[VMIN] = 1;
  line.c_cc[VTIME] = 0;
  cfsetspeed(&line, speed(baud));
  if (tcsetattr(terminal, TCSANOW, &line) < 0 || ioctl(terminal, TIOCEXCL) < 0) return -1;
  return tcflush(terminal, TCIOFLUSH);
}

static int start(int socket, const struct sockaddr *address, socklen_t length) {
  if (connect(socket, address, length) == 0 || errno == EINPROGRESS) return socket;
  int why = errno;
  close(socket);
  errno = why;
  return -1;
}

int linux_connect_tcp(const char *host, uint16_t port) {
  char service[6];
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(host, service, &hints, &found) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  int line = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (line >= 0) {
    int on = 1, unanswered = 5000;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(line, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
    line = start(line, found->ai_addr, found->ai_addrlen);
  }
  int why = errno;
  freeaddrinfo(found);
  errno = why;
  return line;
}

int linux_connect_unix(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return line < 0 ? -1 : start(line, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
}

int linux_socket_error(int socket) {
  int why = 0;
  socklen_t length = sizeof why;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &why, &length) < 0 ? errno : why;
}
