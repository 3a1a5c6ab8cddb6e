#pragma once

/// Einstein summation over tensors: einsum<"ij,jk->ik">(A, B), einsum("ij,jk->ik", A, B).
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/interleaved.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <tenfold/tensor/view.hpp>
