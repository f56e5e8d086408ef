// Runs the machine and the C reference over one H4 file that lies in memory, turn by turn, and prints the best of each as JSON.
//   bench FILE.h4 RUNS    speed, in seconds of this thread's own time: others on the machine do not count
//   bench FILE.h4 count average|region|trigger|plan2|plan4|site2|site8|reference|idle|flood    one run, for callgrind
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum depth { AVERAGE, REGION, TRIGGER, CROWD, FLOOD, PLAN_OF_TWO, PLAN_OF_FOUR, SITE };
static const char *names[] = {"average", "region", "trigger", "idle"};

long gateway_bytes(long depth);
void *gateway_start(void *memory, long lent, long depth);
void gateway_listen(void *bench, const void *stream, long count);
void gateway_visit(void *bench, long receivers);
void gateway_wait(void *bench, long start_us, long end_us);
long gateway_kept(void *bench);
long gateway_stop(void *bench, long *tracked, long *published);
long reference(const void *stream, long count, long *devices);
long ring_pass(void *memory, long lent, long count);

// Every way to memory goes through here (the linker's --wrap).
static long allocations;
void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t), *__real_aligned_alloc(size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);
void *__wrap_malloc(size_t bytes) { return allocations++, __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return allocations++, __real_calloc(count, bytes); }
void *__wrap_realloc(void *old, size_t bytes) { return allocations++, __real_realloc(old, bytes); }
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) { return allocations++, __real_aligned_alloc(alignment, bytes); }
int __wrap_posix_memalign(void **place, size_t alignment, size_t bytes) {
  return allocations++, __real_posix_memalign(place, alignment, bytes);
}

static char *stream;
static long bytes;

struct result {
  double seconds;
  long reports, devices, published, allocations, lost;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static struct result run(enum depth depth, long receivers) {
  struct result result = {0};
  long lent = gateway_bytes(depth);
  void *memory = aligned_alloc(64, (lent + 63) & ~63L);
  memset(memory, 0, lent);
  void *bench = gateway_start(memory, lent, depth);
  long before = allocations;
  double start = now();
  if (receivers > 0) gateway_visit(bench, receivers);
  else gateway_listen(bench, stream, bytes);
  result.seconds = now() - start;
  result.allocations = allocations - before;
  result.reports = gateway_stop(bench, &result.devices, &result.published);
  free(memory);
  return result;
}

static struct result run_gateway(enum depth depth) { return run(depth, 0); }

// By itself, for callgrind: 10,000 ticks of a millisecond.
__attribute__((noinline)) static void idle(void *bench) { gateway_wait(bench, 60000000, 70000000); }

// A table full of devices, each heard once within half a minute; after a minute none is due for another.
static struct result run_idle(void) {
  enum { DEVICES = 65536 };
  static unsigned char crowd[DEVICES][15];
  for (int i = 0; i < DEVICES; i++)
    memcpy(crowd[i], (unsigned char[]){4, 0x3E, 12, 2, 1, 3, 1, i, i >> 8, 0, 0, 0, 0xC0, 0, 0xC4}, 15);
  struct result result = {0};
  long lent = gateway_bytes(CROWD);
  void *memory = aligned_alloc(64, (lent + 63) & ~63L);
  memset(memory, 0, lent);
  void *bench = gateway_start(memory, lent, CROWD);
  gateway_listen(bench, crowd, sizeof crowd);
  gateway_wait(bench, 33000000, 60000000);
  double start = now();
  idle(bench);
  result.seconds = now() - start;
  gateway_stop(bench, &result.devices, &result.published);
  result.reports = 10000;
  free(memory);
  return result;
}

static struct result run_reference(void) {
  struct result result = {0};
  double start = now();
  result.reports = reference(stream, bytes, &result.devices);
  result.seconds = now() - start;
  return result;
}

static struct result run_ring(void) {
  struct result result = {.reports = 10000000};
  long lent = gateway_bytes(AVERAGE);
  void *memory = calloc(1, lent);
  double start = now();
  if (ring_pass(memory, lent, result.reports) != result.reports * (result.reports - 1) / 2) exit(70);
  result.seconds = now() - start;
  free(memory);
  return result;
}

// A million random addresses, and among every ten thousand one advert of the device that somebody wants.
static struct result run_flood(void) {
  enum { STRANGERS = 1000000, EACH = 10000 };
  struct result result = {0};
  long lent = gateway_bytes(FLOOD);
  void *memory = aligned_alloc(64, (lent + 63) & ~63L);
  memset(memory, 0, lent);
  void *bench = gateway_start(memory, lent, FLOOD);
  unsigned char packet[15] = {4, 0x3E, 12, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4};
  unsigned long state = 42;
  char *flood = malloc((STRANGERS + STRANGERS / EACH) * sizeof packet), *end = flood;
  for (long stranger = 0; stranger < STRANGERS; stranger++) {
    if (stranger % EACH == 0) end = (char *)memcpy(end, packet, sizeof packet) + sizeof packet;
    state = state * 6364136223846793005u + 1442695040888963407u;
    memcpy(memcpy(end, packet, sizeof packet) + 7, (char *)&state + 2, 6);
    end += sizeof packet;
  }
  gateway_listen(bench, flood, end - flood);
  result.lost = STRANGERS / EACH - gateway_kept(bench);
  result.reports = gateway_stop(bench, &result.devices, &result.published);
  free(flood);
  free(memory);
  return result;
}

static void keep_best(struct result *best, struct result next) {
  if (best->seconds == 0 || next.seconds < best->seconds) *best = next;
}

static void print(const char *name, struct result result) {
  printf("{\"name\":\"%s\",\"reports\":%ld,\"devices\":%ld,\"published\":%ld,\"allocations\":%ld,\"lost\":%ld,\"seconds\":%.6f,\"per_second\":%.0f}\n",
    name, result.reports, result.devices, result.published, result.allocations, result.lost, result.seconds, result.reports / result.seconds);
}

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  int file = open(argv[1], O_RDONLY);
  struct stat about;
  if (file < 0 || fstat(file, &about) != 0) return 65;
  stream = malloc(bytes = about.st_size);
  for (long done = 0, piece; done < bytes; done += piece)
    if ((piece = read(file, stream + done, bytes - done)) <= 0) return 65;
  if (argc > 3) {
    struct result result = {0};
    if (strcmp(argv[3], "reference") == 0) result = run_reference();
    else if (strcmp(argv[3], "idle") == 0) result = run_idle();
    else if (strcmp(argv[3], "flood") == 0) result = run_flood();
    else if (strcmp(argv[3], "plan2") == 0) result = run_gateway(PLAN_OF_TWO);
    else if (strncmp(argv[3], "site", 4) == 0) result = run(SITE, atoi(argv[3] + 4));
    else if (strcmp(argv[3], "plan4") == 0) result = run_gateway(PLAN_OF_FOUR);
    else
      for (int depth = AVERAGE; depth <= TRIGGER; depth++)
        if (strcmp(argv[3], names[depth]) == 0) result = run_gateway(depth);
    return print(argv[3], result), 0;
  }
  struct result least = {0}, ring = {0}, gateway[3] = {0};
  for (int left = atoi(argv[2]); left > 0; left--) {
    keep_best(&least, run_reference());
    for (int depth = AVERAGE; depth <= TRIGGER; depth++) keep_best(&gateway[depth], run_gateway(depth));
    keep_best(&ring, run_ring());
  }
  print("reference", least);
  for (int depth = AVERAGE; depth <= TRIGGER; depth++) print(names[depth], gateway[depth]);
  print("ring", ring);
  return 0;
}
