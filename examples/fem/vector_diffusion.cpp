#include "plan_diffusion.hpp"

namespace fem {

template element_operator plan_diffusion<3>(const basis&, const restriction&);

}  // namespace fem
