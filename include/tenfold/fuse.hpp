#pragma once

/// Fused element kernels: several Einstein statements over one batch label, in one pass.
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <tenfold/tensor/scatter_order.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>
