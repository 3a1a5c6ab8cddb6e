/// Batched BLAS: many small matrix products in one call, over views or over pointers with sizes.
#pragma once

#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/tensor/conjugated.hpp>
