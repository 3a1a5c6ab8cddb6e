#pragma once

#include <string>
#include <vector>

#include "common/module.hpp"
#include "common/report.hpp"
#include "contract/contraction.hpp"
#include "contract/python_peers.hpp"
#include "contract/tblis_module.hpp"

namespace tenfold::bench {

/// The other libraries that are there, as candidates. Each computed its result once, and was
/// compared with the reference, before it is added.
class peers {
 public:
  /// Opens the libraries and says which of them are missing. Python starts with the first row that
  /// needs it.
  explicit peers(report&);

  /// The product of matrices "mk,kn->mn" by OpenBLAS, BLIS and MKL.
  template <class T>
  void add_products(std::vector<candidate>& to, contraction_data<T>& matrices) const;

  /// The contraction itself by whoever can: TBLIS, Eigen's tensors, TTGT, numpy, torch and jax.
  template <class T>
  void add_contractions(std::vector<candidate>& to, contraction_data<T>&);

  /// Times the candidates; those whose process ended meanwhile are taken away. What was given to
  /// Python is forgotten.
  measured time(std::vector<candidate>&, char scalar, effort);

 private:
  struct gemm_library {
    std::string name;
    module library;
  };

  template <class T>
  void add_tblis(std::vector<candidate>& to, contraction_data<T>&) const;
  template <class T>
  void add_ttgt(std::vector<candidate>& to, contraction_data<T>&) const;
  template <class T>
  void add_python(std::vector<candidate>& to, contraction_data<T>&);
  void start_python();
  void note_end();

  report& out_;
  python_peers python_;  // before the others: it keeps the environment as it is
  bool python_started_ = false;
  std::vector<gemm_library> gemm_libraries_;
  const tblis_module* tblis_ = nullptr;
};

}  // namespace tenfold::bench
