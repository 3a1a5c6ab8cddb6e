#pragma once

#include <doctest/doctest.h>

#include <string>
#include <tenfold/tensor/error.hpp>
#include <typeinfo>

namespace tenfold::testing {

/// Runs f, which must throw exactly an E; its message.
template <class E, class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const error& e) {
    CHECK_MESSAGE(typeid(e) == typeid(E), "another exception: ", typeid(e).name());
    return e.what();
  }
  return "(nothing was thrown)";
}

}  // namespace tenfold::testing
