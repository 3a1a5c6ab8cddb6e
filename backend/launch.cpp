#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_in_use.hpp>

// The same functions, compiled once per instruction set (cpu/run_dynamic.isa.cpp, gemm.isa.cpp).
#define TENFOLD_DECLARE_RUN_DYNAMIC(isa)                                                           \
  namespace tenfold::cpu::isa {                                                                    \
  void run_dynamic(const program_view& p, const program_arguments<float>& args);                   \
  void run_dynamic(const program_view& p, const program_arguments<double>& args);                  \
  void run_dynamic(const program_view& p, const program_arguments<std::complex<float>>& args);     \
  void run_dynamic(const program_view& p, const program_arguments<std::complex<double>>& args);    \
  void gemm(const gemm_shape& shape, const gemm_arguments<float>& args);                           \
  void gemm(const gemm_shape& shape, const gemm_arguments<float>& args, const gemm_tuning& tuned); \
  void gemm(const gemm_shape& shape, const gemm_arguments<double>& args);                          \
  void gemm(const gemm_shape& shape, const gemm_arguments<double>& args,                           \
            const gemm_tuning& tuned);                                                             \
  void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<float>>& args);             \
  void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<float>>& args,              \
            const gemm_tuning& tuned);                                                             \
  void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<double>>& args);            \
  void gemm(const gemm_shape& shape, const gemm_arguments<std::complex<double>>& args,             \
            const gemm_tuning& tuned);                                                             \
  void copy(const batch_copy& c, scalar type);                                                     \
  void gemm(const gemm_list<float>& list);                                                         \
  void gemm(const gemm_list<double>& list);                                                        \
  void gemm(const gemm_list<std::complex<float>>& list);                                           \
  void gemm(const gemm_list<std::complex<double>>& list);                                          \
  }
#if defined(__x86_64__)
TENFOLD_DECLARE_RUN_DYNAMIC(sse2)
TENFOLD_DECLARE_RUN_DYNAMIC(avx2)
TENFOLD_DECLARE_RUN_DYNAMIC(avx512)
#else
TENFOLD_DECLARE_RUN_DYNAMIC(neon64)
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
  capabilities c = isa == instruction_set::avx512 ? avx512_capabilities
                   : isa == instruction_set::avx2 ? avx2_capabilities
                                                  : sse2_capabilities;
  c.tuned = &tuning_in_use(isa);
  return c;
}

namespace {

/// The one place where an instruction set becomes code.
#if defined(__x86_64__)
#define TENFOLD_ON(isa, call)       \
  switch (isa) {                    \
    case instruction_set::avx512:   \
      return cpu::avx512::call;     \
    case instruction_set::avx2:     \
      return cpu::avx2::call;       \
    case instruction_set::baseline: \
      return cpu::sse2::call;       \
  }
#else
#define TENFOLD_ON(isa, call) \
  (void)isa;                  \
  cpu::neon64::call
#endif

template <class T>
void launch_on(const program_view& p, const program_arguments<T>& args, instruction_set isa) {
  TENFOLD_ON(isa, run_dynamic(p, args));
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

void launch(const batch_copy& c, scalar type, instruction_set isa) {
  TENFOLD_ON(isa, copy(c, type));
}

template <class T>
void launch(const gemm_shape& shape, const gemm_arguments<T>& arguments, instruction_set isa) {
  TENFOLD_ON(isa, gemm(shape, arguments));
}
template <class T>
void launch(const gemm_list<T>& list, instruction_set isa) {
  TENFOLD_ON(isa, gemm(list));
}
template <class T>
void launch(const gemm_shape& shape, const gemm_arguments<T>& arguments, instruction_set isa,
            const gemm_tuning& tuned) {
  TENFOLD_ON(isa, gemm(shape, arguments, tuned));
}

#define TENFOLD_INSTANTIATE(T)                                                        \
  template void launch(const gemm_shape&, const gemm_arguments<T>&, instruction_set); \
  template void launch(const gemm_list<T>&, instruction_set);                         \
  template void launch(const gemm_shape&, const gemm_arguments<T>&, instruction_set,  \
                       const gemm_tuning&);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(std::complex<float>)
TENFOLD_INSTANTIATE(std::complex<double>)

}  // namespace tenfold
