#include "fem/dealii.hpp"

#include "common/module.hpp"

namespace tenfold::bench {

dealii_library::dealii_library(report& out) {
  const module opened(nullptr, {TENFOLD_BENCH_DEALII});
  if (opened) {
    if (const auto open = opened.symbol<const dealii_module*()>("open_dealii")) library_ = open();
  }
  if (library_ == nullptr) out.missing("deal.II");
}

std::string dealii_library::name() const {
  return std::string("deal.II ") + library_->version +
         (library_->lanes == 1 ? " (scalar)" : " (" + std::to_string(library_->lanes) + " lanes)");
}

dealii_library::matvec::matvec(const dealii_module& library, operator_kind kind,
                               const cube_mesh& mesh, const double* u)
    : library_(&library),
      operator_(library.make(static_cast<int>(kind), mesh.p, mesh.n), library.destroy) {
  library.set_source(operator_.get(), u);
}

}  // namespace tenfold::bench
