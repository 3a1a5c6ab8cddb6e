#include "plan_diffusion.hpp"

namespace fem {

template element_operator plan_diffusion<>(const basis&, const restriction&);

element_operator diffusion_operator(const basis& tables, const restriction& all) {
  return all.components() == 1 ? plan_diffusion<>(tables, all) : plan_diffusion<3>(tables, all);
}

}  // namespace fem
