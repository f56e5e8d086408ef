// The product is compiled without exceptions: what libstdc++ throws when memory ends, nobody catches, and the program ends. With these
// it ends without libstdc++'s unwinder, which is 30 kB. Tests are compiled with exceptions, and keep it.
#ifndef __cpp_exceptions
#include <cstdlib>
#include <unistd.h>

namespace {
[[noreturn]] void end() {
  constexpr char words[] = "forecourt: no memory to read the configuration\n";
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) abort();
  abort();
}
} // namespace

extern "C" {
[[noreturn]] void __cxa_allocate_exception() { end(); }
[[noreturn]] void __cxa_begin_catch() { end(); }
[[noreturn]] void __cxa_call_terminate() { end(); }
[[noreturn]] void __cxa_end_catch() { end(); }
[[noreturn]] void __cxa_free_exception() { end(); }
[[noreturn]] void __cxa_rethrow() { end(); }
[[noreturn]] void __cxa_throw() { end(); }
[[noreturn]] void __gxx_personality_v0() { end(); }
[[noreturn]] void _Unwind_RaiseException() { end(); }
[[noreturn]] void _Unwind_Resume() { end(); }
#ifdef __arm__
[[noreturn]] void __aeabi_unwind_cpp_pr0() { end(); }
[[noreturn]] void __aeabi_unwind_cpp_pr1() { end(); }
[[noreturn]] void __aeabi_unwind_cpp_pr2() { end(); }
[[noreturn]] void __cxa_begin_cleanup() { end(); }
[[noreturn]] void __cxa_end_cleanup() { end(); }
[[noreturn]] void __cxa_type_match() { end(); }
#endif
}
#endif
