/* The kernel's Bluetooth from a guest's shell, without libbluetooth: one small program for arm64 and armhf.

   hcitest list                           the adapters and whether they are up; exit 1 when there is none
   hcitest up N | down N
   hcitest attach TTY [FILE]              make TTY an H4 controller (N_HCI) and stay; its end takes the adapter away.
                                          FILE: written with the process id once the line discipline is in place
   hcitest hold N raw|user SECS           own the adapter and be silent: what a gateway finds busy
   hcitest scan N raw|user[x] SECS        bring up (user), scan, print three reports and the count; x: extended commands */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { bluetooth = 31, hci_protocol = 1, channel_raw = 0, channel_user = 1, solicit_filter = 2, line_hci = 15 };

struct address { uint16_t family, device, channel; };
struct filter { uint32_t types, events[2]; uint16_t opcode; };
struct device { uint16_t id; uint32_t flags; };
struct devices { uint16_t count; struct device list[16]; };

/* From the kernel's hci_sock.h and hci_uart.h; the same numbers on arm64 and armhf. */
#define HCIDEVUP _IOW('H', 201, int)
#define HCIDEVDOWN _IOW('H', 202, int)
#define HCIGETDEVLIST _IOR('H', 210, int)
#define HCIUARTSETPROTO _IOW('U', 200, int)

static void fail(const char *what)
{
	fprintf(stderr, "hcitest: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int control(void)
{
	int fd = socket(bluetooth, SOCK_RAW | SOCK_CLOEXEC, hci_protocol);
	if (fd < 0)
		fail("socket(AF_BLUETOOTH)");
	return fd;
}

static int open_adapter(int device, int channel)
{
	int fd = control();
	struct address address = { bluetooth, device, channel };
	struct filter events = { 1 << 4, { ~0u, ~0u }, 0 };
	if (bind(fd, (void *)&address, sizeof address) < 0)
		fail("bind");
	if (channel == channel_raw && setsockopt(fd, 0, solicit_filter, &events, sizeof events) < 0)
		fail("HCI_FILTER");
	return fd;
}

static int read_packet(int fd, uint8_t *packet, int size, double until)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	int left = (until - now()) * 1000;
	if (left < 0 || poll(&ready, 1, left + 1) != 1)
		return 0;
	return read(fd, packet, size);
}

/* The status of the Command Complete; ends the program when none comes. */
static int command(int fd, int opcode, const void *parameters, int count)
{
	uint8_t packet[260] = { 1, opcode, opcode >> 8, count };
	double until = now() + 3;
	int n;
	memcpy(packet + 4, parameters, count);
	if (write(fd, packet, count + 4) < 0)
		fail("write");
	while ((n = read_packet(fd, packet, sizeof packet, until)) > 0)
		if (n >= 7 && packet[1] == 0x0e && packet[4] == (opcode & 255) && packet[5] == opcode >> 8)
			return packet[6];
	fprintf(stderr, "hcitest: command %04x: no answer\n", opcode);
	exit(1);
}

static int list(void)
{
	struct devices devices = { .count = 16 };
	if (ioctl(control(), HCIGETDEVLIST, &devices) < 0)
		fail("HCIGETDEVLIST");
	for (int i = 0; i < devices.count; i++)
		printf("hci%d %s\n", devices.list[i].id, devices.list[i].flags & 1 ? "up" : "down");
	return devices.count == 0;
}

static int attach(const char *path, const char *pidfile)
{
	struct termios line;
	int discipline = line_hci, fd = open(path, O_RDWR | O_NOCTTY);
	if (fd < 0 || tcgetattr(fd, &line) < 0)
		fail(path);
	cfmakeraw(&line);
	line.c_cflag |= CLOCAL;
	cfsetspeed(&line, B115200);
	tcsetattr(fd, TCSANOW, &line);
	tcflush(fd, TCIOFLUSH);
	if (ioctl(fd, TIOCSETD, &discipline) < 0)
		fail("TIOCSETD N_HCI");
	if (ioctl(fd, HCIUARTSETPROTO, 0) < 0)
		fail("HCIUARTSETPROTO H4");
	if (pidfile) {
		FILE *f = fopen(pidfile, "w");
		if (!f)
			fail(pidfile);
		fprintf(f, "%d\n", getpid());
		fclose(f);
	}
	for (;;)
		pause();
}

static int scan(int device, const char *kind, double seconds)
{
	static const uint8_t all[8] = { 255, 255, 255, 255, 255, 255, 255, 0x3f }, all_le[8] = { 0xff, 0x1f };
	int user = !strncmp(kind, "user", 4), extended = kind[strlen(kind) - 1] == 'x', seen = 0, n;
	uint8_t packet[2048];
	int fd = open_adapter(device, user ? channel_user : channel_raw);
	printf("hci%d %s:", device, kind);
	if (user)
		printf(" reset %d", command(fd, 0x0c03, "", 0));
	printf(" masks %d", command(fd, 0x0c01, all, 8));
	printf(" %d", command(fd, 0x2001, all_le, 8));
	if (extended) {
		printf(" parameters %d", command(fd, 0x2041, "\0\0\1\0\x10\0\x10\0", 8));
		printf(" on %d\n", command(fd, 0x2042, "\1\0\0\0\0\0", 6));
	} else {
		printf(" parameters %d", command(fd, 0x200b, "\0\x10\0\x10\0\0\0", 7));
		printf(" on %d\n", command(fd, 0x200c, "\1\0", 2));
	}
	for (double until = now() + seconds; now() < until;) {
		n = read_packet(fd, packet, sizeof packet, until);
		if (n < 15 || packet[1] != 0x3e || (packet[3] != 2 && packet[3] != 13))
			continue;
		if (seen++ >= 3)
			continue;
		printf("  report %02x:", packet[3]);
		for (int i = 4; i < n; i++)
			printf("%02x", packet[i]);
		printf("\n");
	}
	printf("hci%d %s: %d reports, off %d\n", device, kind, seen,
	       extended ? command(fd, 0x2042, "\0\0\0\0\0\0", 6) : command(fd, 0x200c, "\0\0", 2));
	return seen == 0;
}

int main(int count, char **words)
{
	const char *verb = count > 1 ? words[1] : "";
	int device = count > 2 ? atoi(words[2]) : 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(verb, "list"))
		return list();
	if (!strcmp(verb, "attach") && count > 2)
		return attach(words[2], count > 3 ? words[3] : NULL);
	if ((!strcmp(verb, "up") || !strcmp(verb, "down")) && count > 2) {
		unsigned long request = verb[0] == 'u' ? HCIDEVUP : HCIDEVDOWN;
		int fd = control(), status, tries = 3;
		/* The kernel gives an answer two seconds; a busy host may take longer. */
		while ((status = ioctl(fd, request, device)) < 0 && errno == ETIMEDOUT && --tries)
			;
		if (status < 0 && errno != EALREADY) /* the kernel has a fresh adapter up for its own setup */
			fail(verb);
		return 0;
	}
	if (!strcmp(verb, "hold") && count > 4) {
		open_adapter(device, strcmp(words[3], "user") ? channel_raw : channel_user);
		printf("hci%d held\n", device);
		usleep(atof(words[4]) * 1e6);
		return 0;
	}
	if (!strcmp(verb, "scan") && count > 4)
		return scan(device, words[3], atof(words[4]));
	fprintf(stderr, "usage: hcitest list | up N | down N | attach TTY [FILE] | hold N raw|user SECS | scan N raw|user[x] SECS\n");
	return 64;
}
