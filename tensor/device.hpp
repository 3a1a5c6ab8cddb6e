#pragma once

/// Where data lies and where work is done.
namespace tenfold {

/// A memory space and the machine that computes in it. `emulated` is `cuda` without a GPU: operands
/// are those of `cuda`.
enum class device : unsigned char { cpu, cuda, emulated };

}  // namespace tenfold
