#pragma once

#include <tenfold/device.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <tenfold/backend/cuda/device_map.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <vector>

#include "common/check.hpp"
#include "device/device_suite.hpp"
#include "device/lists.hpp"
#include "gemm/batch_data.hpp"
#include "gemm/static_products.hpp"

/// The batched products of the suite `device`.
namespace tenfold::bench {

inline std::size_t size_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

template <index... E, class T, class... N>
auto there(T* first, N... extents) {
  return in_memory_of<device::cuda>(view<T, E...>(first, extents...));
}

/// How the matrices of a batch lie: one after the other, in blocks of simd_block<T>, each at an
/// address of a list, or, of B alone, each entry where a map says.
enum class batch_lies { strided, interleaved, pointers, gathered };

struct product_case {
  std::string name;
  gemm_sizes sizes;
  bool shared_a;
  double ahead;  ///< of cuBLAS and cuTENSOR
  bool quick;
  batch_lies lies = batch_lies::strided;
  bool large = false;  ///< counted in operations; of the problems that are looked at a row each
};

inline std::string square_name(int n) { return "gemm n=" + std::to_string(n); }

inline std::vector<product_case> squares() {
  std::vector<product_case> all;
  for (int n = 2; n <= 32; ++n) {
    const bool quick = n == 4 || n == 8 || n == 16 || n == 32;
    all.push_back({square_name(n), {n, n, n}, false, n <= 12 ? 2.0 : 1.0, quick});
  }
  return all;
}

/// Tenfold asks cuBLAS, too, and is held to no more than to be hardly slower.
inline std::vector<product_case> large_squares() {
  std::vector<product_case> all;
  for (const int n : {64, 128, 256, 512, 1024})
    all.push_back({square_name(n), {n, n, n}, false, 0.9, n == 256, batch_lies::strided, true});
  return all;
}

inline std::vector<product_case> complex_squares() {
  std::vector<product_case> all;
  for (const int n : {2, 3, 4, 6, 8, 10, 12, 14, 16})
    all.push_back({square_name(n), {n, n, n}, false, n <= 12 ? 2.0 : 1.0, n == 4 || n == 16});
  return all;
}

inline std::vector<product_case> other_layouts() {
  std::vector<product_case> all;
  const auto add = [&](int n, const char* how, batch_lies lies) {
    all.push_back(
        {square_name(n) + ' ' + how, {n, n, n}, false, n <= 12 ? 2.0 : 1.0, n == 8, lies});
  };
  for (const int n : {2, 3, 4, 6, 8, 12, 16}) add(n, "interleaved", batch_lies::interleaved);
  for (const int n : {3, 4, 8, 16, 32}) add(n, "pointers", batch_lies::pointers);
  for (const int n : {3, 4, 8, 16, 32}) add(n, "gathered B", batch_lies::gathered);
  return all;
}

inline std::vector<product_case> finite_elements() {
  std::vector<product_case> all;
  for (const gemm_sizes& s : fem_sizes) {
    const std::string name = "gemm " + std::to_string(s.m) + 'x' + std::to_string(s.n) + 'x' +
                             std::to_string(s.k) + " sharedA";
    if (s.k <= 8) all.push_back({name, s, true, 1, s.k == 4});
  }
  return all;
}

template <class T>
gemm_batch<T> batch_of(std::ptrdiff_t m, int n, int k, std::ptrdiff_t count, bool shared_a) {
  gemm_batch<T> x;
  x.m = static_cast<int>(m);
  x.n = n;
  x.k = k;
  x.count = count;
  x.shared_a = shared_a;
  return x;
}

/// The next `count` of the numbers as entries, which may be complex.
template <class T>
const T* take(device_numbers<real_type<T>>& numbers, std::ptrdiff_t count) {
  return reinterpret_cast<const T*>(numbers.take(count * parts_of<T>));
}

/// A map by which the entries of each matrix are read from the last one to the first.
inline std::vector<std::int32_t> backwards(std::ptrdiff_t problems, std::ptrdiff_t size) {
  std::vector<std::int32_t> numbers;
  for (std::ptrdiff_t p = 0; p < problems; ++p)
    for (std::ptrdiff_t e = 0; e < size; ++e)
      numbers.push_back(static_cast<std::int32_t>(p * size + size - 1 - e));
  return numbers;
}

/// A pass of the batch, which lies as the case says.
template <class T>
std::function<void()> product_pass(const device_queue& where, const gemm_batch<T>& x,
                                   batch_lies lies) {
  constexpr index W = simd_block<T>;
  switch (lies) {
    case batch_lies::strided:
      if (x.shared_a)
        return [=] {
          gemm(where, T(1), there<dyn, dyn>(x.a, x.m, x.k),
               there<dyn, dyn, dyn>(x.b, x.count, x.k, x.n), T(0),
               there<dyn, dyn, dyn>(x.c, x.count, x.m, x.n));
        };
      return [=] {
        gemm(where, T(1), there<dyn, dyn, dyn>(x.a, x.count, x.m, x.k),
             there<dyn, dyn, dyn>(x.b, x.count, x.k, x.n), T(0),
             there<dyn, dyn, dyn>(x.c, x.count, x.m, x.n));
      };
    case batch_lies::interleaved: {
      const auto of = [&](auto* first, int rows, int columns) {
        using X = std::remove_pointer_t<decltype(first)>;
        return in_memory_of<device::cuda>(
            interleaved_view<X, W, dyn, dyn>(first, x.count, rows, columns));
      };
      return [where, a = of(x.a, x.m, x.k), b = of(x.b, x.k, x.n), c = of(x.c, x.m, x.n)] {
        gemm(where, T(1), a, b, T(0), c);
      };
    }
    case batch_lies::pointers:
      return [=, a = addresses(where, x.a, x.a_step(), x.count),
              b = addresses(where, x.b, x.b_size(), x.count),
              c = addresses(where, x.c, x.c_size(), x.count)] {
        gemm(where, order::row_major, op::none, op::none, x.m, x.n, x.k, T(1), a.get(), x.k,
             b.get(), x.n, T(0), c.get(), x.n, x.count);
      };
    case batch_lies::gathered: {
      const std::vector<std::int32_t> numbers = backwards(x.count, x.b_size());
      const auto map = std::make_shared<device_map<std::int32_t>>(
          where,
          index_map<std::int32_t>(numbers.data(), x.count, x.b_size(), x.count * x.b_size()));
      where.wait();
      return [=] {
        gemm(where, T(1), there<dyn, dyn, dyn>(x.a, x.count, x.m, x.k),
             in_memory_of<device::cuda>(gathered<const T, dyn, dyn>(x.b, map->there(), x.k, x.n)),
             T(0), there<dyn, dyn, dyn>(x.c, x.count, x.m, x.n));
      };
    }
  }
  return {};
}

/// A pass of row-major matrices by Tenfold's own device kernel, whoever else may be asked.
template <class T>
std::function<void()> kernel_pass(const device_queue& where, const gemm_batch<T>& x) {
  const auto by_rows = [](index columns) { return matrix_batch{.row = columns, .column = 1}; };
  const gemm_shape shape{scalar_of<T>, x.m, x.n, x.k, by_rows(x.k), by_rows(x.n), by_rows(x.n)};
  return [where, x, by = cuda::prepare(*where.machine, shape, x.count)] {
    cuda::launch(
        *where.machine, by,
        gemm_arguments<T>{{x.a, x.a_size()}, {x.b, x.b_size()}, {x.c, x.c_size()}, x.count},
        where.stream);
  };
}

/// A pass of strided matrices by one contraction of cuTENSOR.
template <class T>
std::function<void()> product_by(const cutensor& peer, const gemm_batch<T>& x) {
  const labelled_tensor<const T> a =
      x.shared_a ? labelled_tensor<const T>{"ik", {x.m, x.k}, x.a}
                 : labelled_tensor<const T>{"eik", {x.count, x.m, x.k}, x.a};
  return peer.contract<T>(a, {"ekj", {x.count, x.k, x.n}, x.b}, {"eij", {x.count, x.m, x.n}, x.c});
}

template <class T>
void run_product(device_suite& suite, device_numbers<real_type<T>>& numbers,
                 const product_case& what) {
  if (!suite.begins(what.name, scalar_letter<T>, what.quick)) return;
  const device_queue& where = suite.where();
  gemm_batch<T> x = batch_of<T>(what.sizes.m, what.sizes.n, what.sizes.k, 1, what.shared_a);
  // Of an interleaved batch whole blocks are looked at.
  const bool interleaved = what.lies == batch_lies::interleaved;
  const index together = interleaved ? simd_block<T> : 1;
  if (interleaved) x.where = storage::interleaved;
  double bytes_each = x.bytes();
  if (what.lies == batch_lies::pointers) bytes_each += 3 * sizeof(T*);
  if (what.lies == batch_lies::gathered)
    bytes_each += static_cast<double>(x.b_size()) * sizeof(std::int32_t);
  x.count = std::max<std::ptrdiff_t>(suite.problems(bytes_each) / together, 1) * together;
  numbers.restart();
  x.a = take<T>(numbers, x.shared_a ? x.a_size() : x.count * x.a_size());
  x.b = take<T>(numbers, x.count * x.b_size());
  device_tensor<T, dyn> c(where, x.count * x.c_size());
  x.c = c.data();

  std::vector<candidate> candidates{{"tenfold", product_pass(where, x, what.lies)}};
  const bool has_peer = what.lies == batch_lies::strided || what.lies == batch_lies::pointers;
  if (const cublas* const peer = suite.peer(); peer != nullptr && has_peer) {
    if (what.lies == batch_lies::strided)
      if (auto pass = peer->strided(x)) candidates.push_back({"cublas", std::move(pass)});
    if (auto pass = peer->grouped(std::vector{x}))
      candidates.push_back({"cublas grouped", std::move(pass)});
  }
  if (const cutensor* const peer = suite.tensor_peer();
      peer != nullptr && what.lies == batch_lies::strided)
    candidates.push_back({"cutensor", product_by(*peer, x)});
  if (what.large) candidates.push_back({"device kernel", kernel_pass(where, x)});

  // The problems that are looked at, or a row of each, as a batch of the host.
  const auto looked_at = sampled_problems(x.count / together);
  const std::vector<std::ptrdiff_t> only{0};
  std::vector<std::ptrdiff_t> rows = looked_at;
  gemm_batch<T> here = x;
  if (what.large) {
    here.m = 1;
    for (std::ptrdiff_t i = 0, last = std::ssize(rows) - 1; i <= last; ++i)
      rows[size_of(i)] = rows[size_of(i)] * x.m + (last > 0 ? i * (x.m - 1) / last : 0);
  }
  const auto a =
      device_sample<T>(where, x.a, together * here.a_size(), x.shared_a ? only : rows).fetch();
  auto b = device_sample<T>(where, x.b, together * x.b_size(), looked_at).fetch();
  if (what.lies == batch_lies::gathered)
    for (auto from = b.begin(); from != b.end(); from += x.b_size())
      std::reverse(from, from + x.b_size());
  device_sample<T> result(where, x.c, together * here.c_size(), rows);
  std::vector<T> c_here(size_of(together * here.c_size()) * looked_at.size());
  here.count = together * std::ssize(looked_at);
  here.a = a.data();
  here.b = b.data();
  here.c = c_here.data();
  std::vector<std::ptrdiff_t> all;
  for (std::ptrdiff_t i = 0; i < here.count; ++i) all.push_back(i);
  const expected<T> right(here, std::move(all));
  const double bytes = x.shared_a ? x.bytes() : bytes_each * static_cast<double>(x.count);
  suite.run({.name = what.name,
             .scalar = scalar_letter<T>,
             .unit = what.large ? "GFLOP/s" : "GB/s",
             .work = what.large ? x.flops() : bytes,
             .bytes = bytes,
             .ahead = what.ahead,
             .of_copy = what.large ? 0 : 0.85,
             .candidates = std::move(candidates),
             .poison = [&] { result.poison(); },
             .compare =
                 [&](const std::string& tried) {
                   const auto& got = result.fetch();
                   std::copy(got.begin(), got.end(), c_here.begin());
                   right.compare(what.name, tried);
                 }});
}

/// Batches of square products, one for each of some orders, one behind the other in memory.
template <class T>
class batches_of_orders {
 public:
  /// `each` problems of every order.
  batches_of_orders(const device_queue& where, device_numbers<T>& numbers,
                    const std::vector<int>& orders, std::ptrdiff_t each)
      : where_(where), c_(where, each * entries_of(orders)) {
    numbers.restart();
    const T* const a = numbers.take(c_.size());
    const T* const b = numbers.take(c_.size());
    std::ptrdiff_t at = 0;
    for (const int n : orders) {
      gemm_batch<T> group = batch_of<T>(n, n, n, each, false);
      group.a = a + at;
      group.b = b + at;
      group.c = c_.data() + at;
      groups_.push_back(group);
      at += each * n * n;
    }
    for (const gemm_batch<T>& group : groups_) {
      const std::vector<std::ptrdiff_t> one{each / 2};
      looked_at& s = some_.emplace_back();
      s.here = group;
      s.a = device_sample<T>(where, group.a, group.a_size(), one).fetch();
      s.b = device_sample<T>(where, group.b, group.b_size(), one).fetch();
      s.c.resize(size_of(group.c_size()));
      s.result = std::make_unique<device_sample<T>>(where, group.c, group.c_size(), one);
      s.here.count = 1;
      s.here.a = s.a.data();
      s.here.b = s.b.data();
      s.here.c = s.c.data();
    }
    for (looked_at& s : some_)
      s.right = std::make_unique<expected<T>>(s.here, std::vector<std::ptrdiff_t>{0});
  }

