#include <tenfold/backend/launch.hpp>

// The same function, compiled once per instruction set (cpu/run_dynamic.isa.cpp).
#define TENFOLD_DECLARE_RUN_DYNAMIC(isa)                                                        \
  namespace tenfold::cpu::isa {                                                                 \
  void run_dynamic(const program_view& p, const program_arguments<float>& args);                \
  void run_dynamic(const program_view& p, const program_arguments<double>& args);               \
  void run_dynamic(const program_view& p, const program_arguments<std::complex<float>>& args);  \
  void run_dynamic(const program_view& p, const program_arguments<std::complex<double>>& args); \
  }
#if defined(__x86_64__)
TENFOLD_DECLARE_RUN_DYNAMIC(sse2)
TENFOLD_DECLARE_RUN_DYNAMIC(avx2)
TENFOLD_DECLARE_RUN_DYNAMIC(avx512)
#else
TENFOLD_DECLARE_RUN_DYNAMIC(generic)
#endif

namespace tenfold {

instruction_set best_instruction_set() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return instruction_set::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return instruction_set::avx2;
#endif
  return instruction_set::baseline;
}

capabilities capabilities_of(instruction_set isa) {
  switch (isa) {
    case instruction_set::avx512: return avx512_capabilities;
    case instruction_set::avx2: return avx2_capabilities;
    case instruction_set::baseline: break;
  }
  return sse2_capabilities;
}

namespace {

template <class T>
void launch_on(const program_view& p, const program_arguments<T>& args, instruction_set isa) {
#if defined(__x86_64__)
  switch (isa) {
    case instruction_set::avx512: return cpu::avx512::run_dynamic(p, args);
    case instruction_set::avx2: return cpu::avx2::run_dynamic(p, args);
    case instruction_set::baseline: return cpu::sse2::run_dynamic(p, args);
  }
#else
  (void)isa;
  cpu::generic::run_dynamic(p, args);
#endif
}

}  // namespace

void launch(const program_view& p, const program_arguments<float>& args, instruction_set isa) {
  launch_on(p, args, isa);
}
void launch(const program_view& p, const program_arguments<double>& args, instruction_set isa) {
  launch_on(p, args, isa);
}
void launch(const program_view& p, const program_arguments<std::complex<float>>& args,
            instruction_set isa) {
  launch_on(p, args, isa);
}
void launch(const program_view& p, const program_arguments<std::complex<double>>& args,
            instruction_set isa) {
  launch_on(p, args, isa);
}

}  // namespace tenfold
