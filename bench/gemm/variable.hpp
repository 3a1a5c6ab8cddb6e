#pragma once

#include "common/report.hpp"
#include "gemm/peers.hpp"

namespace tenfold::bench {

/// 10,000 problems of orders 2..32, n x n times n x n or of any sizes, as one variable batch and as
/// fixed ones.
void run_variable(report&, const gemm_peers&, bool cubes);

/// What sorting costs: 10,000 problems of order 1, told apart by 31 leading dimensions, as a
/// variable batch and as the groups that it consists of. The row is the difference; the budget is a
/// twentieth of what the problems of orders 2..32 cost.
void run_sorting(report&);

}  // namespace tenfold::bench
