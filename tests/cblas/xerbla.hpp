#pragma once

#include <string>

namespace tenfold::testing {

/// What this program's cblas_xerbla was told last.
struct told {
  int position = -1;
  std::string function;
};

/// Runs f and tells what it reported; position -1: nothing.
told report_of(void (*f)(void*), void* context);
template <class F>
told report_of(F f) {
  return report_of([](void* context) { (*static_cast<F*>(context))(); }, &f);
}

}  // namespace tenfold::testing
