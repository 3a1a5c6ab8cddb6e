// contract/CMakeLists.txt compiles this once for each scalar.
#include "contract/eigen_tensor.hpp"

#include <array>
#include <string>

#if __has_include(<unsupported/Eigen/CXX11/Tensor>)
#define TENFOLD_BENCH_EIGEN_TENSOR
#include <unsupported/Eigen/CXX11/Tensor>
#elif __has_include(<eigen3/unsupported/Eigen/CXX11/Tensor>)
#define TENFOLD_BENCH_EIGEN_TENSOR
#include <eigen3/unsupported/Eigen/CXX11/Tensor>
#endif

namespace tenfold::bench {

#if defined(TENFOLD_BENCH_EIGEN_TENSOR)
namespace {

template <class T, int Rank>
using eigen_map = Eigen::TensorMap<Eigen::Tensor<T, Rank, Eigen::RowMajor>>;

template <int Rank, class T, class Tensor>
eigen_map<T, Rank> map_of(T* data, const Tensor& t) {
  Eigen::DSizes<Eigen::Index, Rank> extents;
  for (std::size_t i = 0; i < Rank; ++i) extents[i] = t.shape().extents[i];
  return {data, extents};
}

/// The order of C is that of the labels of the left operand and then of those of the right.
template <class T>
struct ordered {
  const std::string& left_labels;
  const dynamic_tensor<T>& left;
  const std::string& right_labels;
  const dynamic_tensor<T>& right;

  std::string free_labels() const {
    return contraction::of(left_labels, right_labels, false) +
           contraction::of(right_labels, left_labels, false);
  }
};

/// Of the operands, and how many labels are summed over.
template <int Left, int Right, int Sums>
struct ranks {};

template <class T, int Left, int Right, int Sums>
std::function<void()> contraction_of(contraction_data<T>& data, const ordered<T>& x) {
  std::array<Eigen::IndexPair<int>, Sums> sums;
  std::size_t some = 0;
  for (const char l : contraction::of(x.left_labels, x.right_labels, true))
    sums[some++] = {static_cast<int>(x.left_labels.find(l)),
                    static_cast<int>(x.right_labels.find(l))};
  constexpr int rank = Left + Right - 2 * Sums;
  const auto left = map_of<Left>(x.left.data(), x.left);
  const auto right = map_of<Right>(x.right.data(), x.right);
  auto c = map_of<rank>(data.c.data(), data.c);
  const std::string free = x.free_labels();
  if (free == data.x.c) return [=]() mutable { c = left.contract(right, sums); };
  std::array<int, rank> places{};
  for (std::size_t i = 0; i < rank; ++i) places[i] = static_cast<int>(free.find(data.x.c[i]));
  return [=]() mutable { c = left.contract(right, sums).shuffle(places); };
}

}  // namespace

std::function<void()> eigen_contraction(contraction_data<TENFOLD_BENCH_SCALAR>& data) {
  using T = TENFOLD_BENCH_SCALAR;
  if (!data.x.is_matrix_product()) return {};
  const ordered<T> ab{data.x.a, data.a, data.x.b, data.b}, ba{data.x.b, data.b, data.x.a, data.a};
  // B first where that spares a permutation, or else gives the larger rank first.
  const bool turn = ab.free_labels() != data.x.c &&
                    (ba.free_labels() == data.x.c || data.x.a.size() < data.x.b.size());
  const ordered<T>& x = turn ? ba : ab;
  const std::size_t sums = contraction::of(data.x.a, data.x.b, true).size();
  std::function<void()> found;
  const auto try_ranks = [&]<int Left, int Right, int Sums>(ranks<Left, Right, Sums>) {
    if (x.left_labels.size() == Left && x.right_labels.size() == Right && sums == Sums)
      found = contraction_of<T, Left, Right, Sums>(data, x);
  };
  const auto try_all = [&](auto... each) { (try_ranks(each), ...); };
  try_all(ranks<2, 2, 0>{}, ranks<2, 2, 1>{}, ranks<2, 4, 2>{}, ranks<3, 2, 1>{}, ranks<3, 3, 2>{},
          ranks<4, 2, 1>{}, ranks<4, 3, 2>{}, ranks<4, 4, 1>{}, ranks<4, 4, 2>{}, ranks<5, 2, 1>{});
  return found;
}
#else
std::function<void()> eigen_contraction(contraction_data<TENFOLD_BENCH_SCALAR>&) { return {}; }
#endif

}  // namespace tenfold::bench
