// The terminal's alternate screen, restored however the program ends.
#include "CLinux.h"
#include <sys/ioctl.h>

static struct termios before;
static volatile sig_atomic_t is_taken, has_keys;

static void put(const char *text, size_t count) {
  while (count > 0) {
    ssize_t written = write(STDOUT_FILENO, text, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    count -= (size_t)written;
  }
}

// Enter the alternate screen, hide the cursor, do not wrap long lines; and undo all that.
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char leave[] = "\033[?7h\033[?25h\033[0m\033[?1049l";

static void take(void) {
  if (has_keys) {
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  put(enter, sizeof enter - 1);
  is_taken = 1;
}

void linux_screen_end(void) {
  if (!is_taken) return;
  is_taken = 0;
  put(leave, sizeof leave - 1);
  if (has_keys) tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

// A signal handler: it may call write and tcsetattr.
static void die(int number) {
  linux_screen_end();
  signal(number, SIG_DFL);
  raise(number);
}

static void pause_screen(int number) {
  (void)number;
  int error = errno;
  linux_screen_end();
  raise(SIGSTOP);
  take();
  errno = error;
}

void linux_screen_start(void) {
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT, SIGALRM, SIGXCPU};
  has_keys = tcgetattr(STDIN_FILENO, &before) == 0;
  for (size_t index = 0; index < sizeof deadly / sizeof *deadly; index++) signal(deadly[index], die);
  struct sigaction action = {.sa_handler = pause_screen, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTSTP, &action, NULL);
  atexit(linux_screen_end);
  take();
}

int linux_screen_has_keys(void) { return has_keys; }

int linux_screen_size(int *columns, int *rows) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
