// An adapter of the kernel's that is a packet socket: preloaded, it turns the product's HCI sockets into connections to $ADAPTER, where
// feed.c waits. The kernel stamps packets there, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

int socket(int family, int type, int protocol) {
  static int (*real)(int, int, int);
  if (!real) real = dlsym(RTLD_NEXT, "socket");
  return family == AF_BLUETOOTH ? real(AF_UNIX, SOCK_SEQPACKET | (type & (SOCK_CLOEXEC | SOCK_NONBLOCK)), 0) : real(family, type, protocol);
}

int bind(int socket, const struct sockaddr *given, socklen_t length) {
  static int (*real)(int, const struct sockaddr *, socklen_t);
  if (!real) real = dlsym(RTLD_NEXT, "bind");
  if (given->sa_family != AF_BLUETOOTH) return real(socket, given, length);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("ADAPTER"));
  return connect(socket, (struct sockaddr *)&address, sizeof address);
}
