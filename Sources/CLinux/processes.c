#include "CLinux.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/wait.h>

int linux_runs(const char *name) {
  DIR *all = opendir("/proc");
  if (!all) return 0;
  int runs = 0;
  for (struct dirent *entry; !runs && (entry = readdir(all));) {
    char path[300], comm[32];
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE *file = fopen(path, "re");
    if (!file) continue;
    if (fgets(comm, sizeof comm, file)) {
      comm[strcspn(comm, "\n")] = 0;
      runs = strcmp(comm, name) == 0;
    }
    fclose(file);
  }
  closedir(all);
  return runs;
}

// A file of a service's control group, where systemd keeps only that one hierarchy, or where it keeps it beside the old ones.
static FILE *service_file(const char *unit, const char *name) {
  char path[300];
  snprintf(path, sizeof path, "/sys/fs/cgroup/system.slice/%s/%s", unit, name);
  FILE *file = fopen(path, "re");
  if (file) return file;
  snprintf(path, sizeof path, "/sys/fs/cgroup/unified/system.slice/%s/%s", unit, name);
  return fopen(path, "re");
}

int linux_service_runs(const char *unit) {
  int runs = 0;
  char line[64];
  FILE *file = service_file(unit, "cgroup.events");
  if (!file) return 0;
  while (!runs && fgets(line, sizeof line, file)) runs = strcmp(line, "populated 1\n") == 0;
  fclose(file);
  return runs;
}

pid_t linux_service_process(const char *unit) {
  char line[64];
  FILE *file = service_file(unit, "cgroup.procs");
  if (!file) return 0;
  int process = fgets(line, sizeof line, file) ? atoi(line) : 0;
  fclose(file);
  return process;
}

int linux_run(const char *line) {
  pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
  }
  int status;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The other way round: reading or writing there fails, as it did when it was closed.
void linux_open_standard_files(void) {
  for (int file = 0; file <= 2; file++)
    if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
}
