// SPDX-License-Identifier: Apache-2.0
// Exits with status 0 and does nothing else.
void _start(void);

void _start(void) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");  // exit_group
#elif defined(__aarch64__)
  register long number __asm__("x8") = 94;  // exit_group
  register long status __asm__("x0") = 0;
  __asm__ volatile("svc #0" : : "r"(number), "r"(status) : "memory");
#else
#error "write the call of exit_group for this machine"
#endif
  for (;;) {
  }
}
