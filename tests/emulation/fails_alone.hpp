#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

/// Code that is wrong on purpose, under sanitizers, which end a program or spoil its exit status.
namespace tenfold::emulation {

constexpr const char* alone = "TENFOLD_TEST_ALONE";

/// Counts the calls of fails_alone in the test case that runs.
inline int next_call(const std::string& test) {
  static std::string last;
  static int calls = 0;
  calls = test == last ? calls + 1 : 1;
  last = test;
  return calls;
}

/// Runs f in a process of its own that says nothing. Whether that failed: because f is true, by an
/// exception, or because a sanitizer found something.
///
/// The process is this program from its start, with this test case alone, up to this call: the
/// thread sanitizer does not follow who waits for whom in a mere copy of a process with threads.
template <class F>
bool fails_alone(const F& f) {
  std::string test = doctest::getContextOptions()->currentTest->m_name;
  const int call = next_call(test);
  if (const char* const asked = std::getenv(alone)) {
    if (call != std::atoi(asked)) return false;
    try {
      std::exit(f() ? 1 : 0);
    } catch (...) {
      std::exit(1);
    }
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::replace(test.begin(), test.end(), ',', '?');  // between filters; ?: any character
    const std::string filter = "--test-case=" + test;
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr ||
        setenv(alone, std::to_string(call).c_str(), 1) != 0)
      std::_Exit(1);
    execl("/proc/self/exe", "tests", filter.c_str(), static_cast<char*>(nullptr));
    std::_Exit(1);
  }
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

}  // namespace tenfold::emulation
