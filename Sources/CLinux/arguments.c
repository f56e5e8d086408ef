#include "CLinux.h"

static int count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
  count = argc;
  arguments = argv;
}

int linux_argument_count(void) { return count; }
const char *linux_argument(int index) { return index < count ? arguments[index] : NULL; }
