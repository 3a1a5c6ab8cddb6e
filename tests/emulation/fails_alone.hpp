#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

/// Code that is wrong on purpose, under sanitizers, which end a program or spoil its exit status.
namespace tenfold::emulation {

/// Runs f in a process of its own that says nothing. Whether that failed: because f is true, by an
/// exception, or because a sanitizer found something.
template <class F>
bool fails_alone(const F& f) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      std::exit(1);
    try {
      std::exit(f() ? 1 : 0);
    } catch (...) {
      std::exit(1);
    }
  }
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

}  // namespace tenfold::emulation
