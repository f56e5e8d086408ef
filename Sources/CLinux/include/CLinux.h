// The system, as Swift can import it: headers whole, and where a macro, a variadic or a bit-field is in the way, the thinnest function.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// The arguments of the process, kept by a constructor: Embedded Swift has no `CommandLine`.
int linux_argument_count(void);
const char *linux_argument(int index);

static inline int linux_errno(void) { return errno; }
static inline int linux_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline void linux_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

/// The calling thread's name, as `top -H` shows it: 15 bytes at most.
static inline int linux_name_thread(const char *name) { return prctl(PR_SET_NAME, name); }
/// `poll` to the microsecond; a negative limit waits for ever.
int linux_poll(struct pollfd *polled, nfds_t count, int64_t microseconds);

/// The release and the commit this program was built from: a define, so that a build leaves the tree as it was.
const char *linux_version(void);

/// A terminal line for H4: eight bits, no parity, hardware flow control, nothing interpreted; ours alone. -1 and errno where it is none.
int linux_make_raw(int terminal, int baud);

/// A connection that is under way: connected or still connecting. -1 and errno; EADDRNOTAVAIL where the name is unknown.
int linux_connect_tcp(const char *host, uint16_t port);
/// A path that begins with @ is a name in the abstract space.
int linux_connect_unix(const char *path);
/// What became of a connection: 0 or its errno.
int linux_socket_error(int socket);

/// Whether a process of that name (at most 15 bytes) runs.
int linux_runs(const char *name);
/// The same of a service of systemd, also where other users' processes are hidden, as they are from the gateway's own unit.
int linux_service_runs(const char *unit);
/// A user's name; the number, where there is none.
const char *linux_user(uid_t user);

/// `open`, for a file that is made where there is none. What root makes in somebody's folder belongs to him.
int linux_create(const char *path, int flags, mode_t mode);
/// Whose the folder is in which a path lies. -1 where there is none.
int linux_owner_of_folder(const char *path, uid_t *user);
/// From now on this thread, and those that it starts, may open what that user may; 0 gives root his rights back. -1: the system refused.
int linux_look_as(uid_t user);
/// `access` with the rights that `open` would go by.
int linux_may(const char *path, int how);

/// `rename` that leaves alone what stands there: -1 and EEXIST.
int linux_rename_new(const char *old, const char *new);
/// What an ordinary user may still write to the file system of a path; -1 and errno.
int64_t linux_free_bytes(const char *path);

/// Of the calling thread's capabilities only those whose bits are set stay, and none can come back. -1 and errno.
int linux_keep_capabilities(uint32_t kept);

/// The terminal's other screen, where keys are read as they are typed; given back by `end`, at exit and when the program crashes.
void linux_screen_begin(void);
void linux_screen_end(void);
/// Whether standard input is a terminal, too.
int linux_screen_is_typed(void);
/// -1 where the size is unknown.
int linux_screen_size(int *columns, int *rows);
