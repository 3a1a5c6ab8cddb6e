// expect: tenfold: the ellipsis at position {position} stands for {0} axes: the output needs an ellipsis, too
// expect: tenfold::einsum_error<tenfold::label<'.', '.', '.'>, tenfold::at_position<0>, tenfold::axes<2>
// errors: 2
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 3, 3, 3> A;
  return static_cast<int>(tenfold::einsum<"...i->i">(A)(0));
}
