// expect: tenfold: fuse takes the batch label, using tenfold::labels::e, and what it returns the statements
// errors: 1
#include <tenfold/fuse.hpp>

void f() {
  using tenfold::labels::i;
  constexpr tenfold::input<"u"> u;
  constexpr tenfold::output<"v"> v;
  const int e = 0;
  tenfold::fuse(e)(v(i) = u(i));
}
