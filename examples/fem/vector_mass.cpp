#include "bake_off_operators.hpp"
#include "plan_mass.hpp"

namespace fem {

element_operator vector_mass_operator(const basis& tables, const restriction& all) {
  return plan_mass<3>(tables, all);
}

}  // namespace fem
