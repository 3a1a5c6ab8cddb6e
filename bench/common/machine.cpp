#include "common/machine.hpp"

#include <sched.h>

#include <fstream>
#include <tenfold/backend/cpu/caches.hpp>
#include <thread>
#include <xsimd/xsimd.hpp>

namespace tenfold::bench {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

int core_count() {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

/// CMake's, where it passes them, and what can be seen of them.
std::string compiler_flags() {
#if defined(TENFOLD_BENCH_FLAGS)
  return TENFOLD_BENCH_FLAGS;
#else
  std::string flags;
#if defined(__OPTIMIZE__)
  flags += "optimized";
#else
  flags += "not optimized";
#endif
#if defined(__AVX512F__)
  flags += ", AVX-512";
#elif defined(__AVX2__)
  flags += ", AVX2";
#endif
#if defined(__FMA__)
  flags += ", FMA";
#endif
#if !defined(NDEBUG)
  flags += ", assertions on";
#endif
  return flags;
#endif
}

/// Bytes of the data cache of a level.
std::size_t cache_bytes(int level, std::size_t otherwise) {
  const index told = cpu::cache_bytes(level);
  return told > 0 ? static_cast<std::size_t>(told) : otherwise;
}

std::size_t free_memory() {
  std::ifstream info("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes = 0; info >> key >> kilobytes >> unit;) {
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return std::size_t{2} << 30;
}

}  // namespace

machine describe_machine() {
  machine m;
  m.cpu = cpu_name();
  m.cores = core_count();
  m.compiler = compiler_name();
  m.flags = compiler_flags();
  m.isa = xsimd::default_arch::name();
  m.l1 = cache_bytes(1, 32 << 10);
  m.l2 = cache_bytes(2, 1 << 20);
  m.l3 = cache_bytes(3, 32 << 20);
  m.memory = free_memory();
  return m;
}

bool keep_to_one_core() {
#if defined(__linux__)
  const int here = sched_getcpu();
  if (here < 0) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
#else
  return false;
#endif
}

}  // namespace tenfold::bench
