#include "bake_off_operators.hpp"

namespace fem {

element_operator any_mass_operator(const basis& tables, const restriction& all) {
  return all.components() == 1 ? mass_operator(tables, all) : vector_mass_operator(tables, all);
}

element_operator any_diffusion_operator(const basis& tables, const restriction& all) {
  if (tables.is_collocated()) {
    return all.components() == 1 ? collocated_diffusion_operator(tables, all)
                                 : vector_collocated_diffusion_operator(tables, all);
  }
  return all.components() == 1 ? diffusion_operator(tables, all)
                               : vector_diffusion_operator(tables, all);
}

}  // namespace fem
