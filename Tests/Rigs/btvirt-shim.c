/* Lets btvirt run on any kernel and beside others of its kind (LD_PRELOAD, made by btvirt.sh).

   AF_ALG sockets, which btvirt opens at start and which a kernel may lack, become sockets that do nothing: LE crypto commands
   will not work, all else does. And its fixed socket names, /tmp/bt-server-*, move into the directory $BTVIRT_DIR. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef AF_ALG
#define AF_ALG 38
#endif

static const char fixed[] = "/tmp/bt-server-";

/* Nothing, or the name in $BTVIRT_DIR that stands for one of the fixed names. */
static const char *moved(const char *path, char *room, size_t size)
{
	const char *directory = getenv("BTVIRT_DIR");
	if (!directory || strncmp(path, fixed, sizeof fixed - 1))
		return NULL;
	return (size_t)snprintf(room, size, "%s/%s", directory, path + sizeof fixed - 1) < size ? room : NULL;
}

int socket(int domain, int type, int protocol)
{
	int (*real)(int, int, int) = dlsym(RTLD_NEXT, "socket");
	return domain == AF_ALG ? real(AF_UNIX, type, 0) : real(domain, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	if (address->sa_family == AF_ALG)
		return 0;
	if (address->sa_family == AF_UNIX &&
	    moved(((const struct sockaddr_un *)address)->sun_path, local.sun_path, sizeof local.sun_path))
		return real(fd, (const struct sockaddr *)&local, sizeof local);
	return real(fd, address, length);
}

int unlink(const char *path)
{
	int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
	char room[256];
	const char *other = moved(path, room, sizeof room);
	return real(other ? other : path);
}
