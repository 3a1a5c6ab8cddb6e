#pragma once

#include <tenfold/backend/interface/blocking.hpp>
#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/gemm.hpp>

/// Products of matrices that leave the caches, which run in blocks (blocked.isa.cpp). What is
/// decided of them is compiled once, for no instruction set.
namespace tenfold::cpu {

/// The blocks of one, by shape alone, so that the bits depend on nothing else.
blocking blocks_of_product(const gemm_shape& s, instruction_set isa);

}  // namespace tenfold::cpu
