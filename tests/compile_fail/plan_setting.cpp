// expect: tenfold: the plan of a literal takes like(...) for each operand and nothing else; that of a string takes settings and into(like(y)), too
// errors: 1
#include <tenfold/plan.hpp>

int main() {
  tenfold::tensor<double, 3, 3> A, B;
  tenfold::plan<"ij,jk->ik">(like(A), like(B), tenfold::numpy_semantics);
}
