#include "c_call.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

extern "C" {
// Only referred to, and weakly: were it defined here, a program that runs this library in place of
// MKL would have MKL's own errors come in with their arguments the other way round.
[[gnu::weak]] void cblas_xerbla(int position, const char* function, const char* form, ...);
// Is there where MKL is, which declares cblas_xerbla(function, position).
// NOLINTNEXTLINE(readability-identifier-naming)
[[gnu::weak]] void MKL_Get_Version(void*);
}

namespace tenfold::c_interface {

order order_of(CBLAS_LAYOUT layout) {
  require(layout == CblasRowMajor || layout == CblasColMajor, 1);
  return layout == CblasRowMajor ? order::row_major : order::column_major;
}

op op_of(CBLAS_TRANSPOSE transpose, int position) {
  require(transpose == CblasNoTrans || transpose == CblasTrans || transpose == CblasConjTrans,
          position);
  if (transpose == CblasNoTrans) return op::none;
  return transpose == CblasTrans ? op::transpose : op::conjugate_transpose;
}

void report(const char* function, int position) noexcept {
  char sentence[160];
  if (position == 0) {
    std::snprintf(sentence, sizeof sentence, "tenfold: %s: memory ran short\n", function);
  } else {
    std::snprintf(sentence, sizeof sentence, "tenfold: %s: argument %d is illegal\n", function,
                  position);
  }
  if (cblas_xerbla == nullptr) {
    std::fputs(sentence, stderr);
  } else if (MKL_Get_Version != nullptr) {
    using form_of_mkl = void(const char*, int);
    reinterpret_cast<form_of_mkl*>(reinterpret_cast<void*>(&cblas_xerbla))(function, position);
  } else {
    cblas_xerbla(position, function, "%s", sentence);
  }
}

int asked_threads() {
  static const int threads = [] {
    const char* const text = std::getenv("TENFOLD_NUM_THREADS");
    if (text == nullptr) return 0;
    const char* const end = text + std::strlen(text);
    int number = 0;
    const auto [stop, error] = std::from_chars(text, end, number);
    // TBB has no room for an arena of any number of threads.
    const int there = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return error == std::errc() && stop == end && number > 0 ? std::min(number, there) : 0;
  }();
  return threads;
}

}  // namespace tenfold::c_interface
