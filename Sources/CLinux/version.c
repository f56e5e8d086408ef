#include "CLinux.h"

const char *linux_version(void) { return FORECOURT_VERSION; }
