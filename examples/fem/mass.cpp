#include "plan_mass.hpp"

namespace fem {

element_operator mass_operator(const basis& tables, const restriction& all) {
  return plan_mass<>(tables, all);
}

}  // namespace fem
