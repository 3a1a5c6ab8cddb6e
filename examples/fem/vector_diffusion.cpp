#include "bake_off_operators.hpp"
#include "plan_diffusion.hpp"

namespace fem {

element_operator vector_diffusion_operator(const basis& tables, const restriction& all) {
  return plan_diffusion<false, 3>(tables, all);
}

}  // namespace fem
