#pragma once

#include <tenfold/tensor/scalar_kind.hpp>

/// What device code may use beside the language: its place among the threads, waiting, shuffles,
/// shared memory, copies into it, and numbers. Nothing of the standard library, which NVRTC has
/// not.
///
/// The same text is read by NVRTC, by nvcc and by the host's compilers. On the host somebody else
/// defines what is declared in `emulated`; that is what the tests do.

// NOLINTBEGIN(bugprone-macro-parentheses): types cannot be
#if defined(__CUDACC__)
#define TENFOLD_DEVICE __device__ __forceinline__
#define TENFOLD_PRAGMA(text) _Pragma(#text)
#define TENFOLD_UNROLL_BY(n) TENFOLD_PRAGMA(unroll(n))
#define TENFOLD_UNROLL TENFOLD_PRAGMA(unroll)

/// TENFOLD_DEVICE_KERNEL(name, threads, blocks, type, x) { ... }: what can be launched, by name, in
/// blocks of so many threads, with one argument x of that type. The compiler takes no more
/// registers than leave room for so many blocks on a multiprocessor.
#define TENFOLD_DEVICE_KERNEL(name, threads, blocks, type, x) \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ type x)
/// TENFOLD_DEVICE_CONSTANTS(name, type, count): numbers that are in constant memory when the device
/// kernel begins.
#define TENFOLD_DEVICE_CONSTANTS(name, type, count) \
  extern "C" {                                      \
  __constant__ type name[count];                    \
  }
#else
#define TENFOLD_DEVICE inline
#define TENFOLD_UNROLL_BY(n)
#define TENFOLD_UNROLL

/// On the host it is called with cuLaunchKernel's list of addresses of arguments, by every thread.
#define TENFOLD_DEVICE_KERNEL(name, threads, blocks, type, x)  \
  static void name##_of_thread(const type& x);                 \
  extern "C" void name(void** arguments);                      \
  extern "C" void name(void** arguments) {                     \
    static_assert((threads) > 0 && (threads) <= 1024);         \
    name##_of_thread(*static_cast<const type*>(arguments[0])); \
  }                                                            \
  static void name##_of_thread(const type& x)

#define TENFOLD_DEVICE_CONSTANTS(name, type, count) \
  extern "C" {                                      \
  type name[count];                                 \
  }

// NOLINTEND(bugprone-macro-parentheses)

namespace tenfold::cuda::emulated {
int thread();
long long block();
long long blocks();
void* shared_memory();
void wait_for_block(const char* file, int line);
void wait_for_warp(const char* file, int line);
/// Gives `bytes` bytes at `mine` to the warp and takes those of another lane to `taken`.
void shuffle(const void* mine, void* taken, int bytes, int lane, const char* file, int line);
void copy_async(void* to, const void* from, int bytes);
/// What is read or written at once must lie at a multiple of its bytes.
void check_alignment(const void* place, int bytes);
/// Entry `at` must be one of `count` from `first` on.
void check_range(long long at, long long first, long long count);
void close_copies();
void wait_for_copies(int open);
}  // namespace tenfold::cuda::emulated
#endif

namespace tenfold::cuda {

// ---- threads ------------------------------------------------------------------------------------

#if defined(__CUDACC__)
TENFOLD_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
/// The same, by an instruction of its own: the compiler does not keep in registers, from one pass
/// to the next, what it has computed from it.
TENFOLD_DEVICE int thread_index_anew() {
  int index;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(index));
  return index;
}
/// The first thread of the warp of thread t. It comes by a shuffle, from which the compiler knows
/// that it is one for all of them.
TENFOLD_DEVICE int first_of_warp(int t) { return __shfl_sync(0xffffffffu, t, 0); }
TENFOLD_DEVICE long long block_index() { return blockIdx.x; }
TENFOLD_DEVICE long long block_count() { return gridDim.x; }

/// Goes on when all threads of the block, or of the warp, are here; what they wrote is visible
/// then.
TENFOLD_DEVICE void wait_for_block() { __syncthreads(); }
TENFOLD_DEVICE void wait_for_warp() { __syncwarp(); }

