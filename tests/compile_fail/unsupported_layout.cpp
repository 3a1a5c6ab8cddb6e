// expect: tenfold: operand {0} is not a strided tensor in host memory
// expect: tenfold::einsum_error<tenfold::operand<1>
// errors: 2
#include <tenfold/einsum.hpp>

/// A tensor whose traits say what no type of the library says today.
struct odd : tenfold::tensor<double, 3, 3> {};

template <class X>
  requires std::is_same_v<std::remove_const_t<X>, odd>
struct tenfold::operand_traits<X> : tenfold::operand_traits<tenfold::tensor<double, 3, 3>> {
  static constexpr tenfold::batch_layout layout = tenfold::batch_layout::gathered;
};

int main() {
  tenfold::tensor<double, 3, 3> A;
  odd B;
  return static_cast<int>(tenfold::einsum<"ij,jk->ik">(A, B)(0, 0));
}
