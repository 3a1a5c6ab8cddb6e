#include "plan_diffusion.hpp"

namespace fem {

element_operator diffusion_operator(const basis& tables, const restriction& all) {
  return plan_diffusion<false>(tables, all);
}

}  // namespace fem
