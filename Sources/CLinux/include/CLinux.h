// The system for Swift: whole headers, and the thinnest function wherever Swift cannot import a macro, a variadic or a bit-field.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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

// Whoever starts us may have closed them; the next file to be opened would get such a number, and what is printed.
void linux_open_standard_files(void);

/// The calling thread's name, as `top -H` shows it: 15 bytes at most.
static inline int linux_name_thread(const char *name) { return prctl(PR_SET_NAME, name); }
/// `poll` with microseconds; a negative limit waits for ever.
int linux_poll(struct pollfd *polled, nfds_t count, int64_t microseconds);

/// The release and the commit of this build: a define, so that a build does not change the tree.
const char *linux_version(void);

/// Prepares a serial line for H4: eight bits, no parity, hardware flow control, raw, exclusive. -1 and errno if it is no serial line.
int linux_make_raw(int terminal, int baud);

/// Starts a connection without waiting for it. -1 and errno; EADDRNOTAVAIL if the name is unknown.
int linux_connect_tcp(const char *host, uint16_t port);
/// A path that begins with @ is a name in the abstract space.
int linux_connect_unix(const char *path);
/// The result of a started connection: 0 or its errno.
int linux_socket_error(int socket);

/// Whether a process of this name (at most 15 bytes) runs.
int linux_runs(const char *name);
/// Whether a systemd service runs. Works even where other users' processes are hidden, as in the gateway's own unit.
int linux_service_runs(const char *unit);
/// The first process of a systemd service; 0 if it does not run.
pid_t linux_service_process(const char *unit);
/// Runs a line in the shell, as system() does, without the signals that this process blocks. Its exit code; -1 if it cannot be run.
int linux_run(const char *line);
/// A user's name, or its number if it has none.
const char *linux_user(uid_t user);

/// `open` that creates a missing file. What root creates in a user's folder belongs to that user, and root follows no link there (ELOOP).
int linux_create(const char *path, int flags, mode_t mode);
/// The owner of the folder of a path. -1 if there is no such folder.
int linux_owner_of_folder(const char *path, uid_t *user);
/// From now on this thread, and those that it starts, may open what that user may; 0 restores root's rights. -1: the system refused.
int linux_act_as(uid_t user);
/// `access` with the rights that `open` uses.
int linux_may(const char *path, int how);

/// `rename` that does not replace an existing file: -1 and EEXIST.
int linux_rename_new(const char *old, const char *new);
/// How many bytes an ordinary user may still write to the file system of a path; -1 and errno.
int64_t linux_free_bytes(const char *path);
/// Whether nobody may write to the file system of a path, seen from here.
int linux_is_read_only(const char *path);

/// The calling thread keeps only the capabilities whose bits are set, for good. -1 and errno.
int linux_keep_capabilities(uint32_t kept);

/// Lets go of the libraries' code and constants, which are clean pages of files: what is used again is mapped again.
void linux_release_libraries(void);
/// Lets go of the pages below the caller's frame, which the start has used and nothing needs.
void linux_release_stack(void);

/// The terminal's alternate screen, with unbuffered keys; restored by `end`, at exit, and when the program crashes.
void linux_screen_start(void);
void linux_screen_end(void);
/// Whether standard input is a terminal that sends keys.
int linux_screen_has_keys(void);
/// -1 if the size is unknown.
int linux_screen_size(int *columns, int *rows);
