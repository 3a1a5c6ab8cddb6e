#pragma once

/// Einstein summation with index objects: y(e, i) = A(e, i, j) * u(e, j). Needs Boost (headers),
/// and costs a file more than <tenfold/einsum.hpp>.
#include <tenfold/dsel/index_notation.hpp>
#include <tenfold/einsum.hpp>
