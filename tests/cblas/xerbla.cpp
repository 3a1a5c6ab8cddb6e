#include "xerbla.hpp"

namespace tenfold::testing {

namespace {
told last;
}

told report_of(void (*f)(void*), void* context) {
  last = told{};
  f(context);
  return last;
}

}  // namespace tenfold::testing

/// The program's own, as a user of CBLAS writes it.
extern "C" void cblas_xerbla(int position, const char* function, const char*, ...);
void cblas_xerbla(int position, const char* function, const char*, ...) {
  tenfold::testing::last = {position, function};
}
