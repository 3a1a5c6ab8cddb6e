#include <tenfold/backend/cpu/large_products.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/launch.hpp>

namespace tenfold::cpu {

blocking blocks_of_product(const gemm_shape& s, instruction_set isa) {
  return select::blocks_of(s.m, s.n, s.k, s.type, capabilities_of(isa));
}

}  // namespace tenfold::cpu
