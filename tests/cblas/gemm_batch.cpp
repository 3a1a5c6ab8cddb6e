#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>
#include <samples.hpp>
#include <vector>

#include "c_names.hpp"
#include "xerbla.hpp"

// What the calls of C compute: to the last bit what those of C++ do, which are compared with the
// reference in tests/backend.

namespace tenfold::testing {
namespace {

template <class T>
std::vector<T> entries(index count, generator& g) {
  std::vector<T> x(static_cast<std::size_t>(count));
  fill(x.data(), count, g, entries_kind::random);
  return x;
}

template <class T>
T draw_factor(generator& g) {
  const std::array<T, 4> factors{T(1), T(0), T(-1), draw<T>(g, entries_kind::random)};
  return factors[g() % 4];
}

/// Results before the call: NaN where they must not be read.
template <class T>
std::vector<T> results(index count, T beta, generator& g) {
  if (beta != T(0)) return entries<T>(count, g);
  return std::vector<T>(static_cast<std::size_t>(count),
                        T(std::numeric_limits<real_type<T>>::quiet_NaN()));
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

/// Sizes of one group, its matrices at least `gap` entries apart from line to line.
template <class Int>
struct sizes {
  Int m, n, k, lda, ldb, ldc;

  sizes(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, generator& g, index least = 0)
      : m(drawn(g, least)), n(drawn(g, least)), k(drawn(g, 0)) {
    const bool by_row = layout == CblasRowMajor;
    const auto leading = [&](bool plain, Int rows, Int columns) {
      return static_cast<Int>(std::max<Int>(by_row == plain ? columns : rows, 1) +
                              between(g, 0, 2));
    };
    lda = leading(ta == CblasNoTrans, m, k);
    ldb = leading(tb == CblasNoTrans, k, n);
    ldc = leading(true, m, n);
  }
  /// Entries that hold any of the three matrices.
  static constexpr index room = 12 * 12;

 private:
  static Int drawn(generator& g, index least) { return static_cast<Int>(between(g, least, 9)); }
};

}  // namespace

TEST_CASE("a strided batch gives the bits of the C++ call") {
  for_each_name([](auto t, auto i) {
    using T = decltype(t);
    using Int = decltype(i);
    generator g(1);
    for (const auto layout : layouts) {
      for (const auto ta : transposes) {
        for (const auto tb : transposes) {
          const sizes<Int> s(layout, ta, tb, g);
          const Int count = static_cast<Int>(between(g, 0, 40)), room = sizes<Int>::room;
          const Int stride_b = chance(g, 0.3) ? 0 : room;
          const T alpha = draw_factor<T>(g), beta = draw_factor<T>(g);
          const auto a = entries<T>(count * room + room, g), b = entries<T>(count * room + room, g);
          auto c = results<T>(count * room, beta, g);
          auto want = c;
          gemm(order_of(layout), op_of(ta), op_of(tb), s.m, s.n, s.k, alpha, a.data(), s.lda, room,
               b.data(), s.ldb, stride_b, beta, want.data(), s.ldc, room, count);
          c_names<T, Int>::strided(layout, ta, tb, s.m, s.n, s.k, passed(alpha), a.data(), s.lda,
                                   room, b.data(), s.ldb, stride_b, passed(beta), c.data(), s.ldc,
                                   room, count);
          CHECK(same_bits(c, want));
        }
      }
    }
  });
}

TEST_CASE("groups give the bits of the C++ call, with codes and without") {
  for_each_name([](auto t, auto i) {
    using T = decltype(t);
    using Int = decltype(i);
    generator g(2);
    for (const auto layout : layouts) {
      for (const int group_count : {0, 1, 12}) {
        for (const bool with_codes : {false, true}) {
          std::vector<CBLAS_TRANSPOSE> ta, tb;
          std::vector<Int> m, n, k, lda, ldb, ldc, size;
          std::vector<T> alpha, beta;
          std::vector<gemm_group<T>> groups;
          index total = 0;
          for (int group = 0; group < group_count; ++group) {
            ta.push_back(transposes[g() % 3]);
            tb.push_back(transposes[g() % 3]);
            const sizes<Int> s(layout, ta.back(), tb.back(), g);
            m.push_back(s.m);
            n.push_back(s.n);
            k.push_back(s.k);
            lda.push_back(s.lda);
            ldb.push_back(s.ldb);
            ldc.push_back(s.ldc);
            size.push_back(static_cast<Int>(between(g, 0, 12)));
            alpha.push_back(draw_factor<T>(g));
            beta.push_back(draw_factor<T>(g));
            total += size.back();
            groups.push_back({op_of(ta.back()), op_of(tb.back()), s.m, s.n, s.k, alpha.back(),
                              s.lda, s.ldb, beta.back(), s.ldc, size.back()});
          }
          const Int room = sizes<Int>::room;
          const auto a = entries<T>(total * room, g), b = entries<T>(total * room, g);
          auto c = entries<T>(total * room, g);
          auto want = c;
          std::vector<const c_entry<T>*> list_a, list_b;
          std::vector<c_entry<T>*> list_c;
          std::vector<const T*> cpp_a, cpp_b;
          std::vector<T*> cpp_c;
          for (index p = 0; p < total; ++p) {
            list_a.push_back(a.data() + p * room);
            list_b.push_back(b.data() + p * room);
            list_c.push_back(c.data() + p * room);
            cpp_a.push_back(a.data() + p * room);
            cpp_b.push_back(b.data() + p * room);
            cpp_c.push_back(want.data() + p * room);
          }
          gemm(order_of(layout), groups.data(), group_count, cpp_a.data(), cpp_b.data(),
               cpp_c.data());
          std::vector<int> codes(static_cast<std::size_t>(total), 1);
          codes.reserve(1);  // an address, also of none
          if (with_codes) {
            c_names<T, Int>::info(layout, ta.data(), tb.data(), m.data(), n.data(), k.data(),
                                  alpha.data(), list_a.data(), lda.data(), list_b.data(),
                                  ldb.data(), beta.data(), list_c.data(), ldc.data(),
                                  static_cast<Int>(group_count), size.data(), codes.data());
            CHECK(codes == std::vector<int>(codes.size(), 0));
          } else {
            c_names<T, Int>::batch(layout, ta.data(), tb.data(), m.data(), n.data(), k.data(),
                                   alpha.data(), list_a.data(), lda.data(), list_b.data(),
                                   ldb.data(), beta.data(), list_c.data(), ldc.data(),
                                   static_cast<Int>(group_count), size.data());
          }
          CHECK(same_bits(c, want));
        }
      }
    }
  });
}

TEST_CASE("an interleaved batch gives what the strided one gives") {
  for_each_name([](auto t, auto i) {
    using T = decltype(t);
    using Int = decltype(i);
    using names = c_names<T, Int>;
    generator g(3);
    for (const auto layout : layouts) {
      for (const auto ta : transposes) {
        for (const auto tb : transposes) {
          sizes<Int> s(layout, ta, tb, g, 1);
          const Int count = static_cast<Int>(between(g, 1, 40)), room = sizes<Int>::room;
          const Int block = static_cast<Int>(chance(g, 0.3) ? count : between(g, 1, 20));
          const T alpha = draw<T>(g, entries_kind::exact),
                  beta = chance(g, 0.3) ? T(0) : draw<T>(g, entries_kind::exact);
          const auto drawn = [&](T factor) {
            auto x = results<T>(count * room, factor, g);
            for (T& y : x)
              if (factor != T(0)) y = draw<T>(g, entries_kind::exact);
            return x;
          };
          const auto a = drawn(T(1)), b = drawn(T(1));
          auto c = drawn(beta);
          const index blocks = (count + block - 1) / block;
          const auto into = [&](const std::vector<T>& from, Int rows, Int columns, Int ld) {
            std::vector<T> x(static_cast<std::size_t>(blocks * block * rows * columns), T(7));
            names::to(layout, rows, columns, from.data(), ld, room, x.data(), block, count);
            return x;
          };
          const bool pa = ta == CblasNoTrans, pb = tb == CblasNoTrans;
          const auto xa = into(a, pa ? s.m : s.k, pa ? s.k : s.m, s.lda);
          const auto xb = into(b, pb ? s.k : s.n, pb ? s.n : s.k, s.ldb);
          auto xc = into(c, s.m, s.n, s.ldc);
          names::interleaved(layout, ta, tb, s.m, s.n, s.k, passed(alpha), xa.data(), xb.data(),
                             passed(beta), xc.data(), block, count);
          auto want = c;
          names::strided(layout, ta, tb, s.m, s.n, s.k, passed(alpha), a.data(), s.lda, room,
                         b.data(), s.ldb, room, passed(beta), want.data(), s.ldc, room, count);
          names::from(layout, s.m, s.n, c.data(), s.ldc, room, xc.data(), block, count);
          // Small whole numbers: no order of additions rounds.
          index wrong = 0;
          const bool by_row = layout == CblasRowMajor;
          for (index p = 0; p < count; ++p)
            for (index row = 0; row < s.m; ++row)
              for (index column = 0; column < s.n; ++column) {
                const auto at = static_cast<std::size_t>(
                    p * room + (by_row ? row * s.ldc + column : row + column * s.ldc));
                wrong += !(c[at] == want[at]);
              }
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE("interleaved entries lie as the header says, the pad is 0") {
  const std::vector<double> a{1, 2, 3, 4, 5, 6};  // three (1, 2) matrices
  std::vector<double> x(8, 7);
  tenfold_dto_interleaved(CblasRowMajor, 1, 2, a.data(), 2, 2, x.data(), 2, 3);
  CHECK(x == std::vector<double>{1, 3, 2, 4, 5, 0, 6, 0});
  const std::vector<std::complex<float>> z{{1, 2}, {3, 4}};  // two (1, 1) matrices
  std::vector<float> parts(4);
  tenfold_cto_interleaved(CblasColMajor, 1, 1, z.data(), 1, 1, parts.data(), 2, 2);
  CHECK(parts == std::vector<float>{1, 3, 2, 4});
}

}  // namespace tenfold::testing