  static std::ptrdiff_t entries_of(const std::vector<int>& orders) {
    std::ptrdiff_t entries = 0;
    for (const int n : orders) entries += std::ptrdiff_t{n} * n;
    return entries;
  }
  const std::vector<gemm_batch<T>>& groups() const { return groups_; }
  /// Of all A, B and C.
  double bytes() const { return 3.0 * sizeof(T) * static_cast<double>(c_.size()); }
  double flops() const {
    double all = 0;
    for (const gemm_batch<T>& x : groups_) all += x.flops();
    return all;
  }

  // One problem of each order is looked at.
  void poison() {
    for (looked_at& s : some_) s.result->poison();
  }
  void compare(const std::string& name, const std::string& tried) {
    for (looked_at& s : some_) {
      const auto& got = s.result->fetch();
      std::copy(got.begin(), got.end(), s.c.begin());
      s.right->compare(name, tried);
    }
  }

 private:
  struct looked_at {
    gemm_batch<T> here;
    std::vector<T> a, b, c;
    std::unique_ptr<device_sample<T>> result;
    std::unique_ptr<expected<T>> right;
  };
  device_queue where_;
  device_tensor<T, dyn> c_;
  std::vector<gemm_batch<T>> groups_;
  std::vector<looked_at> some_;
};

inline std::vector<int> orders_between(int least, int most, int step) {
  std::vector<int> orders;
  for (int n = least; n <= most; n += step) orders.push_back(n);
  return orders;
}

/// Problems of orders 2 to 32, each with sizes of its own, beside cuBLAS with a group for each
/// order.
template <class T>
void run_variable_products(device_suite& suite, device_numbers<T>& numbers) {
  const std::string name = "gemm variable n=2..32";
  if (!suite.begins(name, scalar_letter<T>, true)) return;
  const device_queue& where = suite.where();
  const std::vector<int> orders = orders_between(2, 32, 1);
  const double bytes_of_all =
      3.0 * sizeof(T) * static_cast<double>(batches_of_orders<T>::entries_of(orders));
  batches_of_orders<T> x(where, numbers, orders, suite.problems(bytes_of_all));
  std::vector<gemm_problem<T>> problems;
  for (const gemm_batch<T>& group : x.groups()) {
    for (std::ptrdiff_t i = 0; i < group.count; ++i)
      problems.push_back({.m = group.m,
                          .n = group.n,
                          .k = group.k,
                          .a = group.a + i * group.a_size(),
                          .lda = group.k,
                          .b = group.b + i * group.b_size(),
                          .ldb = group.n,
                          .c = group.c + i * group.c_size(),
                          .ldc = group.n});
  }
  std::shuffle(problems.begin(), problems.end(), std::mt19937_64(1));
  const index count = std::ssize(problems);
  const auto there = list_there(where, problems);

  std::vector<candidate> candidates{
      {"tenfold", [&] { gemm(where, order::row_major, there.get(), count, nullptr, 16); }}};
  if (const cublas* const peer = suite.peer())
    if (auto pass = peer->grouped(x.groups()))
      candidates.push_back({"cublas grouped", std::move(pass)});

  const double bytes = x.bytes() + sizeof(gemm_problem<T>) * static_cast<double>(count);
  suite.run({.name = name,
             .scalar = scalar_letter<T>,
             .unit = "GB/s",
             .work = bytes,
             .bytes = bytes,
             .candidates = std::move(candidates),
             .poison = [&] { x.poison(); },
             .compare = [&](const std::string& tried) { x.compare(name, tried); }});
}

/// Few large problems of each of some orders, none of which fills the device: as groups of one
/// call, beside a call for each.
template <class T>
void run_groups(device_suite& suite, device_numbers<T>& numbers) {
  const std::string name = "gemm groups n=64..256";
  if (!suite.begins(name, scalar_letter<T>, true)) return;
  const device_queue& where = suite.where();
  // Emulated threads are too slow for orders beyond those.
  batches_of_orders<T> x(where, numbers, orders_between(64, suite.emulated() ? 96 : 256, 32), 4);
  std::vector<gemm_group<T>> groups;
  std::vector<const T*> a, b;
  std::vector<T*> c;
  for (const gemm_batch<T>& group : x.groups()) {
    groups.push_back({.m = group.m,
                      .n = group.n,
                      .k = group.k,
                      .lda = group.k,
                      .ldb = group.n,
                      .ldc = group.n,
                      .count = group.count});
    for (std::ptrdiff_t i = 0; i < group.count; ++i) {
      a.push_back(group.a + i * group.a_size());
      b.push_back(group.b + i * group.b_size());
      c.push_back(group.c + i * group.c_size());
    }
  }
  const auto list_a = list_there(where, a), list_b = list_there(where, b);
  const auto list_c = list_there(where, c);
  const auto groups_from = [&, first_group = groups.data()](index first, index count, index at) {
    gemm(where, order::row_major, first_group + first, count, list_a.get() + at, list_b.get() + at,
         list_c.get() + at);
  };
  const index all = std::ssize(groups), each = groups[0].count;
  std::vector<candidate> candidates{{"tenfold", [&] { groups_from(0, all, 0); }},
                                    {"one by one", [&] {
                                       for (index g = 0; g < all; ++g) groups_from(g, 1, g * each);
                                     }}};
  if (const cublas* const peer = suite.peer())
    if (auto pass = peer->grouped(x.groups()))
      candidates.push_back({"cublas grouped", std::move(pass)});
  suite.run({.name = name,
             .scalar = scalar_letter<T>,
             .unit = "GFLOP/s",
             .work = x.flops(),
             .bytes = x.bytes(),
             .ahead = 0.9,  // it is the same call
             .of_copy = 0,
             .candidates = std::move(candidates),
             .poison = [&] { x.poison(); },
             .compare = [&](const std::string& tried) { x.compare(name, tried); }});
}

}  // namespace tenfold::bench
