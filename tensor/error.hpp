#pragma once

#include <stdexcept>

/// The exceptions of the library. Every one is a `tenfold::error`, so one handler catches all.
namespace tenfold {

/// What every exception of the library is; `what()` is one full sentence that begins "tenfold: ".
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Extents or strides that cannot be, or that do not fit each other.
class shape_error : public error {
 public:
  using error::error;
};

/// Subscripts that cannot be read, or that do not fit their operands.
class subscript_error : public error {
 public:
  using error::error;
};

/// An operand that has not the structure it is declared to have.
class structure_error : public error {
 public:
  using error::error;
};

/// A result that shares entries with an input, or with itself.
class overlap_error : public error {
 public:
  using error::error;
};

/// A backend that is absent, or that cannot do what was asked of it.
class backend_error : public error {
 public:
  using error::error;
};

}  // namespace tenfold
