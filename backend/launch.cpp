#include <complex>
#include <tenfold/backend/carried_sets.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_in_use.hpp>

// The same functions, compiled once per instruction set (cpu/run_dynamic.hpp, gemm.isa.cpp).
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
namespace {

constexpr instruction_set carried[] = {
#if defined(TENFOLD_CARRIES_sse2) || defined(TENFOLD_CARRIES_neon64)
    instruction_set::baseline,
#endif
#if defined(TENFOLD_CARRIES_avx2)
    instruction_set::avx2,
#endif
#if defined(TENFOLD_CARRIES_avx512)
    instruction_set::avx512,
#endif
};
#if defined(__x86_64__)
constexpr bool is_carried(instruction_set set) {
  for (const instruction_set x : carried)
    if (x == set) return true;
  return false;
}
#endif

instruction_set most_of_cpu() {
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

}  // namespace

instruction_set best_instruction_set() { return best_of(carried, most_of_cpu()); }

capabilities capabilities_of(instruction_set isa) {
  capabilities c = isa == instruction_set::avx512 ? avx512_capabilities
                   : isa == instruction_set::avx2 ? avx2_capabilities
                                                  : sse2_capabilities;
  c.tuned = &tuning_in_use(isa);
  return c;
}

/// The one place where an instruction set becomes code.
#define TENFOLD_IF(isa, set, call) \
  if constexpr (is_carried(set))   \
    if (isa == set) return call
#if defined(__x86_64__)
#define TENFOLD_ON(isa, call)                                                        \
  TENFOLD_IF(isa, instruction_set::avx512, cpu::avx512::call);                       \
  TENFOLD_IF(isa, instruction_set::avx2, cpu::avx2::call);                           \
  TENFOLD_IF(isa, instruction_set::baseline, cpu::sse2::call);                       \
  throw backend_error(std::string("tenfold: this library carries no kernels for ") + \
                      option_of(isa) + " (TENFOLD_INSTRUCTION_SETS)")
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