/// The x of another lane of the warp; all lanes must ask.
template <class T>
TENFOLD_DEVICE T of_lane(T x, int lane) {
  return __shfl_sync(0xffffffffu, x, lane);
}

/// The block's shared memory, one object for the whole kernel.
template <class S>
TENFOLD_DEVICE S& shared() {
  extern __shared__ __align__(16) unsigned char tenfold_shared_memory[];
  return reinterpret_cast<S&>(tenfold_shared_memory);
}
#else
inline int thread_index() { return emulated::thread(); }
inline int thread_index_anew() { return emulated::thread(); }
inline long long block_index() { return emulated::block(); }
inline long long block_count() { return emulated::blocks(); }
inline void wait_for_block(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  emulated::wait_for_block(file, line);
}
inline void wait_for_warp(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  emulated::wait_for_warp(file, line);
}
template <class T>
inline T of_lane(T x, int lane, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  T taken;
  emulated::shuffle(&x, &taken, sizeof(T), lane, file, line);
  return taken;
}
inline int first_of_warp(int t, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return of_lane(t, 0, file, line);
}
template <class S>
inline S& shared() {
  return *static_cast<S*>(emulated::shared_memory());
}
#endif

// ---- copies into shared memory ------------------------------------------------------------------

/// The same address, of which the compiler knows then that it lies in the memory of the device.
template <class T>
TENFOLD_DEVICE T* in_device_memory(T* place) {
#if defined(__CUDACC__)
  __builtin_assume(__isGlobal(place));
#endif
  return place;
}

/// What one instruction reads or writes: so many values side by side, of 16 bytes at most, at a
/// multiple of their bytes.
template <class T, int N>
struct alignas(N * sizeof(T)) values {
  T value[N];
};
template <int N, class T>
TENFOLD_DEVICE void read_together(T* to, const T* from) {
#if defined(__CUDACC__)
  const values<T, N> x = *reinterpret_cast<const values<T, N>*>(from);
  TENFOLD_UNROLL
  for (int i = 0; i < N; ++i) to[i] = x.value[i];
#else
  emulated::check_alignment(from, N * static_cast<int>(sizeof(T)));
  for (int i = 0; i < N; ++i) to[i] = from[i];
#endif
}
template <int N, class T>
TENFOLD_DEVICE void write_together(T* to, const T* from) {
#if defined(__CUDACC__)
  values<T, N> x;
  TENFOLD_UNROLL
  for (int i = 0; i < N; ++i) x.value[i] = from[i];
  *reinterpret_cast<values<T, N>*>(to) = x;
#else
  emulated::check_alignment(to, N * static_cast<int>(sizeof(T)));
  for (int i = 0; i < N; ++i) to[i] = from[i];
#endif
}

/// The same, of 16 bytes, of what is touched once: by way of L2 alone.
#if defined(__CUDACC__)
template <class T, int N>
union values_or_word {
  int4 word;
  values<T, N> is;
};
template <int N, class T>
TENFOLD_DEVICE void read_past_cache(T* to, const T* from) {
  static_assert(N * sizeof(T) == sizeof(int4));
  values_or_word<T, N> x;
  x.word = __ldcg(reinterpret_cast<const int4*>(from));
  TENFOLD_UNROLL
  for (int i = 0; i < N; ++i) to[i] = x.is.value[i];
}
template <int N, class T>
TENFOLD_DEVICE void write_past_cache(T* to, const T* from) {
  static_assert(N * sizeof(T) == sizeof(int4));
  values_or_word<T, N> x;
  TENFOLD_UNROLL
  for (int i = 0; i < N; ++i) x.is.value[i] = from[i];
  __stcg(reinterpret_cast<int4*>(to), x.word);
}
#else
template <int N, class T>
inline void read_past_cache(T* to, const T* from) {
  static_assert(N * sizeof(T) == 16);
  read_together<N>(to, from);
}
template <int N, class T>
inline void write_past_cache(T* to, const T* from) {
  static_assert(N * sizeof(T) == 16);
  write_together<N>(to, from);
}
#endif

