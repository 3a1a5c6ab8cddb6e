#include <tenfold/tensor/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace tenfold;

static_assert(std::is_base_of_v<std::runtime_error, error>);
static_assert(std::is_base_of_v<error, shape_error>);
static_assert(std::is_base_of_v<error, subscript_error>);
static_assert(std::is_base_of_v<error, overlap_error>);
static_assert(std::is_base_of_v<error, backend_error>);

TEST_CASE_TEMPLATE("one handler catches every exception of the library", E, shape_error,
                   subscript_error, overlap_error, backend_error) {
  try {
    throw E("tenfold: a sentence");
  } catch (const error& e) {
    CHECK(std::string(e.what()) == "tenfold: a sentence");
  }
}
