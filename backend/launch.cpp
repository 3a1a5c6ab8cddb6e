#include <complex>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_in_use.hpp>

// The same functions, compiled once per instruction set (cpu/run_dynamic.isa.cpp, gemm.isa.cpp).
#define TENFOLD_DECLARE_RUN_DYNAMIC(isa)                                                       \
  namespace tenfold::cpu::isa {                                                                \
  template <class T>                                                                           \
  void run_dynamic(const program_view& p, const program_arguments<T>& args);                   \
  template <class T>                                                                           \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& args);                           \
  template <class T>                                                                           \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& args, const gemm_tuning& tuned); \
  template <class T>                                                                           \
  void gemm(const gemm_list<T>& list);                                                         \
  void copy(const batch_copy& c, scalar type);                                                 \
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

void launch(const batch_copy& c, scalar type, instruction_set isa) {
  TENFOLD_ON(isa, copy(c, type));
}

template <class T>
void launch(const program_view& p, const program_arguments<T>& args, instruction_set isa) {
  TENFOLD_ON(isa, run_dynamic(p, args));
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

#define TENFOLD_INSTANTIATE(T)                                                             \
  template void launch(const program_view&, const program_arguments<T>&, instruction_set); \
  template void launch(const gemm_shape&, const gemm_arguments<T>&, instruction_set);      \
  template void launch(const gemm_list<T>&, instruction_set);                              \
  template void launch(const gemm_shape&, const gemm_arguments<T>&, instruction_set,       \
                       const gemm_tuning&);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(std::complex<float>)
TENFOLD_INSTANTIATE(std::complex<double>)

}  // namespace tenfold