/// Begins to copy N values side by side, of 4, 8 or 16 bytes, from the memory of the device to
/// shared memory and goes on. They may be read when the thread that began it has waited for them,
/// by others when they then waited for that thread. Such a copy needs no register, so that a thread
/// may have many on their way.
#if defined(__CUDACC__)
template <int N, class T>
TENFOLD_DEVICE void copy_together(T* to, const T* from) {
  constexpr int bytes = N * sizeof(T);
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
#if __CUDA_ARCH__ >= 800
  // 16 bytes may pass by the cache of the multiprocessor, which they would only go through.
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "n"(bytes)
                 : "memory");
#else
  if constexpr (N == 1)
    *to = *from;
  else
    *reinterpret_cast<values<T, N>*>(to) = *reinterpret_cast<const values<T, N>*>(from);
#endif
}
template <class R>
TENFOLD_DEVICE void copy_async(R* to, const R* from) {
  copy_together<1>(to, from);
}
/// The same; 0 comes instead where there is nothing, and `from` is not read.
template <class R>
TENFOLD_DEVICE void copy_or_clear(R* to, const R* from, bool is_there) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "n"(sizeof(R)),
               "r"(is_there ? static_cast<int>(sizeof(R)) : 0)
               : "memory");
#else
  *to = is_there ? *from : R{};
#endif
}
/// What this thread has begun since it closed the last ones is one thing to wait for.
TENFOLD_DEVICE void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Goes on when all copies of this thread are done but those that it closed last, so many times.
template <int Last>
TENFOLD_DEVICE void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Last) : "memory");
#endif
}
#else
template <int N, class T>
inline void copy_together(T* to, const T* from) {
  emulated::check_alignment(from, N * static_cast<int>(sizeof(T)));
  emulated::check_alignment(to, N * static_cast<int>(sizeof(T)));
  emulated::copy_async(to, from, N * static_cast<int>(sizeof(T)));
}
template <class R>
inline void copy_async(R* to, const R* from) {
  copy_together<1>(to, from);
}
template <class R>
inline void copy_or_clear(R* to, const R* from, bool is_there) {
  if (is_there)
    copy_async(to, from);
  else
    *to = R{};
}
inline void close_copies() { emulated::close_copies(); }
template <int Last>
inline void wait_for_copies() {
  emulated::wait_for_copies(Last);
}
#endif

// ---- numbers ------------------------------------------------------------------------------------

/// re + i im, as std::complex lies in memory.
template <class R>
struct complex {
  R re, im;
};

#if defined(__CUDACC__)
template <class R>
TENFOLD_DEVICE complex<R> of_lane(complex<R> x, int lane) {
  return {of_lane(x.re, lane), of_lane(x.im, lane)};
}
#endif

template <class T>
struct real_of {
  using type = T;
};
template <class R>
struct real_of<complex<R>> {
  using type = R;
};
template <class T>
using real = typename real_of<T>::type;

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<complex<R>> = true;

/// x y + z, rounded once.
#if defined(__CUDACC__)
TENFOLD_DEVICE float multiply_add(float x, float y, float z) { return __fmaf_rn(x, y, z); }
TENFOLD_DEVICE double multiply_add(double x, double y, double z) { return __fma_rn(x, y, z); }
#else
inline float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double multiply_add(double x, double y, double z) { return __builtin_fma(x, y, z); }
#endif
/// The same in parts, each rounded twice.
template <class R>
TENFOLD_DEVICE complex<R> multiply_add(complex<R> x, complex<R> y, complex<R> z) {
  return {multiply_add(-x.im, y.im, multiply_add(x.re, y.re, z.re)),
          multiply_add(x.im, y.re, multiply_add(x.re, y.im, z.im))};
}

