// expect: compiles
// With exactly these flags a correct file compiles, so the others fail for the reason they name.
#include <tenfold/tensor/extents.hpp>

int main() { return static_cast<int>(tenfold::index{0}); }
