#pragma once

/// All of Tenfold but index notation, which needs Boost (<tenfold/index_notation.hpp>), and work on
/// a GPU (<tenfold/device.hpp>).
#include <tenfold/batched_blas.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/explain.hpp>
#include <tenfold/fuse.hpp>
#include <tenfold/plan.hpp>
