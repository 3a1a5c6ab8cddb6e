#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "fem/dealii_module.hpp"
#include "fem/mesh.hpp"

namespace tenfold::bench {

/// deal.II, when CMake found it: a module opened with its symbols to itself.
class dealii_library {
 public:
  /// The report is told when it is not there.
  explicit dealii_library(report&);

  explicit operator bool() const { return library_ != nullptr; }
  /// With the number of elements that it was built to treat at once.
  std::string name() const;

  /// A mat-vec of its own, vectors in its own numbering.
  class matvec {
   public:
    matvec(const dealii_module& library, operator_kind kind, const cube_mesh& mesh,
           const double* u);

    void multiply() const { library_->multiply(operator_.get()); }
    /// The result by the numbers of the mesh, 0 where entries are constrained.
    void get_result(double* v) const { library_->get_result(operator_.get(), v); }

   private:
    const dealii_module* library_;
    std::shared_ptr<void> operator_;
  };
  matvec make(operator_kind kind, const cube_mesh& mesh, const double* u) const {
    return {*library_, kind, mesh, u};
  }

 private:
  const dealii_module* library_ = nullptr;
};

}  // namespace tenfold::bench
