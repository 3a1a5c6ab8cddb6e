#include "bake_off_operators.hpp"
#include "plan_diffusion.hpp"

namespace fem {

element_operator collocated_diffusion_operator(const basis& tables, const restriction& all) {
  return plan_diffusion<true>(tables, all);
}

}  // namespace fem
