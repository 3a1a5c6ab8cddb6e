#pragma once

/// Every threshold of the library, as pure functions of sizes and capabilities, and of batched
/// products also of a tuning. Planning asks here for each choice; nothing else compares a size with
/// a constant.

#include <tenfold/backend/interface/select/gemm_memory.hpp>
#include <tenfold/backend/interface/select/gemm_path.hpp>
#include <tenfold/backend/interface/select/gemm_tiles.hpp>
#include <tenfold/backend/interface/select/halves.hpp>
#include <tenfold/backend/interface/select/product_tiling.hpp>
#include <tenfold/backend/interface/select/register_tiles.hpp>
#include <tenfold/backend/interface/select/shipped_tuning.hpp>
#include <tenfold/backend/interface/select/tile_lanes.hpp>
#include <tenfold/backend/interface/select/tile_loops.hpp>
#include <tenfold/backend/interface/select/unrolled.hpp>
#include <tenfold/backend/interface/select/whole_steps.hpp>
