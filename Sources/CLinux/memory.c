#define _GNU_SOURCE
#include "CLinux.h"

#include <link.h>

static int release(struct dl_phdr_info *object, size_t size, void *page) {
  (void)size;
  // The program itself has no name. Its code is what runs all the time.
  if (!object->dlpi_name[0]) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & -*(uintptr_t *)page;
    madvise((void *)start, object->dlpi_addr + part->p_vaddr + part->p_memsz - start, MADV_DONTNEED);
  }
  return 0;
}

void linux_release_libraries(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(release, &page);
}

__attribute__((noinline)) void linux_release_stack(void) {
  pthread_attr_t attributes;
  void *lowest;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  // Below this frame nothing lives; a few pages are left for the call itself.
  uintptr_t end = ((uintptr_t)__builtin_frame_address(0) & -(uintptr_t)sysconf(_SC_PAGESIZE)) - 16384;
  if (end > (uintptr_t)lowest) madvise(lowest, end - (uintptr_t)lowest, MADV_DONTNEED);
}
