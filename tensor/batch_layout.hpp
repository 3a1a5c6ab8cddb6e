#pragma once

/// How the problems of a batch lie in memory, as data. Device code reads this header too, so it
/// includes nothing.
namespace tenfold {

/// How the problems of a batch, the leading axis b of an operand, lie in memory. Each has types of
/// its own: tensor.hpp and view.hpp, interleaved.hpp, pointers.hpp, gathered.hpp.
enum class batch_layout : unsigned char {
  strided,      ///< base + b * stride + i * ld + j
  interleaved,  ///< ((b / W) * m * n + i * n + j) * W + b % W, in blocks of W problems
  pointers,     ///< pointer[b] + i * ld + j
  gathered,     ///< base + map[b][i][j]: reading gathers, writing scatters and adds
};

}  // namespace tenfold
