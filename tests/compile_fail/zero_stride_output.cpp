// expect: tenfold: label '{label}' at position {position} has stride 0 in the output: its entries coincide
// expect: tenfold::einsum_error<tenfold::label<'k'>, tenfold::at_position<8>
// errors: 2
#include <tenfold/einsum.hpp>

/// A tensor whose traits say what no type of the library says today.
struct odd : tenfold::tensor<double, 3, 3> {};

template <class X>
requires std::is_same_v<std::remove_const_t<X>, odd>
struct tenfold::operand_traits<X> : tenfold::operand_traits<tenfold::tensor<double, 3, 3>> {
  static constexpr std::array<tenfold::index, 2> static_strides{1, 0};
};

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  odd y;
  tenfold::einsum<"ij,jk->ik">(tenfold::into(y), A, B);
}