template <class R>
TENFOLD_DEVICE void copy_async(complex<R>* to, const complex<R>* from) {
  copy_async(&to->re, &from->re);
  copy_async(&to->im, &from->im);
}
template <class R>
TENFOLD_DEVICE void copy_or_clear(complex<R>* to, const complex<R>* from, bool is_there) {
  copy_or_clear(&to->re, &from->re, is_there);
  copy_or_clear(&to->im, &from->im, is_there);
}

TENFOLD_DEVICE float multiply(float x, float y) { return x * y; }
TENFOLD_DEVICE double multiply(double x, double y) { return x * y; }
template <class R>
TENFOLD_DEVICE complex<R> multiply(complex<R> x, complex<R> y) {
  return {multiply_add(-x.im, y.im, x.re * y.re), multiply_add(x.im, y.re, x.re * y.im)};
}

TENFOLD_DEVICE float add(float x, float y) { return x + y; }
TENFOLD_DEVICE double add(double x, double y) { return x + y; }
template <class R>
TENFOLD_DEVICE complex<R> add(complex<R> x, complex<R> y) {
  return {x.re + y.re, x.im + y.im};
}

TENFOLD_DEVICE float negate(float x) { return -x; }
TENFOLD_DEVICE double negate(double x) { return -x; }
template <class R>
TENFOLD_DEVICE complex<R> negate(complex<R> x) {
  return {-x.re, -x.im};
}

/// Adds to an entry in the memory of the device, to which other threads may add too.
#if defined(__CUDACC__)
TENFOLD_DEVICE void atomic_add(float* to, float x) { atomicAdd(to, x); }
TENFOLD_DEVICE void atomic_add(double* to, double x) { atomicAdd(to, x); }
template <class R>
TENFOLD_DEVICE void atomic_set(R* to, R x) {
  *static_cast<volatile R*>(to) = x;
}
#else
template <class R>
inline void atomic_set(R* to, R x) {
  __atomic_store(to, &x, __ATOMIC_RELAXED);
}
template <class R>
inline void atomic_add(R* to, R x) {
  R old, sum;
  __atomic_load(to, &old, __ATOMIC_RELAXED);
  do sum = old + x;
  while (!__atomic_compare_exchange(to, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
#endif
template <class R>
TENFOLD_DEVICE void atomic_add(complex<R>* to, complex<R> x) {
  atomic_add(&to->re, x.re);
  atomic_add(&to->im, x.im);
}
/// Writes an entry that other threads may write, too: the same value.
template <class R>
TENFOLD_DEVICE void atomic_set(complex<R>* to, complex<R> x) {
  atomic_set(&to->re, x.re);
  atomic_set(&to->im, x.im);
}

TENFOLD_DEVICE float conjugate(float x) { return x; }
TENFOLD_DEVICE double conjugate(double x) { return x; }
template <class R>
TENFOLD_DEVICE complex<R> conjugate(complex<R> x) {
  return {x.re, -x.im};
}

TENFOLD_DEVICE bool is_zero(float x) { return x == 0; }
TENFOLD_DEVICE bool is_zero(double x) { return x == 0; }
template <class R>
TENFOLD_DEVICE bool is_zero(complex<R> x) {
  return x.re == 0 && x.im == 0;
}

// ---- entries ------------------------------------------------------------------------------------

template <scalar S>
struct scalar_type_of;
template <>
struct scalar_type_of<scalar::f32> {
  using type = float;
};
template <>
struct scalar_type_of<scalar::f64> {
  using type = double;
};
template <>
struct scalar_type_of<scalar::c32> {
  using type = complex<float>;
};
template <>
struct scalar_type_of<scalar::c64> {
  using type = complex<double>;
};

/// x in another precision, or as a complex number.
template <class T, class X>
TENFOLD_DEVICE T as(X x) {
  if constexpr (is_complex<T> && is_complex<X>)
    return {static_cast<real<T>>(x.re), static_cast<real<T>>(x.im)};
  else if constexpr (is_complex<T>)
    return {static_cast<real<T>>(x), 0};
  else
    return static_cast<T>(x);
}

template <class X, class Y>
inline constexpr bool is_same = false;
template <class X>
inline constexpr bool is_same<X, X> = true;

}  // namespace tenfold::cuda
