#include <complex>
#include <cstddef>
#include <span>
#include <tenfold/backend/cuda/variable_gemm.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/backend/problem_shape.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

namespace tenfold {

using namespace batched_blas;

namespace {

/// Throws what is wrong with a problem.
void require(const fault& f, index problem = 0) {
  if (f.what == argument::none) return;
  findings found({}, problem + 1, 1);
  found.add(problem, 0, f);
  found.tell();
}

// Device code reads the descriptors of the host.
template <class T>
constexpr bool lies_alike() {
  using host = gemm_problem<T>;
  using there = device_gemm_problem<T>;
  return sizeof(host) == sizeof(there) && offsetof(host, op_b) == offsetof(there, op_b) &&
         offsetof(host, m) == offsetof(there, m) &&
         offsetof(host, alpha) == offsetof(there, alpha) &&
         offsetof(host, a) == offsetof(there, a) && offsetof(host, ldb) == offsetof(there, ldb) &&
         offsetof(host, beta) == offsetof(there, beta) &&
         offsetof(host, ldc) == offsetof(there, ldc);
}
static_assert(lies_alike<float>() && lies_alike<double>() && lies_alike<std::complex<float>>() &&
              lies_alike<std::complex<double>>());
static_assert(static_cast<int>(op::none) == 0 && static_cast<int>(op::transpose) == 1 &&
              static_cast<int>(op::conjugate_transpose) == 2);

}  // namespace

template <class T>
void gemm(const device_queue& where, order layout, op op_a, op op_b, index m, index n, index k,
          std::type_identity_t<T> alpha, const T* a, index lda, index stride_a, const T* b,
          index ldb, index stride_b, std::type_identity_t<T> beta, T* c, index ldc, index stride_c,
          index count) {
  require_count(count);
  const problem_terms p{op_a, op_b, m, n, k, lda, ldb, ldc, alpha != T(0)};
  const index steps = count > 1;  // nothing steps over the stride of a single problem
  const batch_place at_a{a, steps * stride_a}, at_b{b, steps * stride_b}, at_c{c, steps * stride_c};
  require(strided_fault(layout, p, index{sizeof(T)}, at_a, at_b, at_c, count));
  if (!has_result(p) || count == 0) return;
  const gemm_shape s = shape_of_strides(layout, p, scalar_of<T>, stride_a, stride_b);
  cuda::gemm(*where.machine, s, arguments_of<T>(p, at_a, at_b, at_c, count, alpha, beta),
             where.stream);
}

template <class T>
void gemm(const device_queue& where, order layout, op op_a, op op_b, index m, index n, index k,
          std::type_identity_t<T> alpha, const T* const* a, index lda, const T* const* b, index ldb,
          std::type_identity_t<T> beta, T* const* c, index ldc, index count) {
  const gemm_group<T> group{op_a, op_b, m, n, k, alpha, lda, ldb, beta, ldc, count};
  gemm(where, layout, &group, 1, a, b, c);
}

template <class T>
void gemm(const device_queue& where, order layout, const gemm_group<T>* groups, index group_count,
          const T* const* a, const T* const* b, T* const* c) {
  require_count(group_count);
  require_list(groups, "groups", group_count, "group");
  index problems = 0, results = 0, readers = 0;
  for (index i = 0; i < group_count; problems += groups[i].count, ++i) {
    require_count(groups[i].count);
    const problem_terms p = terms_of(groups[i]);
    if (groups[i].count > 0) require(fault_in_sizes(layout, p, index{sizeof(T)}), problems);
    if (has_result(p)) results += groups[i].count;
    if (reads_operands(p)) readers += groups[i].count;
  }
  require_list(a, "a", readers);
  require_list(b, "b", readers);
  require_list(c, "c", results);
  std::vector<cuda::gemm_call<T>> calls;
  calls.reserve(static_cast<std::size_t>(group_count));
  index first = 0;
  for (index i = 0; i < group_count; first += groups[i].count, ++i) {
    const gemm_group<T>& g = groups[i];
    const problem_terms p = terms_of(g);
    if (!has_result(p) || g.count == 0) continue;
    const gemm_shape s = shape_of_terms(batch_layout::pointers, layout, p, scalar_of<T>);
    const bool reads = reads_operands(p);
    calls.push_back(
        {s, arguments_of<T>(p, {reads ? a + first : nullptr}, {reads ? b + first : nullptr},
                            {c + first}, g.count, g.alpha, g.beta)});
  }
  cuda::gemm(*where.machine, std::span<const cuda::gemm_call<T>>(calls), where.stream);
}

template <class T>
void gemm(const device_queue& where, order layout, const gemm_problem<T>* problems, index count,
          int* codes, index usual) {
  require_count(count);
  require_list(problems, "problems", count);
  cuda::variable_gemm(*where.machine, scalar_of<T>, layout == order::row_major, problems, codes,
                      count, usual, where.stream);
}

#define TENFOLD_GEMM_ON_DEVICE(T)                                                                 \
  template void gemm<T>(const device_queue&, order, op, op, index, index, index, T, const T*,     \
                        index, index, const T*, index, index, T, T*, index, index, index);        \
  template void gemm<T>(const device_queue&, order, op, op, index, index, index, T,               \
                        const T* const*, index, const T* const*, index, T, T* const*, index,      \
                        index);                                                                   \
  template void gemm<T>(const device_queue&, order, const gemm_group<T>*, index, const T* const*, \
                        const T* const*, T* const*);                                              \
  template void gemm<T>(const device_queue&, order, const gemm_problem<T>*, index, int*, index)
TENFOLD_GEMM_ON_DEVICE(float);
TENFOLD_GEMM_ON_DEVICE(double);
TENFOLD_GEMM_ON_DEVICE(std::complex<float>);
TENFOLD_GEMM_ON_DEVICE(std::complex<double>);
#undef TENFOLD_GEMM_ON_DEVICE

}  // namespace tenfold
